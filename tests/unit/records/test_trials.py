"""Every claim of a trial is derived again from its raw parts."""

from typing import Any

import pytest
from records_support import Run, places

ROUNDS = 5  # of the run that these tests change


def at(run: Run, seed: int, phase: str, number: int) -> int:
    """Return the index of a round's row."""
    (index,) = [
        index
        for index, row in enumerate(run.rows("trials"))
        if (row["seed"], row["phase"], row["round"]) == (seed, phase, number)
    ]
    return index


def test_epc_2_3_d_a_missing_round_is_named(flip: Run) -> None:
    rows = flip.rows("trials")
    del rows[at(flip, 1, "visual", 2)]
    flip.save_rows("trials", rows)

    problems = [f.problem for f in flip.validate().findings if f.where == "/trials"]

    assert problems == ["seed 1 visual has no round 2"]


def test_epc_2_3_d_a_repeated_round_is_found_where_it_stands(flip: Run) -> None:
    rows = flip.rows("trials")
    rows.insert(1, rows[0])
    flip.save_rows("trials", rows)

    assert ("/trials/1", "EPC-2.5(d)") in places(flip.validate())


def test_epc_2_3_d_a_round_past_the_last_is_found(flip: Run) -> None:
    rows = flip.rows("trials")
    rows.insert(5, {**rows[4], "round": ROUNDS})
    flip.save_rows("trials", rows)

    found = [f for f in flip.validate().findings if f.where == "/trials/5/round"]

    assert [f.problem for f in found] == ["seed 0 text round 5: expected rounds 0 to 4"]


def test_epc_2_5_d_a_missing_seed_is_named(flip: Run) -> None:
    flip.save_rows("trials", [row for row in flip.rows("trials") if row["seed"] != 1])

    problems = [f.problem for f in flip.validate().findings if f.where == "/trials"]

    assert problems == ["seed 1 has no trials"]


def test_epc_2_5_d_no_trials_at_all_are_every_seed_missing(flip: Run) -> None:
    flip.save_rows("trials", [])

    problems = [f.problem for f in flip.validate().findings if f.where == "/trials"]

    assert problems == [f"seed {seed} has no trials" for seed in range(3)]


def test_epc_2_5_d_a_seed_nobody_asked_for_is_found(flip: Run) -> None:
    rows = flip.rows("trials")
    flip.save_rows("trials", [*rows, {**rows[0], "seed": 7}])

    assert ("/trials/60/seed", "EPC-2.5(d)") in places(flip.validate())


def test_a_seed_that_comes_back_is_found(flip: Run) -> None:
    rows = flip.rows("trials")
    flip.save_rows("trials", [*rows[1:], rows[0]])

    problems = {f.where: f.problem for f in flip.validate().findings}

    assert problems["/trials/59/seed"] == "seed 0 comes back after another seed"


def test_rows_out_of_order_are_found(flip: Run) -> None:
    rows = flip.rows("trials")
    rows[2], rows[3] = rows[3], rows[2]
    flip.save_rows("trials", rows)

    assert ("/trials/3", "EPC-2.5(d)") in places(flip.validate())


def test_a_huge_number_of_rounds_is_answered_at_once_and_in_few_words(flip: Run) -> None:
    flip.edit(lambda m: m["config"].update(rounds=100_000))

    problems = [f.problem for f in flip.validate().findings if f.where == "/trials"]

    listed = ", ".join(str(number) for number in range(5, 15))
    assert problems[0] == f"seed 0 text has no round {listed}, ..."
    assert len(problems) == 3 * 4


def test_a_whole_number_may_be_written_as_a_decimal(flip: Run) -> None:
    rows = flip.rows("trials")
    for row in rows:
        row.update(seed=float(row["seed"]), round=float(row["round"]), task=float(row["task"]))
    flip.save_rows("trials", rows)

    assert flip.validate().findings == []


def test_a_seed_with_more_rows_than_rounds_is_read_in_bounded_memory(tiny: Run) -> None:
    rows = tiny.rows("trials")
    tiny.save_rows("trials", [rows[0]] * 20_000)

    report = tiny.validate()

    assert not report.ok
    assert len(report.findings) <= 1001


def test_epc_2_2_an_unknown_strategy_is_found(flip: Run) -> None:
    flip.edit_row("trials", 0, strategy="guess")

    assert ("/trials/0/strategy", "EPC-2.2") in places(flip.validate())


def test_epc_2_3_1_the_wheel_must_stop_at_the_strategy_that_is_named(flip: Run) -> None:
    row = flip.rows("trials")[0]
    other = "synthesis" if row["strategy"] != "synthesis" else "analogy_meta"
    flip.edit_row("trials", 0, strategy=other)

    assert ("/trials/0/strategy", "EPC-2.3(1)") in places(flip.validate())


def test_reading_r2_the_draws_are_those_of_the_seed(flip: Run) -> None:
    row = flip.rows("trials")[7]
    flip.edit_row("trials", 7, u_strategy=row["u_strategy"] * (1 - 1e-15))

    assert ("/trials/7", "Reading R2") in places(flip.validate())


def test_reading_r2_the_task_is_the_one_the_draw_falls_on(flip: Run) -> None:
    row = flip.rows("trials")[7]
    flip.edit_row("trials", 7, task=(row["task"] + 1) % 8)

    assert ("/trials/7/task", "Reading R2") in places(flip.validate())


def test_reading_r5_the_verdict_is_what_the_raw_text_says(flip: Run) -> None:
    row = flip.rows("trials")[0]
    flip.edit_row("trials", 0, verdict="A" if row["verdict"] == "B" else "B")

    assert places(flip.validate()) >= {("/trials/0/verdict", "EPC-2.6(c)")}


def test_epc_2_6_c_the_raw_text_is_the_answer_of_its_call(flip: Run) -> None:
    row = flip.rows("trials")[0]
    flip.edit_row("trials", 0, raw=f"{row['raw']} ")  # another text with the same verdict

    assert places(flip.validate()) == {("/trials/0/raw", "EPC-2.5(d)")}


def test_epc_2_6_the_comparison_asks_for_this_rounds_answers(flip: Run) -> None:
    rows = flip.rows("trials")
    flip.edit_row("trials", 0, evaluation=rows[1]["evaluation"])

    assert ("/trials/0/evaluation", "EPC-2.5(d)") in places(flip.validate())


@pytest.mark.parametrize("side", ["response", "baseline"])
def test_epc_2_2_an_answer_is_to_the_rounds_own_prompt(flip: Run, side: str) -> None:
    rows = flip.rows("trials")
    flip.edit_row("trials", 0, **{side: rows[1][side]})

    assert (f"/trials/0/{side}", "EPC-2.5(d)") in places(flip.validate())


@pytest.mark.parametrize("side", ["response", "baseline", "evaluation"])
@pytest.mark.parametrize("name", ["0" * 20, "swapped"])
def test_a_reference_must_lead_to_a_call_in_its_role(flip: Run, side: str, name: str) -> None:
    row = flip.rows("trials")[0]
    wrong = row["response" if side == "evaluation" else "evaluation"]
    flip.edit_row("trials", 0, **{side: wrong if name == "swapped" else name})

    assert (f"/trials/0/{side}", "EPC-2.5(d)") in places(flip.validate())


@pytest.mark.parametrize("side", ["response", "baseline"])
def test_where_models_answered_a_reference_may_not_be_left_out(flip: Run, side: str) -> None:
    flip.edit_row("trials", 0, **{side: None})

    assert (f"/trials/0/{side}", "EPC-2.5(d)") in places(flip.validate())


def test_where_verdicts_are_recorded_nothing_answers(ties: Run) -> None:
    assert {(row["response"], row["baseline"]) for row in ties.rows("trials")} == {(None, None)}
    assert ties.validate().ok

    ties.edit_row("trials", 0, response="0" * 20)

    assert ("/trials/0/response", "EPC-2.5(d)") in places(ties.validate())


def test_reading_r1_the_prompts_are_rendered_again_from_the_manifest(flip: Run) -> None:
    def reword(manifest: Any) -> None:
        manifest["tasks"]["text"][flip.rows("trials")[0]["task"]] = "Another task."

    flip.edit(reword)

    assert ("/trials/0/response", "EPC-2.5(d)") in places(flip.validate())


def test_reading_r16_a_round_asked_afresh_takes_no_other_rounds_answer(flip: Run) -> None:
    """A coin's answer is one letter: only its occasion tells two of them apart."""
    seen: dict[tuple[object, ...], str] = {}
    twin, other = -1, ""
    for index, row in enumerate(flip.rows("trials")):
        alike = tuple(row[key] for key in ("phase", "task", "strategy", "verdict"))
        if alike in seen:
            twin, other = index, seen[alike]
            break
        seen[alike] = row["evaluation"]

    flip.edit_row("trials", twin, evaluation=other)

    found = [f for f in flip.validate().findings if f.clause == "Reading R16"]
    assert [f.where for f in found] == [f"/trials/{twin}/evaluation"]


def test_reading_r16_afresh_is_not_reuse_by_another_name(flip: Run) -> None:
    flip.edit(lambda m: m["config"].update(reuse="memo"))

    assert "Reading R16" in {f.clause for f in flip.validate().findings}
