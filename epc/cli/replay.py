"""`epc replay CASE`."""

from typing import BinaryIO

import click

from epc.cli.common import echo_json


@click.command()
@click.argument("case", type=click.File("rb"))
def command(case: BinaryIO) -> None:
    r"""Answer one conformance CASE (a file, or - for standard input) with JSON.

    A malformed case exits 2 and says where.

    \b
    Example:
      epc replay case.json
      epc conformance list --format json | ... | epc replay -
    """
    from epc.json_text import MAX_DOCUMENT_BYTES
    from epc.records.conformance import answer_text

    echo_json(answer_text(case.read(MAX_DOCUMENT_BYTES + 1)))
