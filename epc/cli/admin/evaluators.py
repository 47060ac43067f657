"""`epc admin evaluators`: check, update, show and export the lifecycles of evaluators."""

import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from epc.cli.common import (
    checkout_here,
    echo_json,
    exit_with,
    locked_here,
    now,
    open_registry,
    print_finding_list,
    print_note,
    say,
)
from epc.cli.options import as_of_option, format_option, refuse_options, registry_option
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.registry.holders import Holder
    from epc.registry.lists import Claim
    from epc.registry.places import Reading
    from epc.registry.registry import Registry

LITELLM: Final = "litellm"
_INSTALLED: Final = "llm-sunset"
_PATCHED: Final = ("litellm", "models.dev", "portkey")
_DATELESS: Final = ("osv", "litellm")  # shapes that are the same on every day

from_option = click.option(
    "--from",
    "sources",
    multiple=True,
    default=(_INSTALLED,),
    show_default=True,
    metavar="llm-sunset|FILE|CLONE|-",
    help="The installed package, a list in a file, in a package's wheel or in a clone of its "
    "repository (OWNER/NAME=FOLDER where the clone has no remote), or standard input. Several are "
    "read in their order.",
)


def given_list(source: str) -> Any:
    """Return a source's list.

    Raises: UsageError if there is none.
    """
    if holder := _holder(source):
        return next(document for _, document in holder.documents())
    try:
        return json.loads(_text(source))
    except ModuleNotFoundError as error:
        raise UsageError(
            "the package llm-sunset is not installed\n  fix: pip install llm-sunset"
        ) from error
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {source}: {error}\n  fix: name a JSON file") from error


def claims_in_lists(
    sources: Iterable[str], *, platform: str | None, default_day: date
) -> list["Claim"]:
    """Return what lists claim, in their order.

    Raises: UsageError if there is no such list.
    """
    read = read_lists(sources, platform=platform, default_day=default_day)
    return [reading.claim for reading in read]


def read_lists(
    sources: Iterable[str], *, platform: str | None, default_day: date
) -> "list[Reading]":
    """Return what lists claim, in their order, with the files that have it.

    Raises: UsageError if there is no such list.
    """
    from epc.registry.lists import claims
    from epc.registry.places import Reading, leads_back

    read: list[Reading] = []
    for source in sources:
        holder = _holder(source)
        documents = holder.documents() if holder else iter([("", given_list(source))])
        called, version = (holder.name, holder.version) if holder else ("", "")
        day = holder.day if holder else None
        for path, document in documents:
            try:
                claimed = claims(
                    document,
                    platform=platform,
                    default_day=day or default_day,
                    title=title(source),
                    dated=day is not None,
                )
                read += (
                    Reading(
                        holder=called,
                        version=version,
                        path=path if leads_back(document, claim) else "",
                        claim=claim,
                    )
                    for claim in claimed
                )
            except ValueError as error:
                raise UsageError(
                    f"{source} is no list of models: {error}\n  fix: see --help"
                ) from error
    return read


def _holder(source: str) -> "Holder | None":
    """Return the clone or wheel that an option names; None of anything else."""
    from epc.registry.holders import PACKAGES, opened

    is_holder = source.endswith(PACKAGES) or Path(source.rpartition("=")[2]).is_dir()
    return opened(source) if is_holder else None


def title(source: str) -> str:
    """Return what a list is called: its package and version, or its repository and commit."""
    if source == _INSTALLED:
        with suppress(PackageNotFoundError):
            return f"{source} {version(source)}"
    holder = _holder(source)
    return holder.title if holder else source


def _text(source: str) -> str:
    if source == _INSTALLED:
        from importlib.resources import files

        return (files("llm_sunset") / "snapshot.json").read_text("utf-8")
    if source == "-":
        return sys.stdin.read()
    return Path(source).read_text("utf-8")


@click.group()
def command() -> None:
    """Maintain the lifecycles of evaluators."""


@command.command()
@format_option
def check(form: str) -> None:
    r"""Check the evaluator records of this checkout: schema, names, order of dates.

    \b
    Example:
      epc admin evaluators check
    """
    from epc.registry.checking import check as check_records

    findings = check_records(checkout_here())
    print_finding_list(findings, form)
    if form == "text":
        print_note(f"findings: {len(findings)}")
    exit_with(clean=not findings)


@command.command()
@from_option
@click.option("--platform", help="Platform of this list of models; of several, the one to read.")
@click.option(
    "--refresh",
    is_flag=True,
    help="Write what moves no day: when each list was last seen to have a model or a day, and "
    "where it states it. Days that moved are still a diff.",
)
@format_option
def sync(sources: tuple[str, ...], platform: str | None, refresh: bool, form: str) -> None:
    r"""Propose updates as a diff; without --refresh nothing is written.

    A replaced date stays beside its replacement. Each date keeps its kind: "not before" does not
    become an end. Apply what you believe with `git apply`. Models that only the source knows are
    candidates, listed on stderr (`candidates` in JSON); they are no proposals. Exits 1 if there is
    anything to propose.

    \b
    Example:
      epc admin evaluators sync | git apply
      epc admin evaluators sync --from endoflife-date/endoflife.date=CLONE --from WHEEL --refresh
      curl -s -H "Authorization: Bearer $KEY" https://api.mistral.ai/v1/models |
        epc admin evaluators sync --from - --platform mistral
    """
    from epc.registry.reading import of_folder
    from epc.registry.refreshing import refresh as written
    from epc.registry.sync import candidates, diff

    read = read_lists(sources, platform=platform, default_day=now().date())
    source_claims = [reading.claim for reading in read]
    if not source_claims:
        raise UsageError(
            f"{' and '.join(sources)} names no end of any model\n"
            "  fix: name a list as llm-sunset has, or a models endpoint's answer with --platform"
        )
    checkout = checkout_here()
    if refresh:
        with locked_here() as lock:
            print_note(written(lock, read))
    registry = of_folder(checkout)
    records = registry.records
    patch, new = diff(records, source_claims), candidates(registry.all_records, source_claims)
    if form == "json":
        echo_json({"diff": patch, "candidates": [claim.as_json() for claim in new]})
    else:
        click.echo(patch, nl=False)
        print_note(f"candidates, not in this registry: {len(new)}")
        for claim in new:
            day = f"{claim.kind} {claim.retires}" if claim.retires else "no end is published"
            print_note(f"  {claim.platform}/{claim.model}: {day} [{claim.source}]")
    exit_with(clean=not patch)


@command.command("check-sources")
@click.argument("clones", nargs=-1, required=True, metavar="CLONE...")
@click.option("--model", "models", multiple=True, help="Generation to look at, as often as needed.")
@format_option
def check_sources(clones: tuple[str, ...], models: tuple[str, ...], form: str) -> None:
    r"""Read again, in clones and wheels, what says when a model ends.

    Each line of `snapshots/evaluators/places.csv` names a repository and commit (or a package and
    version), a file, a key and the value there. The value is read at that commit, or in the newest
    one where a clone does not hold it: found, another value, not found; or the clone is not given.
    Where places disagree with the record, or with each other, all of them stand below the day.
    Exits 1 if anything is another value or not found.

    \b
    Example:
      epc admin evaluators check-sources ../endoflife.date ../deprecations-rss litellm-*.whl
      epc admin evaluators check-sources quora/model-deprecation-tracker=FOLDER --model gpt-4-0613
    """
    from epc.registry.holders import opened
    from epc.registry.lookups import Reader, counted, ends
    from epc.registry.reading import of_folder
    from epc.registry.refreshing import places_of

    checkout = checkout_here()
    reader = Reader([opened(clone) for clone in clones])
    dates = ends(of_folder(checkout).records, places_of(checkout), reader, models)
    counts = counted(dates)
    if form == "json":
        echo_json({"dates": [end.as_json() for end in dates], "counts": counts})
    else:
        for end in dates:
            say("\n".join(end.lines))
        print_note("; ".join(f"{name}: {number}" for name, number in counts.items()))
    exit_with(clean=all(end.holds for end in dates))


@command.command()
@click.argument("asked", metavar="EVALUATOR")
@registry_option
def show(asked: str, registry: str | None) -> None:
    r"""Show what is known about an evaluator as JSON: each date, its source, other dates.

    \b
    Example:
      epc admin evaluators show gpt-4o-2024-08-06
    """
    from epc.answers.resolve import resolve
    from epc.answers.words import missing
    from epc.records.typed import as_json

    opened = open_registry(registry)
    name = resolve(opened, asked, now().date())
    if not name.models:
        raise click.UsageError(f"{asked}: {missing(name)}\n  fix: see `epc evaluators list`")
    echo_json([as_json(model.record) for _, model in sorted(name.models.items())])


def _print_patch(shape: str, into: str | None, registry: "Registry", as_of: date) -> None:
    """Print what a list lacks, as a patch of its clone."""
    from epc.registry import patches
    from epc.registry.holders import opened

    if into is None:
        raise click.UsageError(f"--shape {shape} takes the clone that it is for: --into CLONE")
    clone, ends = opened(into), patches.exact_ends(registry.records)
    if shape == "litellm":
        patch = patches.litellm_patch(clone.text(patches.LITELLM), ends)
    elif shape == "models.dev":
        patch = patches.models_dev_patch(clone.texts("providers/*/models/*.toml"), ends, as_of)
    else:
        patch = patches.portkey_patch(clone.texts("general/*.json"), ends, as_of)
    click.echo(patch.text, nl=False)
    for line in patch.differing:
        print_note(f"  {line.name}: {line.theirs} there, {line.ours} here")
    for path in patch.shared:
        print_note(f"  {path}: left, for several providers share this file")
    differing = len(patch.differing)
    print_note(f"models that the patch changes: {patch.models}; days that differ: {differing}")


@command.command()
@click.option(
    "--shape",
    type=click.Choice(["osv", "model-eol", *_PATCHED]),
    required=True,
    help="Format of the feed, or the list that a patch is for.",
)
@click.option("--maker", help="Only models of this maker: one feed in model-eol's shape.")
@click.option(
    "--into",
    metavar="CLONE",
    help="Clone of the list that the patch is for: litellm, models.dev or portkey.",
)
@as_of_option
@registry_option
def export(
    shape: str, maker: str | None, into: str | None, as_of: datetime, registry: str | None
) -> None:
    r"""Print the ends of all evaluators as JSON, or as a patch for a list that others load.

    In OSV's shape each end is a record, in model-eol's each maker has a feed. A "not before" day is
    no end in OSV's shape, and "earliest" in model-eol's.

    A patch for litellm adds the days that its table lacks; one for models.dev or portkey says which
    models are no longer served. It takes exact days alone, changes no word of the list's own, and
    goes to `git apply` in the clone. Days that differ are listed on stderr.

    \b
    Example:
      epc admin evaluators export --shape model-eol --maker openai
      epc admin evaluators export --shape litellm --into ../litellm > litellm.diff
    """
    from epc.answers.service import life_state
    from epc.registry import reading
    from epc.registry.exports import model_eol, osv

    if shape in _PATCHED:
        refuse_options(("maker",), "is of a feed: a patch has the models of every maker")
    else:
        refuse_options(("into",), f"is of a patch, and --shape {shape} prints JSON")
    if shape in _DATELESS:
        refuse_options(("as_of",), f"has no effect: {shape} takes every end, past or to come")
    opened = reading.open_registry(registry)
    if shape in _PATCHED:
        _print_patch(shape, into, opened, as_of.date())
        return
    if shape == "osv":
        document: object = osv(opened, maker)
    else:
        day = as_of.date()
        feeds = model_eol(opened, day, lambda life: life_state(opened, life.model, life, day))
        document = feeds.get(maker) if maker else list(feeds.values())
    if maker and not document:
        raise click.UsageError(f"{maker}: no end of a model of this maker is known here.")
    echo_json(document)
