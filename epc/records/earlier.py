"""Records of earlier forms and rules, read as today's: no other module knows that there were any.

Manifests that state no schema version are of the first one. The word of an audit had other rules
before, and so had the clusters of recorded verdicts. A word of an earlier rule is text that its
record's digest verifies: nobody computes that rule any more. All other figures are computed again,
those of recorded verdicts with the intervals that they were published with.

Sources: Readings R71, R90 and R102.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from epc.arrays import Codes, np
from epc.protocol.results import Json
from epc.spec.coupling import RULE
from epc.spec.epc_v1 import MIN_TASKS
from epc.statistics.earlier import INTERVALS as EARLIER
from epc.statistics.observed import TODAY, Intervals

if TYPE_CHECKING:
    from epc.records.verdicts.columns import Verdicts

RULES: Final[Mapping[int, tuple[date, str]]] = {
    1: (date(2026, 11, 22), "asked something else: whether verdicts differ between the domains"),
    2: (date(2026, 11, 23), "asked the same with other estimates and intervals"),
    3: (date(2026, 11, 25), "asked the same, without a look for copies among the tasks"),
}
_FIGURES: Final = 3  # the first rule whose figures are today's
_LATER: Final = ("transfer", "length_correlation")  # what summaries of the first version lack
_OF_THE_WORD: Final = ("word", "carried")  # of a published rule's, which nobody computes again
_FEW_TASKS: Final = "AltTasks"
_SINCE: Final = 3  # the first rule of recorded verdicts with today's intervals (Reading R102)
# Reading R101: thresholds of confidence that a published record says it has none of.
_GONE: Final = ("threshold", "kept")


class EarlierWord(Struct, frozen=True, kw_only=True):
    """The word of an audit as it was published under an earlier rule, whose first day is `day`."""

    word: str
    rule: int
    day: date
    question: str

    def __str__(self) -> str:
        """Return the word with its rule's number and date."""
        return f"{self.word} (rule {self.rule}, {self.day})"


def earlier_word(word: str, rule: int) -> EarlierWord | None:
    """Return a published word if its rule is not today's."""
    if rule == RULE:
        return None
    day, question = RULES[rule]
    return EarlierWord(word=word, rule=rule, day=day, question=question)


def current(document: Json) -> Json:
    """Return a manifest in today's form, without the figures behind a word of an earlier rule."""
    if _is_first(document):
        document = {**document, **_tag(document)}
    match document:
        case {"results": {"summary": {"transfer": {"rule": rule}} as summary} as results} if (
            rule < _FIGURES
        ):
            earlier_summary = {key: part for key, part in summary.items() if key != "transfer"}
            return {**document, "results": {**results, "summary": earlier_summary}}
    return document


def published_summary(recomputed: Json, document: Json) -> Json:
    """Return a recomputed summary as a manifest's form and rule have it, to be compared."""
    if _is_first(document):
        return {key: part for key, part in recomputed.items() if key not in _LATER}
    match document:
        case {"results": {"summary": {"transfer": {"rule": rule} as transfer}}} if rule < _FIGURES:
            return {**recomputed, "transfer": transfer}
    match recomputed, document:
        case {"transfer": dict() as transfer}, {
            "results": {"summary": {"transfer": {"rule": rule}}}
        }:
            return {**recomputed, "transfer": {**transfer, "rule": rule}}
    return recomputed


def published_counts(counted: Json, published: Json) -> Json:
    """Return what was counted of a run's calls, without what nobody counted then."""
    if "origins" in published:
        return counted
    return {key: count for key, count in counted.items() if key != "no_answer"}


def _is_first(document: Json) -> bool:
    return "schema_version" not in document


def _tag(document: Json) -> Json:
    """Return today's tag of a manifest of few tasks, for which the first version had no label."""
    match document:
        case {"protocol_version": str(tag), "tasks": dict(tasks)} if (
            _FEW_TASKS not in tag and min(map(len, tasks.values())) < MIN_TASKS
        ):
            joined = "+" if "-Alt" in tag else "-"
            return {"protocol_version": f"{tag}{joined}{_FEW_TASKS}"}
    return {}


def keep_published(recomputed: Json, document: Json) -> None:
    """Cut recomputed figures of recorded verdicts to those that a record knows.

    A figure of which a group says neither the value nor why it has none was not measured then.
    """
    _drop(recomputed, document)
    match document:
        case {"rule": int(rule)} if rule < _SINCE:
            recomputed |= {"rule": rule}
    match recomputed, document:
        case {"groups": groups}, {"groups": published}:
            for group, published_group in zip(groups, published, strict=False):
                _keep_group(group, published_group)


def _keep_group(recomputed: Json, published: Json) -> None:
    _drop(recomputed, published)
    match recomputed, published:
        case {"figures": dict() as figures, "left_out": dict() as missing}, {
            "figures": dict() as stated,
            "left_out": dict() as stated_missing,
        }:
            for part in (figures, missing):
                _drop(part, {*stated, *stated_missing})
            missing |= {name: stated_missing[name] for name in _GONE if name in stated_missing}
    match recomputed, published:
        case {"transfer": dict() as transfer}, {"transfer": {"rule": rule, **known}} if (
            rule >= _FIGURES
        ):
            _drop(transfer, {"rule", *map(str, known)})
            if rule < RULE:
                parts = {key: part for key, part in known.items() if key in _OF_THE_WORD}
                transfer |= {**parts, "rule": rule}
        case _, {"transfer": dict() as transfer}:
            recomputed |= {"transfer": transfer}


def _drop(part: Json, known_names: Collection[str]) -> None:
    for name in [*part]:
        family = name.partition("/")[0]
        if name not in known_names and family not in known_names:
            del part[name]


def published_intervals(figures: Json) -> Intervals:
    """Return how intervals of published figures were computed: as today from rule 3 on."""
    match figures:
        case {"rule": int(rule)} if rule >= _SINCE:
            return TODAY
    return EARLIER


Clusters = Callable[["Verdicts"], tuple[Codes, Codes]]  # the cluster and the unit of each verdict


def published_clusters(figures: Json) -> Clusters | None:
    """Return by which clusters published figures were computed; None where it is today's way."""
    return None if "rule" in figures else _by_candidate


def _by_candidate(verdicts: "Verdicts") -> tuple[Codes, Codes]:
    """Return items of one question joined where they share a candidate; no verdict has a unit.

    Such items are no independent ones: a judge that likes the candidate likes it in all of them.
    The same pair mirrored, or under another number, is among these.
    """
    from epc.records.verdicts.columns import texts_of

    item, question, pair = texts_of(verdicts)
    shared = np.stack([np.tile(question, 2), pair.reshape(-1)])
    _, keys = np.unique(shared, axis=1, return_inverse=True)
    left, right = keys.reshape(2, -1)
    cluster = np.arange(len(question))
    while True:  # the lowest number goes round among all that share something
        lowest = np.full(int(keys.max(initial=0)) + 1, len(question))
        for side in (left, right):
            np.minimum.at(lowest, side, cluster)
        joined = np.minimum(lowest[left], lowest[right])
        if (joined == cluster).all():
            break
        cluster = joined
    return np.asarray(cluster[item], np.int64), np.full(len(item), -1)


def is_seal(row: Any) -> bool:
    """Return whether an event seals evaluators' records, as was done before git alone kept them."""
    return isinstance(row, dict) and ("event", "lives_sealed") in row.items()
