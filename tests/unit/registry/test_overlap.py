"""Whether two measurements agree more than their evaluator agrees with itself."""

import pytest

from epc.registry.overlap import Repeats


@pytest.mark.parametrize(
    ("kept", "asked", "share", "often"),
    [
        (80, 100, 173 / 176, "more than"),  # 80 of 100: at most 0.87
        (80, 100, 0.8, "no more than"),
        (80, 100, 0.5, "less than"),
        (20, 20, 1.0, "no more than"),  # an honest repetition at temperature 0
        (20, 20, 0.5, "less than"),
        (1, 1, 1.0, "no more than"),  # one question asked again shows nothing
    ],
)
def test_overlap_is_judged_by_the_evaluators_own_repeat_rate(
    kept: int, asked: int, share: float, often: str
) -> None:
    repeats = Repeats(kept=kept, asked=asked)

    assert repeats.judged(share) == f"{often} it agrees with itself, {kept} of {asked} asked again"
    assert repeats.is_exceeded_by(share) is (often == "more than")
