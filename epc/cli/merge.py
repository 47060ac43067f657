"""`epc merge RUN... --out RUN`."""

from pathlib import Path

import click

from epc.cli.common import note
from epc.cli.options import NEW_FOLDER, THERE, format_option


@click.command()
@click.argument("runs", nargs=-1, required=True, type=THERE, metavar="RUN...")
@click.option(
    "--out", required=True, type=NEW_FOLDER, metavar="FOLDER", help="The folder of the joined run."
)
@format_option
def command(runs: tuple[Path, ...], out: Path, form: str) -> None:
    r"""Join runs of the same measurement over different seeds.

    Everything but the seeds must be equal: models, decoding, configuration, tasks, software. The
    result is the run that one command over all seeds would have made.

    \b
    Example:
      epc merge runs/a runs/b --out runs/all
    where runs/a was made by `epc run ... --seeds 0-14` and runs/b, on another machine, by
    `epc run ... --seeds 15-29`.
    """
    from epc.cli.show import show_finished
    from epc.engine.merge import merge

    merge(list(runs), out)
    show_finished(out, form=form)
    note(f"manifest {out / 'manifest.json'}")
