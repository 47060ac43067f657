"""Every figure of `epc observe report` a second time, in plain Python (Reading R77).

It shares no code with `epc.analysis` and no NumPy: verdicts are taken one by one, as the pages say.
"""

from collections.abc import Iterator
from math import isclose
from typing import Any, Final

from oracle.observed_figures import gold, humans, places, repeated, said, scored
from oracle.observed_pairs import Asked, own, pairs
from oracle.observed_rows import Verdict, alike, pair_of, rows_of
from oracle.observed_sums import Json
from oracle.observed_transfer import table

from epc.records.observed.columns import Verdicts
from epc.records.observed.types import Header
from epc.spec.coupling import RULE

TOLERANCE: Final = 1e-12


def disagreements(document: Json, header: Header, verdicts: Verdicts) -> Iterator[tuple[str, str]]:
    """Yield where a report's JSON differs from what this implementation makes of the verdicts."""
    stated = [group["transfer"] for group in document["groups"] if group["transfer"]]
    of_this_rule = all(crossed.get("rule") == RULE for crossed in stated)
    again = measured(header, verdicts, document["choices"], crossing=of_this_rule)
    yield from _compared(again, document, "")


def measured(header: Header, verdicts: Verdicts, choices: Json, *, crossing: bool = True) -> Json:
    """Return every count, share and interval of a report, as its JSON has them.

    Of transfer the people's figures are not made again (Reading R77), and none without `crossing`:
    where a report is of an older rule.
    """
    rows = rows_of(verdicts)
    once: dict[object, Verdict] = {}
    for row in rows:
        once.setdefault((row.stated["setting"], *row.asked, row.stated["repeat"] or 0), row)
    by_setting: dict[str, list[Verdict]] = {name: [] for name in verdicts.setting.names}
    for row in once.values():
        by_setting[row.stated["setting"]].append(row)
    groups = []
    for names in alike(header.settings):
        used = [name for name in names if name in by_setting]
        if used:
            rows_of_group = [row for name in used for row in by_setting[name]]
            groups.append((used, header.settings[used[0]], rows_of_group))
    items = len(verdicts.item.names)
    return {
        "verdicts": len(rows),
        "items": items,
        "duplicates": len(rows) - len(once),
        "items_under_two_names": items - len({pair_of(row) for row in rows}),
        "groups": [_group(one, groups, choices, crossing=crossing) for one in groups],
        "pairs": [*pairs(groups)],
    }


def _compared(ours: Any, theirs: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield each value of ours that is another, or missing, in theirs."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key, value in ours.items():
            yield from _compared(value, theirs.get(key), f"{where}/{key}")
        if where.endswith("/figures"):
            for key in theirs.keys() - ours.keys():
                yield f"{where}/{key}", "is stated, and the second computation has none"
    elif isinstance(ours, list) and isinstance(theirs, list | tuple) and len(ours) == len(theirs):
        for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _compared(one, other, f"{where}/{at}")
    elif not (_close(ours, theirs) or ours == theirs):
        yield where, f"says {theirs}, by the second computation {ours}"


def _close(one: Any, other: Any) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers and isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _group(one: Asked, every: list[Asked], choices: Json, *, crossing: bool) -> Json:
    names, _, rows = one
    equal, other, repeats = repeated(rows)
    figures = {**places(rows), **gold(rows), **said(rows), **humans(rows), **repeats}
    figures |= scored(rows) | own(one, every, choices.get("same", {}))
    transfer: Json = {}
    if crossing:
        transfer["transfer"] = table(rows, choices.get("baseline"), choices.get("domains", ()))
    return {
        "settings": names,
        "verdicts": len(rows),
        "items": len({row.cluster for row in rows}),
        "equal_answers": equal,
        "equal_answers_other_verdict": other,
        "figures": {name: figure for name, figure in figures.items() if figure},
        **transfer,
    }
