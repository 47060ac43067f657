"""What recorded verdicts say of transfer, and the persons beside the judge (Readings R70, R77)."""

from collections.abc import Iterator
from typing import Any

import pytest
from audit_support import fewer_wheels
from msgspec.structs import replace
from numpy.random import default_rng
from observed_support import report, verdict

from epc.analysis.verdicts_transfer import Transfer, _detectable
from epc.audit.resampled import Estimate
from epc.audit.transfer import Crossing, Crossings
from epc.records.verdicts.converting import digest

FLAT = Estimate(value=0.0, variance=None, of_halves=None, freedom=7)


def crossings(*variances: float | None) -> Crossings:
    """Return what crosses in both directions, with the variance of either regret."""
    first, second = (
        Crossing(redirected=FLAT, regret=replace(FLAT, variance=variance), harm=FLAT, crossing=FLAT)
        for variance in variances
    )
    return Crossings(into=(first, second), crossings=FLAT)


@pytest.mark.parametrize(
    ("variances", "expected"),
    [
        # By tables t is 1.89458 for 7 degrees of freedom and 0.1, and z is 0.84162 for 80%.
        ((0.0004, 0.0001), 0.02 * (1.89458 + 0.84162)),
        ((None, 0.0004), 0.02 * (1.89458 + 0.84162)),
        ((1e-6, 1e-6), 0.02 + 0.001 * 0.84162),  # the margin is more than its spread
        ((None, None), None),
    ],
)
def test_reading_r74_what_would_have_been_found_passes_the_margin_and_its_spread(
    variances: tuple[float | None, float | None], expected: float | None
) -> None:
    assert _detectable(crossings(*variances)) == pytest.approx(expected, abs=1e-6)


def judged(number: int, *, people: bool) -> Iterator[dict[str, Any]]:
    """Yield verdicts on three writers, of which each domain likes another."""
    rng = default_rng(number)
    for subset, rates in (("x", (0.9, 0.5, 0.3)), ("y", (0.3, 0.6, 0.8))):
        for writer, rate in zip("pqr", rates, strict=True):
            said, people_said = ("a" if rng.random() < rate else "b" for _ in range(2))
            yield verdict(
                f"{subset}{number}{writer}",
                "a",
                said,
                a_by=writer,
                b_by="base",
                subset=subset,
                question_sha256=digest(f"{subset}{number}"),
                **({"humans": (people_said,)} if people else {}),
            )


def transfer_of(*lines: dict[str, Any]) -> Transfer:
    (group,) = report(*lines).groups
    assert group.transfer is not None
    return group.transfer


@fewer_wheels()
def test_reading_r77_people_stand_beside_the_judge_on_what_they_judged_alone() -> None:
    by_both = [line for number in range(5) for line in judged(number, people=True)]
    by_the_judge = [line for number in range(5, 9) for line in judged(number, people=False)]

    transfer, further_transfer = transfer_of(*by_both), transfer_of(*by_both, *by_the_judge)

    assert (transfer.domains, further_transfer.domains) == ({"x": 5, "y": 5}, {"x": 9, "y": 9})
    assert transfer.people is not None
    assert further_transfer.people == transfer.people
    assert transfer_of(*by_the_judge).people is None


@fewer_wheels()
def test_reading_r77_a_pair_that_no_person_judged_is_left_out_of_its_task_as_well() -> None:
    lines = [line for number in range(5) for line in judged(number, people=True)]
    first, remaining_lines = lines[0], lines[1:]
    unseen = {key: value for key, value in first.items() if key != "humans"}

    reduced_people = transfer_of(*remaining_lines).people
    assert reduced_people is not None
    assert transfer_of(*remaining_lines, unseen).people == reduced_people
    assert transfer_of(*remaining_lines, first).people != reduced_people
