"""EPC-2.6(c), Readings R5 and R37: a corpus of things that evaluators say, sorted by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.protocol.verdict import AnswerKind, Verdict, classify, parse_verdict
from epc.spec.refusals import REFUSALS

CORPUS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("evaluator_outputs.json").read_text("utf-8")
)


def test_reading_r5_the_corpus_is_large_and_holds_every_kind() -> None:
    kinds = [entry["said"] for entry in CORPUS]

    assert len(CORPUS) >= 200
    assert set(kinds) == {said.value for said in AnswerKind}
    assert min(kinds.count(said.value) for said in AnswerKind) >= 20


@pytest.mark.parametrize("entry", CORPUS, ids=lambda entry: repr(entry["raw"][:20]))
def test_reading_r5_every_output_is_what_the_rule_makes_of_it(entry: dict[str, Any]) -> None:
    answer_kind = classify(entry["raw"], finish_reason=entry.get("finish_reason"))

    assert answer_kind == entry["said"]
    decided = entry["said"] in ("A", "B")
    assert parse_verdict(entry["raw"]) is (Verdict(entry["said"]) if decided else Verdict.TIE)


@given(st.text(), st.sampled_from([None, "stop", "length", "content_filter", "refusal"]))
def test_reading_r37_a_refusal_never_moves_a_weight(raw: str, finish_reason: str | None) -> None:
    answer_kind = classify(raw, finish_reason=finish_reason)
    verdict = parse_verdict(raw)

    assert (answer_kind in (AnswerKind.A, AnswerKind.B)) == verdict.decided
    if verdict is Verdict.TIE:
        assert answer_kind in (AnswerKind.UNPARSEABLE, AnswerKind.REFUSAL)


def test_reading_r37_phrases_are_folded_as_they_are_looked_for() -> None:
    assert [phrase for phrase in REFUSALS if phrase != phrase.casefold()] == []
    assert len(set(REFUSALS)) == len(REFUSALS)
