"""EPC-2.1 and EPC-2.3: the four phases as generators."""

from collections.abc import Callable, Iterable

import pytest

from epc.protocol.draws import Turn, turns
from epc.protocol.phases import Comparison, Outcome, drive, measure, run_phase
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, uniform
from epc.spec.domains import PhaseName
from epc.spec.epc_v1 import PHASES

RULE = UpdateRule()
FIXED = [Turn(strategy=0), Turn(strategy=1)]
EVERY: dict[PhaseName, list[Turn]] = {phase.name: FIXED for phase in PHASES}


def following_verdicts(verdicts: Iterable[Verdict]) -> Callable[[Comparison], Verdict]:
    """Answer with these verdicts, in this order."""
    following = iter(verdicts)
    return lambda _: next(following)


def play(verdicts: list[Verdict]) -> Outcome:
    return drive(measure(EVERY, strategies=2, rule=RULE), following_verdicts(verdicts))


def test_epc_2_1_phases_run_in_order_and_ask_for_one_comparison_a_round() -> None:
    measurement = measure(EVERY, strategies=2, rule=RULE)
    comparisons = [next(measurement)]
    comparisons.extend(measurement.send(Verdict.TIE) for _ in range(7))
    asked = [(c.phase.name, c.round, c.strategy) for c in comparisons]
    with pytest.raises(StopIteration):
        measurement.send(Verdict.TIE)

    assert asked == [
        (name, number, number)
        for name in ("text", "visual", "text_to_visual", "visual_to_text")
        for number in (0, 1)
    ]


def test_reading_r1_coupled_phases_start_from_the_pure_ends() -> None:
    # Only the first round of `text` is decided: strategy 0 wins once, from one half each.
    won = (0.58 / 1.08, 0.5 / 1.08)

    ends = play([Verdict.A] + [Verdict.TIE] * 7)

    assert ends["text"].weights == won
    assert ends["text_to_visual"].weights == won  # continues text
    assert ends["visual"].weights == (0.5, 0.5)
    assert ends["visual_to_text"].weights == (0.5, 0.5)  # continues visual


def test_epc_2_6_c_a_tie_moves_nothing_and_uses_its_round_up() -> None:
    ends = play([Verdict.TIE] * 8)

    for phase in PHASES:
        assert ends[phase.name].weights == uniform(2)
        assert ends[phase.name].verdicts == {
            Verdict.A: 0,
            Verdict.B: 0,
            Verdict.TIE: 2,
            Verdict.MISSING: 0,
        }


def test_reading_r4_a_tie_does_not_renormalise() -> None:
    start = (0.1,) * 10  # sums to less than 1 in doubles; renormalising would change its bits

    end = run_to_end(start, [Verdict.TIE])

    assert end == start


def run_to_end(start: tuple[float, ...], verdicts: list[Verdict]) -> tuple[float, ...]:
    phase = run_phase(PHASES[0], start, [Turn(strategy=0)] * len(verdicts), RULE)
    return drive(phase, following_verdicts(verdicts)).weights


def test_reading_r6_the_baseline_against_itself_runs_like_any_other() -> None:
    assert run_to_end((0.5, 0.5), [Verdict.A]) == (0.58 / 1.08, 0.5 / 1.08)


def test_epc_2_3_no_rounds_end_where_they_start() -> None:
    nothing: dict[PhaseName, list[Turn]] = {phase.name: [] for phase in PHASES}

    ends = drive(measure(nothing, strategies=3, rule=RULE), following_verdicts(()))

    assert {end.weights for end in ends.values()} == {uniform(3)}


def test_epc_2_3_1_the_wheel_is_spun_with_the_weights_of_the_moment() -> None:
    # Strategy 0 of two: u = 0.52 misses it at one half, and hits it at 0.58/1.08 = 0.537.
    spun = [Turn(strategy=0), Turn(u_strategy=0.52)]
    phase = run_phase(PHASES[0], (0.5, 0.5), spun, RULE)
    next(phase)

    assert phase.send(Verdict.A).strategy == 0

    phase = run_phase(PHASES[0], (0.5, 0.5), spun, RULE)
    next(phase)

    assert phase.send(Verdict.TIE).strategy == 1


def test_epc_2_3_e_a_replay_of_recorded_draws_is_the_run_itself() -> None:
    drawn: dict[PhaseName, list[Turn]] = {
        phase.name: list(turns(5, phase.stream, 30)) for phase in PHASES
    }
    verdicts = [Verdict.A, Verdict.B, Verdict.TIE] * 40

    once = drive(measure(drawn, strategies=11, rule=RULE), following_verdicts(verdicts))
    again = drive(measure(drawn, strategies=11, rule=RULE), following_verdicts(verdicts))

    assert once == again
