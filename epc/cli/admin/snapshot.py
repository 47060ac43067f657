"""`epc admin snapshot`: what a maintainer does to what is published."""

from importlib.metadata import version
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from epc.cli.common import (
    checkout_here,
    locked_here,
    now,
    print_note,
    say,
)
from epc.cli.groups import CommandGroup
from epc.cli.options import (
    FILE,
    FOLDER,
    THERE,
    baseline_option,
    domains_option,
)
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.analysis.choice_table import PriceEstimate
    from epc.registry.registry import Registry


_OF_A_SOURCE: Final = ("weights", "source", "replicates", "proxy")


@click.group(cls=CommandGroup)
def command() -> None:
    """Maintain the registry's snapshots."""


@command.command()
@click.argument("run", type=THERE)
@click.option("--generation", help="The evaluator generation: Z of vX.Y-Z.")
@click.option("--contributor", help="Who measured it.")
@click.option("--login", help="GitHub login of who measured it; a replication needs it.")
@click.option("--licence", help="Of the data, as in SPDX; CC-BY-4.0 if left out.")
@click.option("--conflicts", metavar="TEXT", help="The contributor's interests in the result.")
@click.option("--platform", help="Where it was asked. Default: the part of its name before /.")
@click.option("--proxy", is_flag=True, help="It was asked through a third party's gateway.")
@click.option("--weights", metavar="DIGEST", help="sha256:... of what a server of your own served.")
@click.option(
    "--source", metavar="TEXT", help="Of recorded verdicts: whose, when, how, from where."
)
@click.option("--judge", metavar="NAME", help="Of a verdict file: whose verdicts.")
@click.option(
    "--faults",
    type=FILE,
    help="Of a verdict file: a JSON list of {id, says}, what is known to be wrong with it.",
)
@baseline_option
@domains_option
@click.option("--replicates", metavar="TAG", help="The snapshot that this repeats and agrees with.")
@click.option("--git/--no-git", default=True, show_default=True, help="Commit and tag it.")
def publish(  # the options are what the contributor states
    run: Path,
    generation: str | None,
    contributor: str | None,
    licence: str | None,
    platform: str | None,
    judge: str | None,
    faults: Path | None,
    baseline: str | None,
    domains: str | None,
    git: bool,
    **stated_facts: Any,
) -> None:
    r"""Publish RUN as the next snapshot of its evaluator generation.

    RUN is a submission: its statement replaces the options. The command checks it as `epc
    submission check` does and takes it out of submissions/. Or RUN is a run of your own, or an
    evaluation by one judge (`epc judge run`), with --generation and --contributor. Or RUN is a
    verdict file (`epc observe import`), with --judge too: identity, platform, decoding, dates and
    licence are then what its source states, or unknown.

    It puts the raw files into the store, writes the folder and the events, commits and makes the
    git tag. An older snapshot of the same thing in the same way becomes superseded, or drifted
    where the two differ. If it is interrupted, the same command goes on where it stopped.

    \b
    Example:
      epc admin snapshot publish submissions/coin-flip-3fa94c1e
      epc admin snapshot publish runs/first --generation GPT4o-0806 --contributor "A. Name"
      epc admin snapshot publish judged --generation GPT4o-0806 --contributor "A. Name"
      epc admin snapshot publish llmbar.parquet --judge GPT-4 --generation gpt-4 \
        --contributor "A. Name"
    """
    from epc.records.verdicts.types import Choices
    from epc.registry.cards import Declaration
    from epc.registry.publishing import offered
    from epc.registry.publishing import publish as publish_to
    from epc.registry.submissions.merged import is_submission, promote
    from epc.registry.verdicts import cut_to, read_faults

    if is_submission(run):
        options = (generation, contributor, licence, platform, judge, faults, baseline, domains)
        if any(value not in (None, False) for value in (*options, *stated_facts.values())):
            raise click.UsageError("A submission says all of this itself: leave the options out.")
        with locked_here() as lock:
            tag = promote(lock, run, day=now().date(), progress=print_note, git=git)
        say(str(tag))
        return
    if generation is None or contributor is None:
        raise click.UsageError("Give --generation and --contributor, or name a submission.")
    if run.is_file() != (judge is not None) or (not judge and any((faults, baseline, domains))):
        option_names = "--judge, --faults, --baseline and --domains"
        raise click.UsageError(f"{option_names} are of a verdict file, which needs --judge.")
    if judge and (licence or platform or any(stated_facts[key] for key in _OF_A_SOURCE)):
        raise click.UsageError("A verdict file says all else itself: leave the options out.")
    statement = Declaration(
        generation=generation,
        contributor=contributor,
        licence=licence or "CC-BY-4.0",
        faults=read_faults(faults) if faults else (),
        platform=platform,
        choices=Choices(baseline=baseline, domains=domains.split(",") if domains else ()),
        **stated_facts,
    )
    with TemporaryDirectory() as folder, locked_here() as lock:
        if judge:
            run = cut_to(run, judge, Path(folder) / run.stem)
        offer = offered(run, statement)
        tag = publish_to(lock, offer, day=now().date(), progress=print_note, git=git)
    say(str(tag))


@command.command()
@click.argument("tag")
@click.option("--reason", required=True, help="Why the figures must no longer be used.")
def withdraw(tag: str, reason: str) -> None:
    r"""Withdraw a snapshot: add an event with a reason; published files stay as they are.

    \b
    Example:
      epc admin snapshot withdraw v1.0-Example --reason "the answers came from a cache"
    """
    _end(tag, {"event": "withdrawn", "reason": reason})


@command.command()
@click.argument("tag")
@click.option(
    "--watched",
    type=FOLDER,
    metavar="RUN",
    help="The fetched snapshot whose watch.jsonl says that it drifted.",
)
@click.option("--reason", help="What differs, if not `epc watch` found it.")
@click.option("--source", help="Who says so: an https address, or a tag.")
def drift(tag: str, watched: Path | None, reason: str | None, source: str | None) -> None:
    r"""Record that an evaluator no longer answers as a snapshot measured: add one event.

    Give the watched run of the fetched snapshot, which the command checks, or a reason with its
    source. When a newer measurement that differs is published, it adds this event itself.

    \b
    Example:
      epc admin snapshot drift v1.0-Example --watched runs/example
    """
    if watched:
        reason, source = _by_watch(tag, watched), "epc watch"
    if not reason or not source:
        raise click.UsageError("Name --watched RUN, or --reason and --source.")
    _end(tag, {"event": "drifted", "reason": reason, "source": source})


@command.command()
@click.argument("tag")
@click.option("--cause", required=True, type=click.Choice(["retired", "stale"]), help="What ended.")
@click.option("--reason", required=True, help="Why it ended, since no date shows it.")
@click.option("--source", required=True, help="Who says so: an https address.")
def expire(tag: str, cause: str, reason: str, source: str) -> None:
    r"""Record an end that no date states: add one event to a snapshot.

    \b
    Example:
      epc admin snapshot expire v1.0-Example --cause retired --reason "answers 404 since May" \
        --source https://STATUS-PAGE
    """
    _end(tag, {"event": "expired", "cause": cause, "reason": reason, "source": source})


@command.command()
@click.option("--restore", is_flag=True, hidden=True, help="What the command always does now.")
def tags(restore: bool) -> None:  # noqa: ARG001  (workflows of before give it)
    r"""Make the git tags that published snapshots lack in this clone, from history.

    They are the same objects in every clone; `git fetch --tags` brings them where the remote has
    them. `epc data --at TAG` makes them by itself.

    \b
    Example:
      epc admin snapshot tags
    """
    from epc.registry.history import restore_tags

    with locked_here() as lock:
        restored = restore_tags(lock.checkout)
    for tag, commit in restored.items():
        say(f"{tag}  made at {commit}")
    if not restored:
        print_note("every published snapshot has its git tag")


@command.command()
def headlines() -> None:
    r"""Write the headline figures for DVC again.

    Publishing and events write them too; use this after a merge.

    \b
    Example:
      epc admin snapshot headlines
    """
    from epc.registry.publishing import write_headlines

    with locked_here() as lock:
        write_headlines(lock)


@command.command()
def choices() -> None:
    r"""Write the tables that `epc which` and `epc evaluators succeed` answer from.

    They are worked out from the kept verdicts: how often ways to decide are right, with today's
    prices, and how far judges agree. params.yaml says which prompts of which sources are compared.

    \b
    Example:
      epc admin snapshot choices
    """
    from epc.registry.choices import write_choices
    from epc.registry.reading import of_folder
    from epc.registry.succession import write_agreements

    with locked_here() as lock:
        registry = of_folder(lock.checkout)
        agreements = write_agreements(lock)
        path = write_choices(
            lock, lambda model, *tokens: price_of_questions(registry, model, *tokens)
        )
    print_note(f"wrote {path} and {agreements}; commit them")


@command.command()
def export() -> None:
    r"""Print the registry as the one document that `--registry URL` reads.

    \b
    Example:
      epc admin snapshot export > public/registry.json
    """
    from epc.records.strict_json import dumps
    from epc.registry.reading import document

    click.echo(dumps(document(checkout_here())), nl=False)


def _end(tag: str, event: dict[str, str]) -> None:
    """Add an event of today to a snapshot that there is."""
    from epc.records.typed import parse
    from epc.registry.publishing import write_headlines
    from epc.registry.reading import of_folder
    from epc.registry.snapshots import Event
    from epc.registry.writing import end

    with locked_here() as lock:
        snapshot = of_folder(lock.checkout).snapshot(tag)
        path = end(lock, parse({"date": now().date(), "tag": str(snapshot.tag), **event}, Event))
        write_headlines(lock, audit=False)
    print_note(f"added to {path}; commit it")


def _by_watch(tag: str, run: Path) -> str:
    """Return what a watch found, in words.

    Raises: UsageError if the run is not the snapshot's, or its watch says something else.
    """
    from epc.analysis.drift_watch import changed_pairs
    from epc.engine.drift_watch import begin
    from epc.records.layout import MANIFEST
    from epc.registry.layout import FOLDER

    published = checkout_here() / FOLDER / tag / MANIFEST
    if not published.is_file() or published.read_bytes() != (run / MANIFEST).read_bytes():
        raise UsageError(f"{run} is not {tag}\n  fix: `epc snapshot fetch {tag} --out FOLDER`")
    standing = begin(run).standing()
    pairs, since = len(standing.history.panel), standing.since_run
    if standing.verdict == "drifted":
        changed = len(changed_pairs(standing.days))
        return f"alarm on {standing.alarm}: {changed} of {pairs} watched pairs changed"
    if since is not None and since.verdict == "drifted":
        day = standing.history.days[0].day
        return f"{since.turned} of {since.pairs} pairs got another verdict on {day} than in the run"
    raise UsageError(
        f"the watch of {run} says {standing.verdict}, not drifted\n  fix: `epc watch {run}`"
    )


def price_of_questions(
    registry: "Registry", model: str, read: float, written: float
) -> "PriceEstimate":
    """Return what 1,000 questions cost at the first platform of a model whose price is known.

    `read` and `written` are tokens of one question; `read` is not a number where nobody counted.
    """
    from epc.analysis.choice_table import PriceEstimate
    from epc.answers.resolve import resolve
    from epc.engine.budget import price_of
    from epc.registry.platforms import PLATFORMS

    if isnan(read):
        price_text = f"{model}: none, as its source counts no tokens that are the judge's own"
        return PriceEstimate(usd=None, basis=price_text)
    for target in resolve(registry, model, now().date()).everywhere:
        life = target.life
        platform = PLATFORMS.get(life.platform)
        price = price_of(f"{platform.providers[0]}/{life.model}") if platform else None
        if price:
            usd = float(price.cost(round(1000 * read), round(1000 * written)))
            read_usd, written_usd = (
                f"${rate.normalize():f}" for rate in (price.read, price.written)
            )
            source = f"genai-prices {version('genai-prices')}, {now().date()}"
            cost = f"{read_usd} for a million tokens read, {written_usd} written ({source})"
            return PriceEstimate(usd=usd, basis=f"{model} at {life.platform}: {cost}")
    return PriceEstimate(usd=None, basis=f"{model}: none is stated")
