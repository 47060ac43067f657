"""Snapshots as rows and pages, for people and for programs: the text is made from the JSON."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final

from epc.registry.expiry import in_words
from epc.registry.figures import Difference, at, figures
from epc.registry.registry import Registry
from epc.registry.snapshots import FAILED, Json, Snapshot

_HEADLINE: Final = ("gamma/text_to_visual", "pci", "verdict/PASS")
_INVALID: Final = "invalid"  # of a judged snapshot
_TABLES: Final = (  # title, of calibrations, of judged snapshots
    ("", False, False),
    ("What judges said of outputs:", False, True),
    ("Calibration runs, made with mock evaluators:", True, False),
    ("What mock judges said (calibration):", True, True),
)
_EXCESS: Final = "control/excess/text_to_visual"


def entries(registry: Registry, as_of: date) -> list[Json]:
    """Return one row a snapshot."""
    return [_entry(registry, tag, snapshot, as_of) for tag, snapshot in registry.snapshots.items()]


def _entry(registry: Registry, tag: str, snapshot: Snapshot, as_of: date) -> Json:
    shown = {name: found for name in (*_HEADLINE, _EXCESS) if (found := at(snapshot.figures, name))}
    name = next((name for name in _HEADLINE if name in shown), None)
    state = registry.of_tag(tag, as_of)
    invalid = at(snapshot.figures, _INVALID)
    return {
        "tag": tag,
        "kind": snapshot.kind,
        "trust": registry.trust(tag),
        "calibration": snapshot.calibration,
        "evaluator": snapshot.model,
        "proxy": snapshot.card["evaluator"]["proxy"],
        "n": snapshot.figures["n"],
        "figure": name,
        "mean": shown[name].mean if name else None,
        "ci95": list(shown[name].interval or ()) or None if name else None,
        "excess": shown[_EXCESS].mean if _EXCESS in shown else None,
        "excess_ci95": list(shown[_EXCESS].interval or ()) or None if _EXCESS in shown else None,
        "audit": snapshot.card["audit"]["verdict"] if snapshot.kind == "measured" else None,
        "failed": snapshot.failed,
        "invalid": invalid.mean if invalid else None,
        "invalid_ci95": list(invalid.interval or ()) or None if invalid else None,
        "status": state.status,
        "reason": state.reason,
        "until": state.until.isoformat() if state.until else None,
        "faults": len(snapshot.card["known_faults"]),
    }


def text(rows: Sequence[Json]) -> str:
    """Return the rows as tables: calibration apart, and judges' shares in no column of gammas."""
    parts = []
    for title, calibration, judged in _TABLES:
        own = [
            r for r in rows if (r["calibration"], r["kind"] == "judged") == (calibration, judged)
        ]
        parts += ["", title] if own and title else []
        parts += [(_judgments if judged else _table)(own)] if own or not title else []
    return "\n".join(parts)


def _judgments(rows: Sequence[Json]) -> str:
    """Return judged snapshots as a table."""
    cells = [("tag", "trust", "judge", "N", "PASS, of valid", "invalid, of all", "state")]
    for row in rows:
        passed = _estimate(row["mean"], row["ci95"])
        invalid = _estimate(row["invalid"], row["invalid_ci95"])
        shares = (str(row["n"]), passed, invalid)
        cells.append((row["tag"], row["trust"], _asked(row), *shares, _state(row)))
    return _aligned(cells)


def _table(rows: Sequence[Json]) -> str:
    cells = [("tag", "trust", "evaluator", "N", "figure", "excess", "audit", "faults", "state")]
    for row in rows:
        named = f"{row['figure'].split('/')[0]} " if row["figure"] else ""
        figure = f"{named}{_estimate(row['mean'], row['ci95'])}"
        excess = _estimate(None if row["failed"] else row["excess"], row["excess_ci95"], sign="+")
        audit = "failed run" if row["failed"] else (row["audit"] or "-").replace("_", " ")
        middle = (row["trust"], _asked(row), str(row["n"]), figure, excess, audit)
        cells.append((row["tag"], *middle, str(row["faults"]), _state(row)))
    return _aligned(cells)


def _asked(row: Json) -> str:
    return f"{row['evaluator']} (proxy)" if row["proxy"] else str(row["evaluator"])


def _state(row: Json) -> str:
    return in_words(row["status"], row["until"], row["reason"])


def _aligned(cells: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def _estimate(mean: float | None, bounds: Sequence[float] | None, *, sign: str = "") -> str:
    if mean is None:
        return "-"
    interval = f" [{bounds[0]:{sign}.3f}, {bounds[1]:{sign}.3f}]" if bounds else ""
    return f"{mean:{sign}.3f}{interval}"


def shown(registry: Registry, tag: str, as_of: date) -> Json:
    """Return all that is known of one snapshot."""
    snapshot = registry.snapshots[tag]
    return {
        **snapshot.card,
        "trust": registry.trust(tag),
        "failed": snapshot.failed,
        "figures": snapshot.figures,
        "events": [event.given for event in registry.by_tag.get(tag, [])],
        "expiry": registry.of_tag(tag, as_of).as_json(),
    }


def shown_text(value: Json) -> str:
    """Return one snapshot as a page."""
    state, measured = value["expiry"], value["measured"]
    reason = f", {state['reason']}" if state["reason"] else ""
    days = " to ".join(dict.fromkeys((measured["from"], measured["to"])))
    kinds = dict.fromkeys((value["kind"], value["trust"]))
    lines = [
        f"{value['tag']}  {', '.join(kinds)}  {value['protocol_version']}",
        f"  state      {state['status']}{reason}: {state['note']}",
        f"  evaluator  {_model(value['evaluator'])}",
        *_asked_as(value["evaluator"]),
        f"  executor   {_model(value['executor'])}",
        f"  measured   {days}, N = {value['figures']['n']}, by {value['contributor']}",
    ]
    if value["failed"]:
        lines.insert(1, f"  FAILED     {FAILED}")
    if value["kind"] == "measured":
        lines += _audited(value["audit"], value["figures"]["control"]["method"])
    if value["kind"] == "judged":
        lines[2:] = _of_judge(value, days)
    if value["citation"]:
        cited = value["citation"]
        lines += [f"  source     {cited['work']}", f"             {cited['place']}"]
        lines += [f"             {cited['address']}"]
    lines += ["", "  figures, with 95% intervals where the numbers allow one"]
    lines += [f"    {figure.name:<36}{figure}" for figure in figures(value["figures"])]
    if value["known_faults"]:
        lines += ["", "  known faults"]
        lines += [f"    {fault['id']}: {fault['says']}" for fault in value["known_faults"]]
    lines += ["", "  events"]
    lines += [_event(event) for event in value["events"]]
    return "\n".join(lines)


def _audited(audit: Json, control: str) -> list[str]:
    """Return what an audit said, and what it warned of."""
    p_value = "" if audit["p_value"] is None else f", p = {audit['p_value']:.2g}"
    told = [f"  audit      {audit['verdict']}{p_value}; the control is {control}"]
    return told + [f"             {finding['problem']}" for finding in audit["findings"]]


def _of_judge(value: Json, days: str) -> Iterator[str]:
    """Yield who judged how much, and what to know before believing it."""
    figures = value["figures"]
    yield f"  judge      {_model(value['evaluator'])}"
    yield from _asked_as(value["evaluator"])
    yield f"  judged     {days}, N = {figures['n']}, by {value['contributor']}"
    for method, total in figures["totals"].items():
        flags = "".join(f", {flag} {count}" for flag, count in total["flags"].items())
        if total["samples"]:
            counts = f"{total['valid']} valid, {total['invalid']} invalid"
            yield f"  totals     {method}: {counts}{flags}"
    yield from (f"  beware     {remark}" for remark in figures["remarks"])


def _model(given: Json | None) -> str:
    if given is None:
        return "none"
    gateway = f" through {given['gateway']}" if given["gateway"] else ""
    proxy = ", a third party's gateway" if given["proxy"] else ""
    return f"{given['platform'] or 'embedded'}/{given['model']}{gateway}{proxy}"


def _asked_as(given: Json) -> Iterator[str]:
    """Yield what the record itself says was asked; cards of before this was kept say nothing."""
    if asked := given.get("asked"):
        yield f"  asked as   {asked['model']} at {asked['endpoint']}"


def _event(given: Json) -> str:
    reason = given.get("reason", "")
    return f"    {given['date']}  {given['event']}  {reason}".rstrip()


def difference_text(found: Difference) -> str:
    """Return two snapshots side by side."""
    lines = ["like for like" if found.like_for_like else "NOT like for like; these differ:"]
    lines += [f"{tag} is a failed run: {FAILED}" for tag in found.failed]
    for key, (a, b) in found.conditions.items():
        lines += [f"  {key}", f"    a  {_shown(a)}", f"    b  {_shown(b)}"]
    if not found.figures:
        lines.append("no figure stands in both")
    for name, (x, y) in found.figures.items():
        gap = "" if found.failed else f"  {y.mean - x.mean:+.3f}"
        lines.append(f"  {name:<36}{x.mean:.3f}  {y.mean:.3f}{gap}")
    return "\n".join(lines)


def _shown(condition: Any) -> str:
    return _model(condition) if isinstance(condition, dict) else str(condition)
