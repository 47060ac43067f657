"""calls.jsonl: an answer is named by what was asked."""

import pytest
from records_support import Run

from epc.protocol.config import Configuration
from epc.records.calls import pair_keys, read_calls
from epc.records.findings import Findings
from epc.records.usage import Usage
from epc.spec.reference import STRATEGIES


def finding_clauses(run: Run) -> set[tuple[str, str]]:
    findings = Findings()
    read_calls(run.folder, run.parsed(), Usage(), findings)
    return {(f.where, f.clause) for f in findings.as_list()}


def test_a_runs_calls_carry_their_own_names(flip: Run) -> None:
    findings = Findings()

    calls = read_calls(flip.folder, flip.parsed(), Usage(), findings)

    assert len(findings) == 0
    rows = flip.rows("calls")
    assert len(calls) == len(rows) == 3 * 60  # two answers and a comparison a round
    assert {(c.role, c.prompt, c.answer) for c in calls.values()} == {
        (row["role"], row["prompt"], row["answer"]) for row in rows
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [("prompt", "something else"), ("occasion", "9/text/0/evaluation"), ("id", "0" * 20)],
)
def test_epc_2_5_d_an_edited_call_no_longer_carries_its_own_name(
    flip: Run, key: str, value: str
) -> None:
    flip.edit_row("calls", 3, **{key: value})

    assert ("/calls/3/id", "EPC-2.5(d)") in finding_clauses(flip)


def test_epc_2_2_a_role_keeps_one_model(flip: Run) -> None:
    flip.edit_row("calls", 3, model="mock/other")

    assert finding_clauses(flip) == {("/calls/3/model", "EPC-2.2")}


@pytest.mark.parametrize("key", ["version", "endpoint", "gateway"])
def test_epc_2_2_another_identity_in_the_manifest_renames_every_call(flip: Run, key: str) -> None:
    flip.edit(lambda m: m["evaluator"].update({key: "another"}))

    rows = flip.rows("calls")
    expected = {
        (f"/calls/{index}/id", "EPC-2.5(d)")
        for index, row in enumerate(rows)
        if row["role"] == "evaluator"
    }
    assert finding_clauses(flip) == expected


def test_epc_2_6_b_another_decoding_in_the_manifest_renames_every_call(flip: Run) -> None:
    flip.edit(lambda m: m["evaluator"]["decoding"].update(max_tokens=11))

    assert len(finding_clauses(flip)) == 60


def test_a_call_that_stands_twice_is_found(flip: Run) -> None:
    rows = flip.rows("calls")
    flip.save_rows("calls", [*rows, rows[0]])

    assert finding_clauses(flip) == {(f"/calls/{len(rows)}/id", "EPC-2.5(d)")}


def test_a_call_in_a_role_that_nobody_has_is_found(ties: Run) -> None:
    ties.edit_row("calls", 0, role="executor")

    assert ("/calls/0/role", "EPC-2.5(d)") in finding_clauses(ties)


def test_a_judges_call_in_a_run_is_a_finding_and_no_crash(flip: Run) -> None:
    flip.edit_row("calls", 0, role="judge:x", served_model="x")

    assert ("/calls/0/role", "EPC-2.5(d)") in {
        (f.where, f.clause) for f in flip.validate().findings
    }


def test_pairs_go_by_domain_then_strategy_then_task() -> None:
    config = Configuration(
        strategies=STRATEGIES[:2], tasks={"text": ("t1", "t2"), "visual": ("v1",)}
    )
    first, second = (strategy.name for strategy in STRATEGIES[:2])

    assert pair_keys(config) == [
        ("text", first, "t1"),
        ("text", first, "t2"),
        ("text", second, "t1"),
        ("text", second, "t2"),
        ("visual", first, "v1"),
        ("visual", second, "v1"),
    ]
