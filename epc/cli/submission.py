"""`epc submission`: offering a run for publication, and checking what is offered."""

import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from epc.cli.common import add_text, checkout_here, exit_with, now, print_note, print_result, say
from epc.cli.groups import CommandGroup
from epc.cli.options import FILE, FOLDER, NEW, NEW_FILE, THERE, format_option
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.registry.offers import Subject
    from epc.registry.submissions.statement import Statement

_OF_A_SOURCE: Final = ("endpoint", "platform", "weights", "source", "replicates")
_LICENCES: Final = ("CC-BY-4.0", "CC0-1.0")


@click.group(cls=CommandGroup)
def command() -> None:
    """Submissions: offer a run for publication, and check it."""


@command.command()
@click.argument("run", type=THERE)
@click.option("--judge", metavar="NAME", help="Of a verdict file: whose verdicts.")
@click.option("--slug", help="The folder's name; made from evaluator and content if left out.")
@click.option("--contributor", help="Who measured it.")
@click.option("--login", help="The GitHub account that will open the pull request.")
@click.option("--licence", type=click.Choice(_LICENCES), help="Under which its data are given.")
@click.option("--endpoint", type=click.Choice(["direct", "gateway"]), help="How it was asked.")
@click.option("--conflicts", help="Interests in how the evaluator comes out, or none.")
@click.option("--generation", help="The evaluator generation, if its name does not say.")
@click.option("--platform", help="Where it was asked, if its name does not say.")
@click.option("--weights", metavar="DIGEST", help="sha256:... of what a server of your own served.")
@click.option(
    "--source", metavar="TEXT", help="Of recorded verdicts: whose, when, how, from where."
)
@click.option("--replicates", metavar="TAG", help="The snapshot that this repeats.")
@click.pass_context
def new(
    ctx: click.Context, /, run: Path, judge: str | None, slug: str | None, **options: str | None
) -> None:
    r"""Make a submission from RUN, or from what a judge said, in submissions/ of this checkout.

    RUN may be a verdict file (`epc observe import`), with --judge: what its source states is taken
    from it, and no option says otherwise.

    On a terminal the command asks for what the run does not say; elsewhere you must give it as
    options. It searches every file for secrets, and checks all that the pull request will: what
    would be refused there is refused here, and nothing is written. It overwrites nothing.

    \b
    Example:
      epc submission new runs/first --contributor "A. Name" --login octocat \
        --licence CC-BY-4.0 --conflicts none
    """
    from epc.engine.secrets import secrets
    from epc.registry.reading import of_folder
    from epc.registry.submissions import layout, making
    from epc.registry.submissions.check import keep_publishable
    from epc.registry.submissions.checked import Base
    from epc.registry.submissions.report import text
    from epc.registry.verdicts import cut_to

    checkout = checkout_here()
    registry, known_secrets = of_folder(checkout), {value: name for name, value in secrets()}
    making.require_no_secret({"slug": slug, **options}, known_secrets)
    if run.is_file() != (judge is not None):
        raise click.UsageError("--judge is of a verdict file, which needs it.")
    if judge and any(options[key] for key in _OF_A_SOURCE):
        option_names = ", ".join(f"--{key}" for key in _OF_A_SOURCE)
        raise click.UsageError(f"A verdict file says this itself: leave {option_names} out.")
    source = run
    if judge:
        around = ctx.with_resource(TemporaryDirectory())
        run = cut_to(run, judge, Path(around) / run.stem, plain=True)
    subject = making.subject_of(run)
    facts = making.inferred_of(subject, registry, options["platform"])
    options |= {key: options[key] or value for key, value in asdict(facts).items()}
    if tag := options["replicates"]:
        declared = (options["generation"], options["contributor"], options["login"])
        making.require_repeatable(registry, tag, *declared)
    statement = _statement_of(options, subject)
    making.require_agreeing(subject, statement)
    folder = making.make(
        checkout / layout.FOLDER,
        run,
        slug or making.proposed_slug(statement.generation, subject),
        statement,
        known_secrets,
    )
    report = keep_publishable(folder, Base.from_checkout(checkout, now().date()))
    if not report.ok:
        for line in text(report):
            print_note(line)
        raise UsageError(
            f"nothing was written: {source} would be refused\n  fix: mend it, and run this again"
        )
    (offered,) = report.submissions
    print_note(f"checked  it can be published, as {offered.tag} today")
    print_note(f"next     {_next(checkout, folder, statement.generation)}")
    say(str(folder))


def _next(checkout: Path, folder: Path, generation: str) -> str:
    """Return the commands that offer a submission, with its evaluator's record if that is new."""
    from epc.registry.history import untracked
    from epc.registry.new_record import path_of

    record = path_of(generation)
    paths = [str(folder.relative_to(checkout)), *untracked(checkout, record)]
    return (
        f"git switch --create {folder.name} && git add {' '.join(paths)} && "
        f'git commit --message "Offer {folder.name}" && git push --set-upstream origin HEAD'
    )


def _statement_of(values: dict[str, str | None], subject: "Subject") -> "Statement":
    """Return the statement that options, run and user make together.

    Raises: UsageError where something is missing and nobody can be asked.
    """
    from epc.registry.submissions.statement import Statement

    facts: dict[str, Any] = dict(values)
    questions: dict[str, Any] = {
        "contributor": {"text": "Who measured it"},
        "login": {"text": "The GitHub account that will open the pull request"},
        "licence": {
            "text": "Licence of the data",
            "type": click.Choice(_LICENCES),
            "default": _LICENCES[0],
        },
        "endpoint": {
            "text": "Asked directly, or through a third party's gateway",
            "type": click.Choice(["direct", "gateway"]),
        },
        "conflicts": {"text": "Interests in how the evaluator comes out (or none)"},
        "generation": {
            "text": (
                "The evaluator generation (see `epc evaluators list`; "
                "`epc evaluators new` writes the record of a new one)"
            )
        },
    }
    if subject.recorded:
        questions["source"] = {
            "text": "Who gave the verdicts, when and how, and where they are from"
        }
    missing = [key for key in questions if facts[key] is None]
    if missing and not sys.stdin.isatty():
        options = "".join(f"\n  --{key}: {questions[key]['text']}" for key in missing)
        raise click.UsageError(f"the run does not say everything; name what is missing:{options}")
    for key in missing:
        facts[key] = click.prompt(err=True, **questions[key])
    return Statement(identity=subject.identity, **facts)


@command.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=NEW)
@click.option(
    "--base",
    metavar="CHECKOUT",
    type=FOLDER,
    help="The trusted checkout to hold it against; the one around here.",
)
@click.option(
    "--changed",
    metavar="FILE",
    type=FILE,
    help="The paths that a pull request changes, one a line or separated by NUL.",
)
@click.option("--merge", metavar="COMMIT", help="What merging the pull request would make.")
@click.option("--author", metavar="LOGIN", help="Who opened the pull request, by GitHub's word.")
@click.option(
    "--summary",
    type=NEW_FILE,
    metavar="FILE",
    help="Add the report in Markdown to a file, as to $GITHUB_STEP_SUMMARY.",
)
@format_option
def check(
    paths: tuple[Path, ...],
    base: Path | None,
    changed: Path | None,
    merge: str | None,
    author: str | None,
    summary: Path | None,
    form: str,
) -> None:
    r"""Check submissions: the same checks that the pull request runs.

    PATH is a submission's folder, or submissions/ for all of them. Its files are data: the command
    runs nothing in them, and trusts only the checkout. A pull request that publishes has to hold
    what `epc admin submission publish` makes. Exits 1 if the submission cannot be published.

    --summary shows every text of what is offered literally: nothing in it can make a link, a
    picture or a mention.

    \b
    Example:
      epc submission check submissions/coin-flip-3fa94c1e
    """
    from functools import partial

    from epc.cli.admin.snapshot import price_of_questions
    from epc.records.findings import Findings
    from epc.records.typed import as_json
    from epc.registry.reading import find_checkout
    from epc.registry.submissions import layout, unpublished
    from epc.registry.submissions.brought import Records, look
    from epc.registry.submissions.check import check as check_all
    from epc.registry.submissions.check import read_changed
    from epc.registry.submissions.checked import Base
    from epc.registry.submissions.report import text
    from epc.registry.submissions.summary import markdown

    checkout = find_checkout(base or Path.cwd(), up=base is None, option="--base CHECKOUT")
    trusted = Base.from_checkout(checkout, now().date())
    snapshot_findings = Findings() if merge else None
    records: Records = {}
    if merge and snapshot_findings is not None:
        commit = unpublished.resolved(checkout, merge)
        prices = partial(price_of_questions, trusted.registry)
        unpublished.check(checkout, commit, trusted.today, snapshot_findings, prices)
        records = look(checkout, commit, trusted, snapshot_findings)
    value = check_all(
        paths or (checkout / layout.FOLDER,),
        trusted,
        changed=read_changed(changed) if changed else None,
        snapshot_findings=snapshot_findings,
        records=records,
        author=author,
    )
    print_result(form, lambda: as_json(value), lambda: text(value))
    if summary:
        add_text(summary, markdown(value))
    exit_with(clean=value.ok)
