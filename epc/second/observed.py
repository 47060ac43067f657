"""Every figure of `epc observe report` a second time, in plain Python (Reading R77).

It shares no code with `epc.analysis` and no NumPy: verdicts are taken one by one, as the pages say.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from math import isclose
from typing import Any, Final

from epc.errors import Finding
from epc.records.observed.columns import Verdicts
from epc.records.observed.types import UNKNOWN, Header, Setting
from epc.second.observed_figures import gold, humans, kappa, places, repeated, said
from epc.second.observed_rows import Verdict, alike, rows_of
from epc.second.observed_sums import Json, share
from epc.second.observed_transfer import table

CLAUSE: Final = "Reading R77"
TOLERANCE: Final = 1e-12
_REMEDY: Final = "measure the verdict file again; if that agrees with itself, report a fault of epc"


def disagreements(
    document: Json, header: Header, verdicts: Verdicts, patterns: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield where a report's JSON differs from what this implementation makes of the verdicts."""
    again = measured(header, verdicts, patterns, document["choices"])
    for where, problem in _compared(again, document, ""):
        yield Finding(clause=CLAUSE, where=where, problem=problem, remedy=_REMEDY)


def measured(header: Header, verdicts: Verdicts, patterns: Sequence[str], choices: Json) -> Json:
    """Return every count, share and interval of a report, as its JSON has them.

    Of transfer it has the table, not the wheels that are turned on it.
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
        if used and (not patterns or any(fnmatchcase(n, p) for n in used for p in patterns)):
            own = [row for name in used for row in by_setting[name]]
            groups.append((used, header.settings[used[0]], own))
    items = len(verdicts.item.names)
    return {
        "verdicts": len(rows),
        "items": items,
        "duplicates": len(rows) - len(once),
        "items_under_two_names": items - len({row.cluster for row in rows}),
        "groups": [_group(names, own, choices) for names, _, own in groups],
        "pairs": [*_pairs(groups)],
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


def _group(names: list[str], rows: list[Verdict], choices: Json) -> Json:
    equal, other, repeats = repeated(rows)
    figures = {**places(rows), **gold(rows), **said(rows), **humans(rows), **repeats}
    return {
        "settings": names,
        "verdicts": len(rows),
        "items": len({row.cluster for row in rows}),
        "equal_answers": equal,
        "equal_answers_other_verdict": other,
        "figures": {name: figure for name, figure in figures.items() if figure},
        "transfer": table(rows, choices.get("baseline"), choices.get("domains", ())),
    }


def _pairs(groups: list[tuple[list[str], Setting, list[Verdict]]]) -> Iterator[Json]:
    """Yield the agreement of every two judges that were asked the same with one prompt."""
    for (names, one, rows), (other_names, other, other_rows) in combinations(groups, 2):
        same = one.prompt.sha256 == other.prompt.sha256
        known = one.prompt.sha256 != UNKNOWN or one.prompt.name == other.prompt.name != UNKNOWN
        if one.judge.name == other.judge.name or not (same and known):
            continue
        shared = {row.answer for row in rows} & {row.answer for row in other_rows} - {None}
        said, other_said = _by_asking(rows, shared), _by_asking(other_rows, shared)
        tables, agreed = [], []
        for asked in said.keys() & other_said.keys():
            left, right = said[asked], other_said[asked]
            weight = len(left) * len(right)
            table = Counter((str(x.said), str(y.said)) for x in left for y in right)
            shares = {cell: count / weight for cell, count in table.items()}
            tables.append((left[0].cluster, shares))
            agreed.append((sum(v for (k, m), v in shares.items() if k == m), 1, left[0].cluster))
        if tables:
            figures = {"agreement": share(agreed), "kappa": kappa(tables)}
            yield {
                "settings": [names[0], other_names[0]],
                "items": len({cluster for cluster, _ in tables}),
                "shared_answers": len(shared),
                "figures": {name: figure for name, figure in figures.items() if figure},
            }


def _by_asking(rows: list[Verdict], shared: set[str | None]) -> dict[object, list[Verdict]]:
    found: dict[object, list[Verdict]] = {}
    for row in rows:
        if row.readable and row.answer not in shared:
            found.setdefault(row.asked, []).append(row)
    return found
