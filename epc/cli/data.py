"""`epc data`."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from time import monotonic

import click

from epc.cli.common import now, print_note, print_result
from epc.cli.options import NEW, Day, format_option, refuse_options, registry_option

_BETWEEN_S = 2.0  # two lines about how far it has got


@click.command()
@click.option("--out", type=NEW, default=Path("data"), show_default=True, help="A new folder.")
@click.option("--tables", metavar="A,B", help="snapshots, figures, verdicts, trials; all of them.")
@click.option("--at", metavar="TAG", help="As it was at a git tag or a snapshot's tag.")
@click.option(
    "--as-of",
    type=Day(),
    metavar="YYYY-MM-DD",
    help="The day of the states. Default: today in UTC; with --at that of the commit.",
)
@registry_option
@click.option("--store", metavar="PATH|URL", help="What holds the raw files, if elsewhere.")
@format_option
def command(
    out: Path,
    tables: str | None,
    at: str | None,
    as_of: datetime | None,
    registry: str | None,
    store: str | None,
    form: str,
) -> None:
    r"""Write all figures, verdicts and trials as Parquet, a file for each table.

    Every digest is checked against the sealed registry first. The same content gives the same
    bytes. Says which recorded verdicts are not here, and how to make them from their source.

    \b
    Example:
      epc data
      epc data --tables figures,verdicts --at v1.0-CoinFlip --out then
    """
    from epc.answers.snapshot_status import snapshot_states
    from epc.registry.data import absence, chosen, write
    from epc.registry.data_rows import OF_CARDS
    from epc.registry.fetching import open_sealed

    names = chosen(tables.split(",") if tables else [])
    if OF_CARDS.keys() >= {*names}:
        refuse_options(("store",), f"is of raw files, and {' and '.join(names)} need none")
    with open_sealed(registry, store=store, tag=at) as sealed:
        day = as_of.date() if as_of else sealed.day or now().date()
        states = snapshot_states(sealed.registry, day)
        data = write(sealed, names, out, states, _teller(), as_of=day)
    print_result(
        form,
        data.as_json,
        lambda: (f"{out / t.path}  {t.rows:,} rows  {t.bytes:,} bytes" for t in data.tables),
    )
    for line in absence(data.withheld, data.recorded):
        print_note(line)


def _teller() -> Callable[[str], None]:
    """Return what says how far the work is, now and then."""
    last_s = monotonic()

    def print_progress(message: str) -> None:
        nonlocal last_s
        if monotonic() - last_s >= _BETWEEN_S:
            last_s = monotonic()
            print_note(message)

    return print_progress
