"""Names of a verdict's fields, and what people call their columns."""

import re
from collections.abc import Mapping
from typing import Final

A: Final = "a"
A_BY: Final = "a_by"
A_SCORE: Final = "a_score"
A_SHA256: Final = "a_sha256"
A_TEXT: Final = "a_text"
ANNOTATOR: Final = "annotator"
B_BY: Final = "b_by"
B_SCORE: Final = "b_score"
B_SHA256: Final = "b_sha256"
B_TEXT: Final = "b_text"
CONFIDENCE: Final = "confidence"
FIRST: Final = "first"
GOLD: Final = "gold"
GOLD_LABEL: Final = "gold_label"
HUMANS: Final = "humans"
HUMAN_LABELS: Final = "human_labels"
HUMAN_SCORE: Final = "human_score"
HUMAN_SCORES: Final = "human_scores"
GENERATOR_1: Final = "generator_1"
ITEM: Final = "item"
JUDGE: Final = "judge"
LABEL: Final = "label"
META: Final = "meta"
MODEL: Final = "model"
PAGE: Final = "page"
PAGINATION: Final = "pagination"
PEOPLE_SCORE: Final = "people_score"
PLATFORM: Final = "platform"
PREFERENCE: Final = "preference"
PROMPT: Final = "prompt"
QUESTION: Final = "question"
QUESTION_SHA256: Final = "question_sha256"
REPEAT: Final = "repeat"
SETTING: Final = "setting"
SUBSET: Final = "subset"
SWAPPED: Final = "swapped"
TOTALPAGES: Final = "totalPages"
TOTAL_PAGES: Final = "total_pages"
VERDICT: Final = "verdict"
WINNER_OF: Final = "winner of"

# Fields in the order in which they take columns, and the other names of their columns.
ALSO: Final[Mapping[str, str]] = {
    "item": "item_id question_id prompt_id example_id sample_id instance_id task_id pair_id"
    " instruction_id response_id id uid",
    "question": "task question_text instruction user_prompt input query",
    "judge": "judge_model judge_name judge_id evaluator evaluator_model grader grader_model",
    "a": "answer_a response_a output_a completion_a text_a candidate_a answer_1 response_1 output_1"
    " completion_1 answer1 response1 output1 answer_left response_left",
    "b": "answer_b response_b output_b completion_b text_b candidate_b answer_2 response_2 output_2"
    " completion_2 answer2 response2 output2 answer_right response_right",
    "a_by": "model_a model_1 model1 system_a author_a strategy model_left generator_1",
    "b_by": "model_b model_2 model2 system_b author_b baseline model_right generator_2",
    "first": "shown_first first_shown first_position presented_first",
    "swapped": "is_swapped swap flipped is_flipped order_swapped answers_swapped",
    "verdict": "winner judge_verdict judge_winner judge_label judge_preference judge_choice"
    " judge_decision judge_pick judgment judgement preference preferred decision choice vote"
    " llm_verdict llm_label",
    "human_score": "people_score",
    "gold": "gold_label ground_truth truth correct_label reference_label expected label gt"
    " expected_winner expected_verdict expected_label gold_winner gold_verdict"
    " ground_truth_winner known_better",
    "a_score": "score_a rating_a score_1 rating_1 score1",
    "b_score": "score_b rating_b score_2 rating_2 score2",
    "a_length": "length_a len_a length_1 chars_a",
    "b_length": "length_b len_b length_2 chars_b",
    "subset": "domain category dataset topic_area task_type benchmark",
    "group": "cluster topic",
    "repeat": "repetition trial attempt epoch replicate iteration run run_index call_index rep_idx",
    "confidence": "probability judge_confidence",
    "answer": "judge_answer judge_output judge_response raw_judgment rationale explanation",
    "prompt": "judge_prompt prompt_name prompt_version template",
    "platform": "provider",
    "date": "judged_at timestamp created_at",
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
}
# Of a file that judges answers one by one.
ALONE: Final[Mapping[str, str]] = {
    "a": "response output completion generation model_output model_response answer",
    "a_by": "author system generator",
    "a_score": "score rating grade judge_score",
}
_OUTCOMES: Final = (ALSO[VERDICT], ALSO[A_SCORE], ALSO[B_SCORE], ALONE[A_SCORE])
OUTCOMES: Final = frozenset(("verdict", "a_score", "b_score", *" ".join(_OUTCOMES).split()))


def plain(name: str) -> str:
    """Return a column's name without what spelling varies in."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")
