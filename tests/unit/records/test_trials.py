"""Every claim of a trial is derived again from its raw parts."""

from collections.abc import Callable
from typing import Any

import pytest
from records_support import Run, places

ROUNDS = 5  # of the run that these tests change


Rows = list[dict[str, Any]]
ROWS: list[tuple[Callable[[Rows], Rows], str, list[str]]] = [
    (lambda rows: [*rows[:27], *rows[28:]], "/trials", ["seed 1 visual has no round 2"]),
    (lambda rows: [rows[0], *rows], "/trials/1", ["seed 0 text round 0 appears twice"]),
    (
        lambda rows: [*rows[:5], {**rows[4], "round": ROUNDS}, *rows[5:]],
        "/trials/5/round",
        ["seed 0 text round 5: expected rounds 0 to 4"],
    ),
    (lambda rows: [r for r in rows if r["seed"] != 1], "/trials", ["seed 1 has no trials"]),
    (lambda rows: [], "/trials", [f"seed {seed} has no trials" for seed in range(3)]),
    (
        lambda rows: [*rows, {**rows[0], "seed": 7}],
        "/trials/60/seed",
        ["seed 7 is not in /config/seeds"],
    ),
    (
        lambda rows: [*rows[1:], rows[0]],
        "/trials/59/seed",
        ["seed 0 comes back after another seed"],
    ),
    (
        lambda rows: [*rows[:2], rows[3], rows[2], *rows[4:]],
        "/trials/3",
        ["seed 0 text round 2 is out of order"],
    ),
]


@pytest.mark.parametrize(("change", "where", "problems"), ROWS, ids=[where for _, where, _ in ROWS])
def test_epc_2_3_d_rounds_and_seeds_are_all_there_once_and_in_order(
    flip: Run, change: Callable[[Rows], Rows], where: str, problems: list[str]
) -> None:
    flip.save_rows("trials", change(flip.rows("trials")))

    assert [f.problem for f in flip.validate().findings if f.where == where] == problems


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


def another(row: dict[str, Any]) -> str:
    return "synthesis" if row["strategy"] != "synthesis" else "analogy_meta"


CELLS: dict[str, tuple[Callable[[Rows], dict[str, Any]], str, str]] = {
    "unknown strategy": (lambda _: {"strategy": "guess"}, "strategy", "EPC-2.2"),
    "strategy": (lambda rows: {"strategy": another(rows[0])}, "strategy", "EPC-2.3(1)"),
    "draw": (lambda rows: {"u_strategy": rows[0]["u_strategy"] * (1 - 1e-15)}, "", "Reading R2"),
    "task": (lambda rows: {"task": (rows[0]["task"] + 1) % 8}, "task", "Reading R2"),
    "verdict": (
        lambda rows: {"verdict": "A" if rows[0]["verdict"] == "B" else "B"},
        "verdict",
        "EPC-2.6(c)",
    ),
    # Another text with the same verdict.
    "raw": (lambda rows: {"raw": f"{rows[0]['raw']} "}, "raw", "EPC-2.5(d)"),
    "another round's evaluation": (
        lambda rows: {"evaluation": rows[1]["evaluation"]},
        "evaluation",
        "EPC-2.5(d)",
    ),
    "another round's response": (
        lambda rows: {"response": rows[1]["response"]},
        "response",
        "EPC-2.5(d)",
    ),
    "another round's baseline": (
        lambda rows: {"baseline": rows[1]["baseline"]},
        "baseline",
        "EPC-2.5(d)",
    ),
    "no response": (lambda _: {"response": None}, "response", "EPC-2.5(d)"),
    "no baseline": (lambda _: {"baseline": None}, "baseline", "EPC-2.5(d)"),
}


@pytest.mark.parametrize("what", CELLS)
def test_epc_2_5_d_a_trial_is_derived_again_from_its_seed_and_its_calls(
    flip: Run, what: str
) -> None:
    change, key, clause = CELLS[what]
    flip.edit_row("trials", 0, **change(flip.rows("trials")))

    assert (f"/trials/0/{key}".rstrip("/"), clause) in places(flip.validate())


@pytest.mark.parametrize("side", ["response", "baseline", "evaluation"])
@pytest.mark.parametrize("name", ["0" * 20, "swapped"])
def test_a_reference_must_lead_to_a_call_in_its_role(flip: Run, side: str, name: str) -> None:
    row = flip.rows("trials")[0]
    wrong = row["response" if side == "evaluation" else "evaluation"]
    flip.edit_row("trials", 0, **{side: wrong if name == "swapped" else name})

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

    findings = [f for f in flip.validate().findings if f.clause == "Reading R16"]
    assert [f.where for f in findings] == [f"/trials/{twin}/evaluation"]


def test_reading_r16_afresh_is_not_reuse_by_another_name(flip: Run) -> None:
    flip.edit(lambda m: m["config"].update(reuse="memo"))

    assert "Reading R16" in {f.clause for f in flip.validate().findings}
