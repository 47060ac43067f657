"""Every figure of `epc observe report` a second time, in plain Python (Reading R77).

It shares no code with `epc.analysis` and no NumPy: verdicts are taken one by one, as the pages say.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import combinations
from math import isclose
from typing import Any, Final

from epc.errors import Finding
from epc.records.observed.columns import Verdicts
from epc.records.observed.types import UNKNOWN, Header, Setting
from epc.second.observed_sums import Json, Seen, linear, share

CLAUSE: Final = "Reading R77"
TOLERANCE: Final = 1e-12
_CHOICES: Final = ("a", "b", "tie")
_LONG: Final = 100
_REMEDY: Final = "measure the verdict file again; if that agrees with itself, report a fault of epc"
_FIELDS: Final = (
    *("item", "setting", "first", "repeat", "gold", "humans", "verdict", "a_score", "b_score"),
    *("question_sha256", "a_sha256", "b_sha256", "a_length", "b_length"),
    *("answer_sha256", "answer_length"),
)


@dataclass(slots=True)
class _Verdict:
    """One verdict, with its cluster: items of one question and pair are one."""

    stated: Json
    cluster: object
    said: str | None
    longer: str | None
    answer: str | None

    @property
    def decided(self) -> bool:
        return self.said in {"a", "b"}

    @property
    def readable(self) -> bool:
        return self.said in _CHOICES

    @property
    def asked(self) -> tuple[object, ...]:
        return self.stated["item"], self.stated["first"]


def disagreements(
    document: Json, header: Header, verdicts: Verdicts, patterns: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield where a report's JSON differs from what this implementation makes of the verdicts."""
    for where, problem in _compared(measured(header, verdicts, patterns), document, ""):
        yield Finding(clause=CLAUSE, where=where, problem=problem, remedy=_REMEDY)


def measured(header: Header, verdicts: Verdicts, patterns: Sequence[str] = ()) -> Json:
    """Return every count, share and interval of a report, as its JSON has them."""
    rows = _rows(verdicts)
    once: dict[object, _Verdict] = {}
    for row in rows:
        once.setdefault((row.stated["setting"], *row.asked, row.stated["repeat"] or 0), row)
    by_setting: dict[str, list[_Verdict]] = {name: [] for name in verdicts.setting.names}
    for row in once.values():
        by_setting[row.stated["setting"]].append(row)
    groups = []
    for names in _alike(header.settings):
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
        "groups": [_group(names, own) for names, _, own in groups],
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


def _rows(verdicts: Verdicts) -> list[_Verdict]:
    columns = {}
    for name in _FIELDS:
        column = getattr(verdicts, name)
        columns[name] = [column.names[c] if c >= 0 else None for c in column.codes.tolist()]
    clusters: dict[str, object] = {}
    found = []
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(_FIELDS, values, strict=True))
        pair = (row["question_sha256"], row["a_sha256"], row["b_sha256"])
        known = None not in pair
        cluster = (pair[0], *sorted(pair[1:])) if known else row["item"]
        found.append(
            _Verdict(
                stated=row,
                cluster=clusters.setdefault(row["item"], cluster),
                said=row["verdict"] or _higher(row["a_score"], row["b_score"], "tie"),
                longer=_higher(row["a_length"], row["b_length"], None),
                answer=row["answer_sha256"] if (row["answer_length"] or 0) >= _LONG else None,
            )
        )
    return found


def _higher(a: float | None, b: float | None, equal: str | None) -> str | None:
    if a is None or b is None:
        return None
    return equal if a == b else "a" if a > b else "b"


def _alike(settings: Any) -> list[list[str]]:
    """Return the names that stand for one judge, one known prompt, one decoding and one date."""
    groups: list[tuple[Any, list[str]]] = []
    for name, each in sorted(settings.items()):
        known = each.prompt.sha256 != UNKNOWN
        own = (each.judge, each.prompt.sha256, each.decoding, each.date, each.note)
        key = own if known else name
        for other, names in groups:
            if other == key:
                names.append(name)
                break
        else:
            groups.append((key, [name]))
    return [names for _, names in groups]


def _group(names: list[str], rows: list[_Verdict]) -> Json:
    equal, other, repeats = _repeated(rows)
    figures = {**_places(rows), **_gold(rows), **_said(rows), **_humans(rows), **repeats}
    return {
        "settings": names,
        "verdicts": len(rows),
        "items": len({row.cluster for row in rows}),
        "equal_answers": equal,
        "equal_answers_other_verdict": other,
        "figures": {name: figure for name, figure in figures.items() if figure},
    }


def _places(rows: list[_Verdict]) -> dict[str, Json | None]:
    plain = {_asking(row): row for row in rows if row.stated["first"] == "a"}
    both = [
        (plain[_asking(row)], row)
        for row in rows
        if row.stated["first"] == "b" and _asking(row) in plain
    ]
    seen: dict[str, list[Seen]] = {"all": [], "readable": [], "first": []}
    for one, other in both:
        same = float(one.readable and one.said == other.said)
        seen["all"].append((same, 1, one.cluster))
        if one.readable and other.readable:
            seen["readable"].append((same, 1, one.cluster))
        if one.decided and other.decided:
            seen["first"].append(((one.said == "a") / 2 + (other.said == "b") / 2, 1, one.cluster))
    return {
        "place_consistency": share(seen["all"]),
        "place_consistency_readable": share(seen["readable"]),
        "first_place": share(seen["first"]),
    }


def _asking(row: _Verdict) -> object:
    return row.stated["setting"], row.stated["item"], row.stated["repeat"] or 0


def _gold(rows: list[_Verdict]) -> dict[str, Json | None]:
    seen: dict[str, list[Seen]] = {"": [], "_gold_first": [], "_gold_second": []}
    for row in rows:
        gold, first = row.stated["gold"], row.stated["first"]
        if gold in {"a", "b"}:
            hit: Seen = (float(row.said == gold), 1, row.cluster)
            seen[""].append(hit)
            if first is not None:
                seen["_gold_first" if first == gold else "_gold_second"].append(hit)
    return {f"accuracy{name}": share(each) for name, each in seen.items()}


def _said(rows: list[_Verdict]) -> dict[str, Json | None]:
    stated = [row for row in rows if row.said]
    won = [
        (float(row.said == row.longer), row.stated["gold"] == row.longer, row)
        for row in stated
        if row.decided and row.longer
    ]
    held = None
    golden = [each for each in won if each[2].stated["gold"] in {"a", "b"}]
    sides = [[each for each in golden if each[1] is better] for better in (True, False)]
    if all(sides):
        means = [sum(hit for hit, _, _ in side) / len(side) for side in sides]
        moves = [
            (row.cluster, (hit - mean) / len(side) / 2)
            for mean, side in zip(means, sides, strict=True)
            for hit, _, row in side
        ]
        held = linear(sum(means) / 2, moves, len(moves), (0.0, 1.0))
    return {
        "ties": share([(row.said == "tie", 1, row.cluster) for row in stated]),
        "unreadable": share([(row.said == "unreadable", 1, row.cluster) for row in stated]),
        "longer": share([(hit, 1, row.cluster) for hit, _, row in won]),
        "longer_by_gold": held,
    }


def _humans(rows: list[_Verdict]) -> dict[str, Json | None]:
    seen: dict[str, list[Seen]] = {
        name: [] for name in ("mean", "mean_ceiling", "majority", "others", "others_ceiling")
    }
    tables = []
    for row in rows:
        persons, cluster = row.stated["humans"] or (), row.cluster
        if not persons or row.said is None:
            continue
        n = len(persons)
        seen["mean"].append((persons.count(row.said) / n, 1, cluster))
        if n > 1:
            alike = sum(one == other for one, other in combinations(persons, 2))
            seen["mean_ceiling"].append((alike / (n * (n - 1) / 2), 1, cluster))
        majority = _majority(persons)
        if majority:
            seen["majority"].append((row.said == majority, 1, cluster))
            if row.readable:
                tables.append((cluster, {(majority, str(row.said)): 1.0}))
        for at, person in enumerate(persons):
            others = _majority(persons[:at] + persons[at + 1 :])
            if others:
                seen["others"].append((row.said == others, 1, cluster))
                seen["others_ceiling"].append((person == others, 1, cluster))
    found = {f"humans_{name}": share(each) for name, each in seen.items()}
    return {**found, "humans_kappa": _kappa(tables)}


def _majority(persons: Sequence[str]) -> str | None:
    ranked = Counter(persons).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _kappa(tables: list[tuple[object, dict[tuple[str, str], float]]]) -> Json | None:
    """Return Cohen's kappa of tables that each add up to 1, and its slope in every cell."""
    if not tables:
        return None
    n = len(tables)
    whole = {(k, m): 0.0 for k in _CHOICES for m in _CHOICES}
    for _, table in tables:
        for cell, value in table.items():
            whole[cell] += value / n
    rows = {k: sum(whole[k, m] for m in _CHOICES) for k in _CHOICES}
    columns = {m: sum(whole[k, m] for k in _CHOICES) for m in _CHOICES}
    seen = sum(whole[k, k] for k in _CHOICES)
    chance = sum(rows[k] * columns[k] for k in _CHOICES)
    left = 1 - chance
    if left <= 1e-12:  # noqa: PLR2004  (what rounding leaves)
        return None
    slope = {
        (k, m): ((k == m) * left - (1 - seen) * (columns[k] + rows[m])) / left**2 for k, m in whole
    }
    mean = sum(slope[cell] * whole[cell] for cell in whole)
    moves = [
        (cluster, (sum(slope[cell] * value for cell, value in table.items()) - mean) / n)
        for cluster, table in tables
    ]
    return linear((seen - chance) / left, moves, n, (-1.0, 1.0))


def _repeated(rows: list[_Verdict]) -> tuple[int, int, dict[str, Json | None]]:
    asked: dict[object, list[_Verdict]] = {}
    for row in rows:
        if row.readable:
            asked.setdefault(row.asked, []).append(row)
    every: list[Seen] = []
    fresh: list[Seen] = []
    copied = contrary = 0
    for ones in asked.values():
        for one, other in combinations(ones, 2):
            pair: Seen = (one.said == other.said, 1, one.cluster)
            every.append(pair)
            if one.answer is None or one.answer != other.answer:
                fresh.append(pair)
            else:
                copied += 1
                contrary += one.said != other.said
    figures = {"repeat_consistency": share(fresh), "repeat_consistency_all": share(every)}
    return copied, contrary, figures


def _pairs(groups: list[tuple[list[str], Setting, list[_Verdict]]]) -> Iterator[Json]:
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
            figures = {"agreement": share(agreed), "kappa": _kappa(tables)}
            yield {
                "settings": [names[0], other_names[0]],
                "items": len({cluster for cluster, _ in tables}),
                "shared_answers": len(shared),
                "figures": {name: figure for name, figure in figures.items() if figure},
            }


def _by_asking(rows: list[_Verdict], shared: set[str | None]) -> dict[object, list[_Verdict]]:
    found: dict[object, list[_Verdict]] = {}
    for row in rows:
        if row.readable and row.answer not in shared:
            found.setdefault(row.asked, []).append(row)
    return found
