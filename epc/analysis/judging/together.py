"""Several judges of one evaluation set, each of an evaluation of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from epc.analysis.judging.agreement import between_judges, over_readable
from epc.analysis.judging.drift import Evaluated, conditions
from epc.analysis.judging.results import Agreement, Evidence, SelfPreference, Share
from epc.analysis.judging.self_preference import self_preferences
from epc.analysis.judging.shares import counted, evidence
from epc.audit.competence import Word
from epc.spec.judge_v1 import CROSS
from epc.statistics.figures import Mean

_MOST: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """What tests said of a judge: the word, and of how many spoilt texts it saw that they are."""

    word: Word
    detected: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedWithPeople:
    """How a judge agrees with people, over `outputs` that both have judged."""

    outputs: int
    same_verdict: Share
    kappa: Mean | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What was published of a judge beside its evaluation; None where there is nothing."""

    competence: Detected | None
    labels: AgreedWithPeople | None


_NOTHING: Final = Tested(competence=None, labels=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfSeveral:
    """A judge beside the others.

    `unlike` names in what it was asked otherwise than the first; then its scores are not compared.
    `failed` says why its evaluations are no evidence, or too few. `tested` is what else is known.
    """

    name: str
    judge: str
    samples: int
    valid: int
    invalid: Share
    evidence: Evidence | None
    self_preference: SelfPreference | None
    unlike: tuple[str, ...]
    failed: str | None
    tested: Tested


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Several judges of one evaluation set, and how those agree who were asked alike."""

    judges: tuple[OneOfSeveral, ...]
    agreement: Agreement
    readable: Agreement


def together(evaluations: Iterable[Evaluated], tests: Mapping[str, Tested]) -> Together:
    """Return how judges of one set stand beside each other; the first is who is looked at.

    Each evaluation has one judge, and each judge one evaluation. `tests` are what else is known, by
    the name of the evaluation. Agreement and self-preference are
    of those who were asked as the first was (Reading R27).
    """
    first, *others = evaluations
    unlike = {one.name: _unlike(first, one) for one in others}
    alike = [first, *(one for one in others if not unlike[one.name])]
    judgments = [judgment for one in alike for judgment in one.judgments]
    favours = {preference.judge: preference for preference in self_preferences(judgments)}
    return Together(
        judges=tuple(
            _one(one, favours, unlike.get(one.name, ()), tests) for one in (first, *others)
        ),
        agreement=between_judges(judgments),
        readable=over_readable(judgments),
    )


def _one(
    one: Evaluated,
    favours: Mapping[str, SelfPreference],
    unlike: tuple[str, ...],
    tests: Mapping[str, Tested],
) -> OneOfSeveral:
    group = counted([judgment for judgment in one.judgments if judgment.method == CROSS])
    judge = one.plan.judges[0].model
    share = group.invalid.value
    failed = None
    if not group.valid:
        failed = "none of its evaluations is valid"
    elif share is not None and share > _MOST:
        failed = "more than half of its evaluations are invalid"
    return OneOfSeveral(
        name=one.name,
        judge=judge,
        samples=group.samples,
        valid=group.valid,
        invalid=group.invalid,
        evidence=next(iter(evidence(one.judgments)), None) if one.plan.rules > 1 else None,
        self_preference=None if unlike else favours.get(judge),
        unlike=unlike,
        failed=failed,
        tested=tests.get(one.name, _NOTHING),
    )


def _unlike(first: Evaluated, other: Evaluated) -> tuple[str, ...]:
    stated, theirs = (
        conditions(one.plan, one.plan.judges[0].model, CROSS) for one in (first, other)
    )
    return tuple(name for name, value in stated.items() if theirs[name] != value)
