"""Every figure of `epc audit` a second time, in plain Python (Reading R77).

It shares no code with `epc.analysis` and no NumPy: verdicts are taken one by one, as the pages say.
"""

from collections.abc import Iterator
from itertools import combinations
from math import isclose
from statistics import fmean
from typing import Any, Final

from oracle.observed_figures import (
    answer_shares,
    confident,
    gold,
    humans,
    places,
    repeated,
    scored,
    scored_by_people,
)
from oracle.observed_lists import effect, of_lists, of_picks
from oracle.observed_pairs import Asked, pairs, self_preference
from oracle.observed_rows import Verdict, alike, in_pairs, pair_of, rows_of
from oracle.observed_sums import Json, average
from oracle.observed_transfer import table

from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.types import Header
from epc.spec.coupling import RULE

TOLERANCE: Final = 1e-12
_LEAST: Final = 10  # questions of a subset
_OF_SUBSET: Final = (
    *("accuracy", "accuracy_readable", "best", "ties", "unreadable"),
    *("repeat_consistency", "rearranged_consistency", "input_tokens", "output_tokens"),
)


def disagreements(document: Json, header: Header, verdicts: Verdicts) -> Iterator[tuple[str, str]]:
    """Yield where a report's JSON differs from what this implementation makes of the verdicts."""
    stated_transfers = [group["transfer"] for group in document["groups"] if group["transfer"]]
    of_this_rule = all(crossed.get("rule") == RULE for crossed in stated_transfers)
    repeated_document = measured(header, verdicts, document["choices"], crossing=of_this_rule)
    yield from _compared(repeated_document, document, "")


def measured(header: Header, verdicts: Verdicts, choices: Json, *, crossing: bool = True) -> Json:
    """Return every count, share and interval of a report, as its JSON has them.

    Of transfer the people's figures are not made again (Reading R77), and none without `crossing`:
    where a report is of an older rule.
    """
    rows = rows_of(verdicts)
    once: dict[object, Verdict] = {}
    for row in rows:
        arranged = row.stated["order"], row.stated["repeat"] or 0
        once.setdefault((row.stated["setting"], *row.asked, *arranged), row)
    by_setting: dict[str, list[Verdict]] = {name: [] for name in verdicts.setting.names}
    for row in once.values():
        by_setting[row.stated["setting"]].append(row)
    groups, whole = [], []
    for names in alike(header.settings):
        used = [name for name in names if name in by_setting]
        if used:
            rows_of_group = [
                row
                for name, ones in by_setting.items()
                for row in sorted(ones, key=lambda row: row.stated["repeat"] or 0)
                if name in used
            ]
            whole.append((used, header.settings[used[0]], rows_of_group))
    groups = [(used, setting, in_pairs(ones)) for used, setting, ones in whole]
    items = len(verdicts.item.names)
    return {
        "verdicts": len(rows),
        "items": items,
        "duplicates": len(rows) - len(once),
        "items_under_two_names": items - len({pair_of(row) for row in rows}),
        "groups": [
            _group(group, every, groups, choices, crossing=crossing)
            for group, (_, _, every) in zip(groups, whole, strict=True)
        ],
        "pairs": [*pairs(groups)],
        "effects": [*_effects(groups, whole)],
    }


def _effects(groups: list[Asked], whole_questions: list[Asked]) -> Iterator[Json]:
    """Yield what another prompt or another decoding changes in a judge."""
    for left_part, right_part in combinations(zip(groups, whole_questions, strict=True), 2):
        ((names, setting, left), (_, _, lists)), ((more, stated, right), (_, _, others)) = (
            left_part,
            right_part,
        )
        prompts, decodings = setting.prompt != stated.prompt, setting.decoding != stated.decoding
        if setting.judge != stated.judge or prompts == decodings or setting.note or stated.note:
            continue
        means = [_right_by_item(rows) for rows in (left, right)]
        gaps = [
            (c, means[1][item][1] - hit) for item, (c, hit) in means[0].items() if item in means[1]
        ]
        figures = {"accuracy": average(gaps), **effect(lists, others)}
        kept_figures = {name: figure for name, figure in figures.items() if figure}
        if kept_figures:
            yield {"settings": [names[0], more[0]], "figures": kept_figures}


def _right_by_item(rows: list[Verdict]) -> dict[object, tuple[object, float]]:
    """Return of each item its cluster, and the share of verdicts that are right."""
    hits: dict[object, list[Verdict]] = {}
    for row in rows:
        if row.stated["gold"] in {"a", "b"}:
            hits.setdefault(row.stated["item"], []).append(row)
    return {
        item: (ones[0].cluster, fmean(row.said == row.stated["gold"] for row in ones))
        for item, ones in hits.items()
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
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _compared(one, other, f"{where}/{index}")
    elif not (_close(ours, theirs) or ours == theirs):
        yield where, f"says {theirs}, by the second computation {ours}"


def _close(one: Any, other: Any) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers and isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _group(
    question: Asked,
    lists: list[Verdict],
    all_questions: list[Asked],
    choices: Json,
    *,
    crossing: bool,
) -> Json:
    names, setting, rows = question
    equal, other, _ = repeated(rows)
    asked = setting.asked or {}
    figures = {**places(rows), **humans(rows), **confident(rows)}
    figures |= (
        scored(rows)
        | scored_by_people(rows)
        | self_preference(question, all_questions, choices.get("same", {}))
    )
    figures |= _subset_figures(rows, lists, sum(asked.values()))
    transfer: Json = {}
    if crossing:
        transfer["transfer"] = table(rows, choices.get("baseline"), choices.get("domains", ()))
    subsets = {row.stated["subset"] for row in lists} - {None}
    by_subset: Json = {}
    for subset in subsets:
        in_subset, ones = (
            [row for row in side if row.stated["subset"] == subset] for side in (rows, lists)
        )
        if len({row.cluster for row in ones}) >= _LEAST:
            documents = _subset_figures(in_subset, ones, asked.get(subset, 0))
            by_subset[subset] = {
                name: figure
                for name, figure in documents.items()
                if figure and name.partition("/")[0] in _OF_SUBSET
            }
    return {
        "settings": names,
        "verdicts": len(lists),
        "items": len({row.cluster for row in lists}),
        "equal_answers": equal,
        "equal_answers_other_verdict": other,
        "figures": {name: figure for name, figure in figures.items() if figure},
        "by_subset": by_subset,
        **transfer,
    }


def _subset_figures(
    rows: list[Verdict], lists: list[Verdict], asked: int
) -> dict[str, Json | None]:
    """Return the figures that are stated of a subset too."""
    found = {**of_picks(lists), **of_lists(lists, asked)}
    for figures in (gold(rows), answer_shares(rows), repeated(rows)[2]):
        found |= {name: figure for name, figure in figures.items() if figure}
    for name in ("input_tokens", "output_tokens"):
        tokens = [(row.cluster, row.stated[name]) for row in lists]
        found[name] = average([(c, count) for c, count in tokens if count is not None])
    return found
