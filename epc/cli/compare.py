"""`epc compare A B [MORE...]`."""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from epc.cli.common import echo_json, exit_with, now, open_registry, print_result, say, write_page
from epc.cli.options import (
    RUN_OR_TAG,
    THERE,
    Finite,
    format_option,
    html_option,
    refuse_options,
    with_default,
)
from epc.errors import refuse

if TYPE_CHECKING:
    from datetime import date

    from epc.analysis.mitigation import Mitigated
    from epc.registry.comparison import Operand
    from epc.registry.registry import Registry


@click.command()
@click.argument("left", type=RUN_OR_TAG, metavar="A")
@click.argument("right", type=RUN_OR_TAG, metavar="[B]", required=False)
@click.argument("more", type=THERE, metavar="[MORE]...", nargs=-1)
@click.option("--reference", is_flag=True, help="Compare A with the paper's Reference Snapshot.")
@with_default(
    "--margin",
    Finite(0, 1, min_open=True),
    0.1,
    "How large a changed share still counts as the same.",
)
@html_option
@format_option
def command(
    left: Path | str,
    right: Path | str | None,
    more: tuple[Path, ...],
    *,
    reference: bool,
    margin: float,
    form: str,
    html: Path | None,
) -> None:
    r"""Compare two measurements A and B: like for like, differences, drift.

    A and B are run folders, or manifests, which allow fewer comparisons. With raw files the command
    compares verdicts pair by pair. That shows a changed evaluator long before gamma does. Exits 1
    if the evaluator drifted or the runs are not like for like; 0 if it is the same or the data
    cannot tell; the verdict says which.

    A or B may be a published snapshot, by its tag or its folder. Then the command says what
    differs, sets the figures that both have beside each other, each gamma on its noise floor, and
    says what follows. With --reference it does so for each row of the paper's tables. Exits 1 if
    the two are not like for like; of two snapshots of any kind, if they differ in anything. For
    verdicts pair by pair, `epc snapshot fetch` the snapshot.

    Where B is a wrapper round A's evaluator (balanced:, panel:, band=), the command
    also says by how much B reduces the transfer regret and the redirected choices of A, with
    intervals, and what that costs in calls. With MORE it says only that, of B and of each of MORE,
    and exits 0.

    \b
    Example:
      epc compare runs/july runs/august
      epc compare runs/july runs/august --html drift.html
      epc compare runs/first v1.0-GPT4o-0806
      epc compare runs/first --reference
      epc compare v1.0-GPT4o-0806 v1.1-GPT4o-0806
      epc compare runs/plain runs/balanced runs/panel
      epc compare --format json july/manifest.json august/manifest.json
    """
    if reference == (right is not None):
        raise click.UsageError("name two measurements, or one and --reference")
    if right is None or isinstance(left, str) or isinstance(right, str):
        if more or html is not None:
            raise click.UsageError("MORE and --html are of runs: fetch the snapshot first")
        refuse_options(("margin",), "is of two runs: a snapshot has its figures")
        if isinstance(left, str) and isinstance(right, str):
            _snapshots(left, right, form)
        _published(left, right, form)
    elif more:
        refuse_options(("margin",), "is of two runs: with MORE only what a wrapper changes is said")
        _only_mitigation(left, (right, *more), form, html)
    else:
        _runs(left, right, margin=margin, form=form, html=html)


def _snapshots(left: str, right: str, form: str) -> NoReturn:
    """Put two published snapshots side by side, and say first whether they are like for like."""
    from epc.registry.comparison import compare_snapshots
    from epc.registry.showing import difference_text

    registry = open_registry(None)
    comparison = compare_snapshots(registry.snapshot(left), registry.snapshot(right))
    print_result(form, comparison.as_json, lambda: difference_text(comparison))
    are_same = all(a.mean == b.mean for a, b in comparison.figures.values())
    exit_with(clean=comparison.like_for_like and are_same)


def _published(left: Path | str, right: Path | str | None, form: str) -> None:
    """Compare a run with a published snapshot, or with every row of the reference snapshot."""
    from epc.answers.snapshot_status import snapshot_states
    from epc.registry.comparing import (
        comparison_json,
        comparison_text,
        is_clean,
        published_operand,
        reference_text,
    )
    from epc.registry.comparison import Comparison
    from epc.registry.showing import reference_rows

    registry, today = open_registry(None), now().date()
    first = _operand(registry, left, today)
    if right is not None:
        value = Comparison(left=first, right=_operand(registry, right, today))
        print_result(form, lambda: comparison_json(value), lambda: comparison_text(value))
        exit_with(clean=is_clean(value))
    rows = []
    for row in reference_rows(registry, snapshot_states(registry, today)):
        printed = published_operand(row.snapshot, row.state)
        rows.append((row, Comparison(left=first, right=printed)))
    print_result(
        form, lambda: [comparison_json(value) for _, value in rows], lambda: reference_text(rows)
    )
    exit_with(clean=all(is_clean(value) for _, value in rows))


def _operand(registry: "Registry", name: Path | str, today: "date") -> "Operand":
    """Return one operand of a comparison with published figures."""
    from epc.analysis.audit import audit_checked
    from epc.answers.service import expiry
    from epc.answers.snapshot_status import status_on
    from epc.records.validate import validate
    from epc.registry.comparing import measured_operand, published_operand

    if isinstance(name, str):
        snapshot = registry.snapshot(name)
        return published_operand(snapshot, status_on(registry, str(snapshot.tag), today).state)
    report = validate(name)
    refuse([finding for finding in report.findings if finding.severity == "error"])
    assert report.manifest is not None  # else there is a finding
    audit = audit_checked(report).as_json()
    states = expiry(registry, [report.manifest.evaluator.model], today)
    return measured_operand(name, report.manifest, audit, states)


def _runs(left: Path, right: Path, *, margin: float, form: str, html: Path | None) -> None:
    """Compare two runs, verdict by verdict where both have their raw files."""
    from epc.analysis.compare import check_records, compare
    from epc.records.recompute import load_manifest
    from epc.report.comparison import comparison_page, document, mitigation_report
    from epc.report.document import printed

    effect = _effect(left, right)
    comparison = compare(left, right, margin=margin, untrue=check_records(left, right))
    if form == "json":
        mitigation = {"mitigation": effect[0].as_json()} if effect else {}
        echo_json({**comparison.as_json(), **mitigation})
    else:
        say(printed(document(comparison)))
        if effect:
            say(f"\n{mitigation_report(load_manifest(left).evaluator.model, effect)}")
    if html is not None:
        write_page(html, comparison_page(comparison))
    exit_with(clean=comparison.clean)


def _effect(plain: Path, second: Path) -> "list[Mitigated]":
    """Return what the second run does to the first, if it is of a wrapper round its evaluator."""
    from epc.analysis.mitigation import mitigated, wraps
    from epc.records.recompute import load_manifest

    return mitigated(plain, [second]) if wraps(load_manifest(plain), load_manifest(second)) else []


def _only_mitigation(plain: Path, wrapped: tuple[Path, ...], form: str, html: Path | None) -> None:
    """Print what each wrapper does to the plain run.

    Raises: UsageError if one is no wrapper round its evaluator.
    """
    from epc.analysis.compare import check_records
    from epc.analysis.mitigation import mitigated
    from epc.records.recompute import load_manifest
    from epc.report.comparison import mitigation_report

    if html is not None:
        raise click.UsageError("--html is of two runs: leave MORE or --html out")
    refuse(check_records(plain, *wrapped))
    effects = mitigated(plain, wrapped)
    print_result(
        form,
        lambda: {"plain": str(plain), "mitigated": [effect.as_json() for effect in effects]},
        lambda: mitigation_report(load_manifest(plain).evaluator.model, effects),
    )
