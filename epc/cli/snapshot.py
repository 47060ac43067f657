"""`epc snapshot`: what was published, and how."""

from datetime import datetime
from pathlib import Path

import click

from epc.cli.common import (
    checkout_here,
    echo_json,
    exit_with,
    open_registry,
    print_finding_list,
    print_note,
    print_result,
    say,
)
from epc.cli.groups import CommandGroup
from epc.cli.options import NEW, THERE, as_of_option, format_option, registry_option
from epc.errors import is_clean

_TOLD = 500  # snapshots, after each of which one hears how far it has got


@click.group(cls=CommandGroup)
def command() -> None:
    """The registry's snapshots: what was published, and whether it is current."""


@command.command(name="list")
@as_of_option
@format_option
@registry_option
def list_snapshots(as_of: datetime, form: str, registry: str | None) -> None:
    r"""List every snapshot with its headline figure and its state.

    Judges that somebody serves today come first. Mocks, word counters and small embedded models
    stand apart at the end.

    \b
    Example:
      epc snapshot list
    """
    from epc.answers.service import service_on
    from epc.answers.snapshot_status import snapshot_states
    from epc.registry.listing import entries, text

    opened, day = open_registry(registry), as_of.date()
    states = snapshot_states(opened, day)
    rows = entries(opened, states, lambda name: service_on(opened, name, day).is_served)
    print_result(form, lambda: [row.as_json() for row in rows], lambda: text(rows))


@command.command()
@click.argument("tag", required=False)
@click.option("--reference", is_flag=True, help="Show the paper's Reference Snapshot v1.0 whole.")
@as_of_option
@format_option
@registry_option
def show(
    tag: str | None, *, reference: bool, as_of: datetime, form: str, registry: str | None
) -> None:
    r"""Show one snapshot: what was measured, its figures, its known faults, its state.

    With --reference, show Tables 1 to 3 of the paper instead, each row with its state.

    \b
    Example:
      epc snapshot show v1.0-GPT4o-0806
      epc snapshot show --reference
    """
    from epc.answers.snapshot_status import snapshot_states, status_on
    from epc.registry.showing import reference_rows, reference_text, snapshot_text, snapshot_view
    from epc.report.coupling_text import headline

    if reference == (tag is not None):
        raise click.UsageError("name a snapshot, or --reference")
    opened = open_registry(registry)
    if tag is None:
        rows = reference_rows(opened, snapshot_states(opened, as_of.date()))
        print_result(form, lambda: [row.as_json() for row in rows], lambda: reference_text(rows))
        return
    name = str(opened.snapshot(tag).tag)
    value = snapshot_view(opened, name, status_on(opened, name, as_of.date()).state)
    crossing = value.snapshot.audit.crossing if value.snapshot.audit else {}
    crosses = [headline(d, into) for d, into in crossing.items()]
    print_result(form, value.as_json, lambda: snapshot_text(value, crosses))


@command.command()
@click.argument("checkout", type=THERE, required=False)
@format_option
def verify(checkout: Path | None, form: str) -> None:
    r"""Check every published byte: digests, schemas, intervals, the history.

    Names each file that is not as it was published. Exits 1 if anything was found.

    \b
    Example:
      epc snapshot verify
    """
    from epc.registry.reading import find_checkout
    from epc.registry.verify import verify as verify_checkout

    root = find_checkout(checkout or Path.cwd(), up=checkout is None)
    findings = verify_checkout(root)
    print_finding_list(findings, form)
    if form == "text":
        print_note(f"findings: {len(findings)}")
    exit_with(clean=is_clean(findings))


@command.command()
@click.argument("tag")
@click.option("--out", type=NEW, help="A new folder; runs/TAG.")
@click.option("--from", "place", metavar="PATH|URL", help="What holds snapshots/; the checkout.")
@click.option("--store", metavar="PATH|URL", help="What holds the raw files, if elsewhere.")
def fetch(tag: str, out: Path | None, place: str | None, store: str | None) -> None:
    r"""Get a snapshot back as the folder that was published, and check every SHA-256.

    A measured snapshot becomes a run folder, a judged one an evaluation's folder. What --from names
    is held against the digest that the checkout, or else the package, knows.

    \b
    Example:
      epc snapshot fetch v1.0-SmolLM2-135M-Likelihood --out runs/again
      epc validate runs/again
      epc snapshot fetch v1.0-DigestJudge --out judged
      epc judge check judged
    """
    from epc.registry.fetching import fetch as fetch_from
    from epc.registry.reading import known_seals, nearest_checkout
    from epc.registry.tags import Tag

    parsed = Tag.parse(tag)
    folder = out or Path("runs") / tag
    seal = known_seals().get(tag) if place else None
    if place and not seal:
        print_note(f"nothing here knows {tag}: its digest is the word of {place}")
    place = place or str(nearest_checkout("--from PATH or URL"))
    fetch_from(parsed, folder, location=place, store=store, seal=seal)
    say(str(folder))


@command.command()
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@click.option(
    "--source",
    type=THERE,
    metavar="CLONE",
    help="Make observed verdicts again from a clone of their source.",
)
@format_option
def recompute(tags: tuple[str, ...], source: Path | None, form: str) -> None:
    r"""Recompute every figure of snapshots from the raw trials, replies or verdicts in the store.

    What has no raw files here is passed over, and counted at the end.
    With --source, first make the verdicts of observed snapshots again by their recipe. They must
    be the same to the byte. Exits 1 if anything differs from what was published.

    \b
    Example:
      epc snapshot recompute
      epc snapshot recompute v1.0-Example --source CLONE
    """
    from epc.registry.reading import of_folder
    from epc.registry.recomputing import passed_over, rebuildable, recomputable
    from epc.registry.recomputing import recompute as recompute_all

    checkout = checkout_here()
    registry = of_folder(checkout)
    names = [str(registry.snapshot(tag).tag) for tag in tags]
    selection = (rebuildable if source else recomputable)(registry, names)
    results = []
    for recomputation in recompute_all(checkout, registry, selection, source=source):
        results.append(recomputation)
        if len(results) % _TOLD == 0:
            print_note(f"recomputed: {len(results):,} of {len(selection):,}")
    if form == "json":
        echo_json([recomputation.as_json() for recomputation in results])
    else:
        for recomputation in results:
            say(f"{recomputation.tag}  {'as published' if recomputation.ok else 'DIFFERS'}")
            for line in (*recomputation.changed, *recomputation.problems):
                say(f"  {line}")
        print_note(f"recomputed: {len(results):,}")
        if not names:
            print_note(passed_over(registry))
    exit_with(clean=all(recomputation.ok for recomputation in results))
