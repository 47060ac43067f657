"""EPC-2.1 and EPC-2.3 for many seeds at once: the very steps of the protocol's generator."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epc.protocol.batch_replay import Known, play, run_course
from epc.protocol.draws import pick_task, turns
from epc.protocol.phases import Comparison, Outcome, drive, measure
from epc.protocol.rules import Bayes, BradleyTerry, Rule, Thompson
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, choose
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS, PHASES

Met = list[tuple[str, int, int]]
SAID: st.SearchStrategy[Verdict | None] = st.sampled_from(list(Verdict))
RULES = st.builds(
    UpdateRule,
    alpha_win=st.floats(0, 2),
    alpha_lose=st.floats(0, 2),
    weight_floor=st.floats(1e-6, 0.2),
)


@st.composite
def known_verdicts(draw: st.DrawFn) -> dict[Domain, list[list[Verdict | None]]]:
    """Every verdict of some strategies, on as many tasks in each domain as it happens."""
    strategies = draw(st.integers(1, 12))
    tables: dict[Domain, list[list[Verdict | None]]] = {}
    for domain in ("text", "visual"):
        tasks = draw(st.integers(1, 5))
        row = st.lists(SAID, min_size=tasks, max_size=tasks)
        tables[domain] = draw(st.lists(row, min_size=strategies, max_size=strategies))
    return tables


def one_by_one(seed: int, rounds: int, known: Known, rule: Rule) -> tuple[Outcome, Met]:
    """Run one seed through the generator; return its end and what its rounds were about."""
    met: Met = []

    def answer(asked: Comparison) -> Verdict:
        table = known[asked.phase.domain]
        task = pick_task(asked.turn.u_task or 0.0, len(table[0]))
        met.append((asked.phase.name, asked.strategy, task))
        verdict = table[asked.strategy][task]
        assert verdict is not None
        return verdict

    drawn = {phase.name: turns(seed, phase.stream, rounds) for phase in PHASES}
    ended = drive(measure(drawn, strategies=len(known["text"]), rule=rule), answer)
    return ended, met


@settings(deadline=None)
@given(
    known=known_verdicts(),
    rule=st.one_of(st.sampled_from([UpdateRule(), Bayes(), BradleyTerry(), Thompson()]), RULES),
    rounds=st.integers(0, 40),
    seeds=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4, unique=True),
)
def test_epc_2_3_many_seeds_in_step_end_where_each_alone_does_to_the_last_bit(
    known: Known, rule: Rule, rounds: int, seeds: Sequence[int]
) -> None:
    course = run_course(seeds, rounds, known, rule)

    alone = [one_by_one(seed, rounds, known, rule) for seed in seeds]
    assert course is not None
    assert course.outcomes() == [ended for ended, _ in alone]
    first_met = [(PHASES[stream].name, chosen, task) for stream, chosen, task in course.first_met()]
    assert first_met == list(dict.fromkeys(place for _, met in alone for place in met))


def test_epc_2_3_hundreds_of_seeds_in_step_end_where_each_alone_does() -> None:
    """So many columns take another way through NumPy, with smaller integers."""
    rng = np.random.default_rng(4)
    said = rng.choice(list(Verdict), (2, 12, 40))
    known: Known = {
        domain: [[Verdict(verdict) for verdict in row] for row in table.tolist()]
        for domain, table in zip(DOMAINS, said, strict=True)
    }
    seeds = range(300)

    course = run_course(seeds, 12, known, UpdateRule())

    assert course is not None
    outcomes = course.outcomes()
    for seed in (0, 1, 150, 299):
        assert outcomes[seed] == one_by_one(seed, 12, known, UpdateRule())[0]


def test_reading_r4_a_pair_without_a_verdict_is_no_tie() -> None:
    known: Known = {"text": [[Verdict.A]], "visual": [[None]]}

    assert run_course([0], 1, known, UpdateRule()) is None
    assert run_course([0], 0, known, UpdateRule()) is not None  # no round, so nothing is missing


@pytest.mark.parametrize("columns", [3, 300])
def test_reading_r2_a_draw_on_a_running_sum_belongs_to_the_next_strategy(columns: int) -> None:
    met: list[list[int]] = []

    def ask(_: int, chosen: "np.ndarray[Any, Any]", __: object) -> "np.ndarray[Any, Any]":
        met.append(chosen.tolist())
        return np.full(columns, 2)  # ties: the weights stay

    play(np.full((4, columns), 0.25), [np.full(columns, 0.5)], ask, UpdateRule())

    assert met == [[2] * columns]
    assert choose([0.25] * 4, 0.5) == 2
