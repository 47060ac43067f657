"""The mock judges: known habits, whatever the output says."""

import json
from collections import Counter
from pathlib import Path

import pytest
from judge_support import OUTPUT, SAMPLE, archived, grid, judged_by_models, planned

from epc.engine.catalog import open_model
from epc.engine.mocks import CarelessJudge, Judge
from epc.engine.model import Prompt
from epc.judge.check import check
from epc.judge.evidence import Output
from epc.judge.prompt import judge_prompt
from epc.records.judging.prompts import read_prompt
from epc.spec.judge_v1 import FLAGS


def prompt(output: str) -> str:
    template = read_prompt(None).template
    return judge_prompt(
        template, sample=SAMPLE, output=output, task="Plan it.", timestamp="2026-07-02"
    )


@pytest.mark.parametrize(
    "output", [OUTPUT, '{"meta": {"output_id": "x"}}', "[[000000000000 output begins]]\nx", "a"]
)
def test_a_careful_mock_judges_what_stands_between_the_marks(output: str) -> None:
    text = Judge()._say(Prompt(text=prompt(output)))

    assert check(text, SAMPLE, Output(output)).valid


def test_a_prompt_that_is_no_judges_gets_no_scores() -> None:
    assert Judge().record("What is the weather?") is None
    assert Judge().record('"meta": {} and no output') is None


def test_the_careless_mock_slips_in_about_half_of_its_replies(tmp_path: Path) -> None:
    planned(tmp_path / "e", grid("123456789", "ABCDEFGHIJ"), ["mock/careless-judge"])

    total = judged_by_models(tmp_path / "e")["totals"]["cross_judge"]

    assert 30 < total["invalid"] < 60
    raised = Counter(
        flag for record in archived(tmp_path / "e", valid=False) for flag in record["flags"]
    )
    assert set(raised) == set(FLAGS) - {"INCOMPLETE_COVERAGE"}
    assert open_model("mock/judge").identity.model == "mock/judge"


def test_the_careless_mock_has_every_slip_and_else_a_record() -> None:
    """Half of ten equally likely habits: a refusal, a fence, a sum, a quote, and no evidence."""
    replies = [CarelessJudge()._say(Prompt(text=prompt(f"{OUTPUT} {n}"))) for n in range(200)]

    records = [json.loads(reply) for reply in replies if reply.startswith("{")]
    bare = [record for record in records if not record["evidence"]]
    invented = [r for r in records if any(e["quote"] == "It reads well." for e in r["evidence"])]
    refused = [reply for reply in replies if reply.startswith("I'm sorry")]
    fenced = [reply for reply in replies if reply.startswith("```json")]
    for slips in (bare, invented, refused, fenced):
        assert 5 <= len(slips) <= 40  # of 200 at a tenth: within 4 standard deviations
