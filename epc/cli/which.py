"""`epc which`."""

from datetime import datetime

import click

from epc.cli.common import exit_with, open_registry, print_result
from epc.cli.options import Finite, as_of_option, format_option, registry_option


@click.command()
@click.option(
    "--domain",
    default="all",
    show_default=True,
    metavar="DOMAIN",
    help="The kind of task, such as math, factuality, safety; its first letters are enough.",
)
@click.option("--platform", metavar="PLATFORM", help="Only judges that this platform serves.")
@click.option(
    "--budget",
    type=Finite(0),
    metavar="USD",
    help="What 1,000 questions may cost, in dollars.",
)
@as_of_option
@format_option
@registry_option
def command(
    domain: str,
    platform: str | None,
    budget: float | None,
    as_of: datetime,
    form: str,
    registry: str | None,
) -> None:
    r"""Say which judges may be used for a kind of task, until when, and at what price.

    Every judge was tried on the same questions, of which one answer of several is known to be the
    right one. A judge that is shown to be right less often than another is listed as such; between
    those that remain the figures decide nothing, so the cheapest comes first. Only judges that
    somebody serves on the day are considered. Exits 1 if none fits.

    \b
    Example:
      epc which --domain math --budget 5
      epc which --domain safety --platform anthropic --format json
    """
    from epc.answers.which import best_judges
    from epc.report.which_text import text

    answer = best_judges(
        open_registry(registry), domain, as_of.date(), platform=platform, budget=budget
    )
    print_result(form, answer.as_json, lambda: text(answer))
    exit_with(clean=bool(answer.short.options))
