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
    help="The kind of task, such as math, safety, rag, agent; near words are understood.",
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
    right one. The first line says whom to try first: the cheapest of those that are not shown to be
    right less often than another, one without a mark before others. A figure that is too old is
    marked, and so is one with a known fault. Reward models have a list of their own. Only judges
    that somebody serves on the day are considered. Exits 1 if none fits.

    rag, agent, faithfulness, translation, image, choices and preference have benchmarks of their
    own, which are never pooled: each judge stands with its figure, n, month and the known faults.
    Where the items do not tell judges apart, the answer is "not decided". Of choices among labels
    it also says how much a judge may decide alone with at most 5% wrong.

    \b
    Example:
      epc which --domain math --budget 5
      epc which --domain rag
      epc which --domain translation:en-de
      epc which --domain safety --platform anthropic --format json
    """
    from epc.analysis.domains import DomainAnswer
    from epc.answers.domains import judges_for
    from epc.report import domains_text, which_text

    answer = judges_for(
        open_registry(registry), domain, as_of.date(), platform=platform, budget=budget
    )
    if isinstance(answer, DomainAnswer):
        domain_answer = answer
        print_result(form, answer.as_json, lambda: domains_text.text(domain_answer))
        exit_with(clean=answer.has_judge)
        return
    choice = answer
    print_result(form, choice.as_json, lambda: which_text.text(choice))
    exit_with(clean=bool(choice.short.options))
