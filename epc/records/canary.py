"""The manifest's `canary`: what an evaluator said to one panel, again and again (Reading R76).

The panel stands outside the measurement: nothing of it is in the raw files, and how often it was
asked depends on how often the run was interrupted. Everything else follows from the answers: it is
asked twice before the run, so that its evaluator's own flips are seen and nothing is assumed of
them, and once more at each look. How often one of a pair's three answers stands alone then says
whether the look's are of the same evaluator (`epc.statistics.e_process`).
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from epc.protocol.verdict import parse_verdict
from epc.records.findings import Findings
from epc.records.strict_json import disagreements
from epc.records.typed import as_json
from epc.statistics.e_process import odd_ones, p_odd

When = Literal["start", "resume", "end"]
PAIRS: Final = 24
ERROR: Final = 0.025  # Reading R76: one false alarm in 40 runs at most, over all looks of a run
TWICE: Final = 2  # how often the panel is asked at the start
_CLAUSE: Final = "Reading R76"
_RESTORE: Final = "restore the manifest as it was written"
_KEPT: Final = 80  # characters of an answer


class CanaryPanel(Struct, frozen=True, kw_only=True):
    """The panel as it was asked once: the first and the last answer's time, and all answers."""

    when: When
    first_at: str
    last_at: str
    answers: tuple[str, ...]
    served_models: tuple[str, ...]
    system_fingerprints: tuple[str, ...]


class CanaryLook(Struct, frozen=True, kw_only=True):
    """What a later panel came to beside the first two.

    `panel` is its place in `panels`; None is the run whose answers were taken over. `told` counts
    the pairs in which one of the three answers stands alone, `odd` those in which it is the look's.
    The evaluator `departed` if `p_value` is at most `level`.
    """

    panel: int | None
    told: int
    odd: int
    p_value: float
    level: float
    departed: bool


class Canary(Struct, frozen=True, kw_only=True):
    """All panels of a run, and whether the evaluator `departed` from the first at any look.

    `false_alarms` is the most that the chance of a false one may be. `before` holds what the run
    whose answers were taken over was answered, None where it was not asked a pair.
    """

    false_alarms: float
    panels: tuple[CanaryPanel, ...]
    looks: tuple[CanaryLook, ...]
    departed: bool
    before: tuple[str | None, ...] | None = None


def kept(answer: str) -> str:
    """Return as much of an answer as is kept: a verdict is a letter."""
    return answer[:_KEPT]


def canary(panels: Sequence[CanaryPanel], before: Sequence[str | None] | None = None) -> Canary:
    """Return what panels come to; the first two are those of the start, if they are there."""
    looks = tuple(_looks(panels, before)) if len(panels) >= TWICE else ()
    return Canary(
        false_alarms=ERROR,
        panels=tuple(panels),
        looks=looks,
        departed=any(each.departed for each in looks),
        before=None if before is None else tuple(before),
    )


def check_canary(stated: Canary, findings: Findings, where: str = "/canary") -> None:
    """Note what of a canary does not follow from its answers, and an evaluator that departed."""
    numbers = {len(panel.answers) for panel in stated.panels}
    if stated.before is not None:
        numbers.add(len(stated.before))
    if len(numbers) > 1:
        findings.add(_CLAUSE, f"{where}/panels", "not one number of pairs", _RESTORE)
        return
    expected = canary(stated.panels, stated.before)
    for json_pointer in disagreements(as_json(expected), as_json(stated)):
        findings.add(
            _CLAUSE, f"{where}{json_pointer}", "does not follow from the answers", _RESTORE
        )
    if stated.departed:
        remedy = "its figures are of two models: measure again, with a pinned version if there is"
        findings.add(_CLAUSE, f"{where}/departed", in_words(stated), remedy, "warning")


def in_words(stated: Canary) -> str:
    """Return what the canary found as one sentence without its end."""
    pairs = len(stated.panels[0].answers)
    if not stated.departed:
        return f"{pairs} pairs asked {len(stated.panels)} times: no sign of another evaluator"
    worst = min((each for each in stated.looks if each.departed), key=lambda each: each.p_value)
    if worst.panel is None:
        pairs -= (stated.before or ()).count(None)
        what = "the run whose answers are taken over had another evaluator"
    else:
        at = stated.panels[worst.panel]
        what = f"another evaluator answered at the {_WHEN[at.when]} ({at.first_at})"
    return (
        f"{what}: {worst.odd} of {pairs} pairs got another verdict than twice at the start "
        f"(p {worst.p_value:.2g})"
    )


_WHEN: Final[dict[When, str]] = {
    "start": "start",
    "resume": "beginning of a later session",
    "end": "end",
}


def _looks(
    panels: Sequence[CanaryPanel], before: Sequence[str | None] | None
) -> Iterator[CanaryLook]:
    others: list[tuple[int | None, Sequence[str | None]]] = [
        (index, panel.answers) for index, panel in enumerate(panels) if index >= TWICE
    ]
    if before is not None:
        others.insert(0, (None, before))
    start = [_verdicts(panel.answers) for panel in panels[:TWICE]]
    for number, (index, answers) in enumerate(others, 1):
        known = [row for row in zip(_verdicts(answers), *start, strict=True) if "" not in row]
        odd, told = odd_ones(known)
        p_value, level = p_odd(odd, told), level_of(number)
        yield CanaryLook(
            panel=index,
            told=told,
            odd=odd,
            p_value=p_value,
            level=level,
            departed=p_value <= level,
        )


def level_of(number: int) -> float:
    """Return the error rate of one look of a run, which are numbered from 1.

    The k-th has ERROR / (k (k + 1)): together they have no more than ERROR, however many there are.
    """
    return ERROR / (number * (number + 1))


def _verdicts(answers: Sequence[str | None]) -> list[str]:
    """Return answers as verdicts, empty where a pair was not asked."""
    return ["" if answer is None else parse_verdict(answer).value for answer in answers]
