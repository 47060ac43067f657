"""Columns and labels of tables that people have, and the fields and verdicts that they mean.

A column is known by its name: a field's own, or one that people use for it. What a table is taken
for is said to its owner, who can say otherwise by --map, --label and --set.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from epc.printable import shortened
from epc.records.verdicts.types import HUMAN_SCORE
from epc.records.verdicts.verdict_words import bare

# Fields in the order in which they take columns, and the other names of their columns.
ALSO: Final[Mapping[str, str]] = {
    "item": "item_id question_id prompt_id example_id sample_id instance_id task_id pair_id id uid",
    "question": "task question_text instruction user_prompt input query",
    "judge": "judge_model judge_name judge_id evaluator evaluator_model grader grader_model",
    "a": "answer_a response_a output_a completion_a text_a candidate_a answer_1 response_1 output_1"
    " completion_1 answer1 response1 output1 answer_left response_left",
    "b": "answer_b response_b output_b completion_b text_b candidate_b answer_2 response_2 output_2"
    " completion_2 answer2 response2 output2 answer_right response_right",
    "a_by": "model_a model_1 model1 system_a author_a strategy model_left",
    "b_by": "model_b model_2 model2 system_b author_b baseline model_right",
    "first": "shown_first first_shown first_position presented_first",
    "verdict": "winner judge_verdict judge_winner judge_label judge_preference judge_choice"
    " judge_decision judgment judgement preference preferred decision choice vote",
    "humans": "human people human_label human_labels human_winner human_verdict human_preference"
    " human_choice human_vote human_decision annotator annotators expert person",
    "human_score": "human_rating people_score expert_score annotator_score",
    "gold": "gold_label ground_truth truth correct_label reference_label expected label",
    "a_score": "score_a rating_a score_1 rating_1 score1",
    "b_score": "score_b rating_b score_2 rating_2 score2",
    "a_length": "length_a len_a length_1 chars_a",
    "b_length": "length_b len_b length_2 chars_b",
    "subset": "domain category dataset topic_area task_type benchmark",
    "group": "cluster topic",
    "repeat": "repetition trial attempt epoch replicate iteration",
    "confidence": "probability judge_confidence",
    "answer": "judge_answer judge_output judge_response raw_judgment rationale explanation",
    "prompt": "judge_prompt prompt_name prompt_version template",
    "platform": "provider",
    "date": "judged_at timestamp created_at",
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
}
# Of a file that judges answers one by one.
_ALONE: Final[Mapping[str, str]] = {
    "a": "response output completion generation model_output model_response answer",
    "a_by": "author system generator",
    "a_score": "score rating grade judge_score",
}
_HUMANS: Final = "humans"
_PROMPT, _QUESTION, _SCORE, _ANSWER = "prompt", "question", "a_score", "answer"
_JUDGE, _VERDICT, _SIDES = "judge", "verdict", ("a", "b")
_PERSON: Final = re.compile(r"(human|annotator|rater|person|expert|reviewer)(_label)?_?\d+")
_A_QUESTION: Final = 5  # a judge has fewer prompts than a file has questions
_MODEL: Final = "model"
_SHOWN: Final = 3


Sample = Sequence[Mapping[str, str]]


def plain(name: str) -> str:
    """Return a column's name without what spelling varies in."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def people_of(present: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold one person's label each: human_1, human_2, ..."""
    return tuple(name for name in present if _PERSON.fullmatch(plain(name)))


def recognised(
    fields: Sequence[str],
    present: Sequence[str],
    mapped: Mapping[str, str],
    sample: Sample,
    labels: Collection[str],
) -> dict[str, str]:
    """Return the column of each of the fields; `mapped` has those that the user named.

    A column that the user named is of no other field. `labels` are words that verdicts may be.
    """
    columns = {field: name for field, name in mapped.items() if name}
    unnamed = [name for name in present if name not in mapped.values()]
    if mapped.get(_JUDGE) == _MODEL:  # the judge's name is its model as well
        unnamed.append(_MODEL)
    free = {plain(name): name for name in reversed(unnamed)}
    names = {**dict.fromkeys(fields, ""), **ALSO}
    if _is_question(_PROMPT, present, sample):
        names |= {_QUESTION: f"{_PROMPT} {names[_QUESTION]}"}
        del names[_PROMPT]
    for field in [field for field in names if field in unnamed and field not in mapped]:
        columns[field] = field
        free.pop(field, None)
    _take(names, columns, free, mapped)
    if not {"b", "b_sha256", "b_score"} & {*columns}:
        named = {"a_sha256", "b_by"} & {*columns}
        alone = {name: _ALONE[name] for name in _ALONE if name == _SCORE or not named}
        _take(alone, columns, free, mapped)
        if _ANSWER in columns and not {"a", *named} & {*columns, *mapped}:
            columns |= {"a": columns.pop(_ANSWER)}
        _read_grades(columns, mapped, sample, labels)
    people = [name for name in people_of(present) if name in free.values()]
    if people and _HUMANS not in {*columns, *mapped}:
        columns |= {_HUMANS: ", ".join(people)}
    if not {_VERDICT, _SCORE, "b_score"} & {*columns, *mapped}:
        judge = "" if _JUDGE in mapped else columns.get(_JUDGE, "")
        candidates = [name for name in free.values() if name not in people]
        field, column = _judged(judge, candidates, sample, labels)
        columns = {key: name for key, name in columns.items() if name != column}
        columns |= {field: column} if column else {}
    if _HUMANS in columns and not {_VERDICT, "b_score"} & {*columns}:
        columns |= {HUMAN_SCORE: columns.pop(_HUMANS)}
    return columns


def _judged(
    judge: str, candidates: Sequence[str], sample: Sample, labels: Collection[str]
) -> tuple[str, str]:
    """Return the column of verdicts or scores by what stands in it, and which of both they are."""
    if are_labels(judge, sample, labels):
        return _VERDICT, judge
    if _are_numbers(judge, sample):
        return _SCORE, judge
    alike = [name for name in candidates if are_labels(name, sample, labels, textual=True)]
    return _VERDICT, alike[0] if len(alike) == 1 else ""


def _read_grades(
    columns: dict[str, str], mapped: Collection[str], sample: Sample, labels: Collection[str]
) -> None:
    """Take a column of scores that holds words, such as `correct`, for the verdict."""
    graded = columns.get(_SCORE, "")
    if _VERDICT not in {*columns, *mapped} and are_labels(graded, sample, labels, textual=True):
        columns[_VERDICT] = columns.pop(_SCORE)


def are_labels(
    column: str, sample: Sample, labels: Collection[str], *, textual: bool = False
) -> bool:
    """Return whether most values of a column are labels of verdicts; `textual`: not all numbers."""
    values = [value for row in sample if (value := bare(row.get(column, "")))]
    matches = [value in labels for value in values]
    return 2 * sum(matches) > len(matches) and not (textual and all(map(str.isdigit, values)))


def _are_numbers(column: str, sample: Sample) -> bool:
    values = [value for row in sample if (value := row.get(column, "").strip())]
    return bool(values) and all(re.fullmatch(r"\d+([.,]\d+)?", value) for value in values)


_JUDGES: Final = 5  # as many judges a small file may well have


def no_judges(column: str, sample: Sample, labels: Collection[str]) -> str | None:
    """Return why a column that is called after a judge cannot name judges, or None."""
    values = [value for row in sample if (value := row[column].strip())]
    names = [*dict.fromkeys(values)]
    examples = shortened([*map(repr, names)], _SHOWN)
    if are_labels(column, sample, labels):
        return f"holds verdicts, not who judged: {examples}"
    if len(names) > _JUDGES and 2 * len(names) > len(values):
        return f"names {len(names):,} judges in {len(values):,} rows: {examples}"
    return None


def two_authors(
    verdicts: str,
    orders: Sequence[str],
    sample: Sample,
    labels: Collection[str],
    named: Sequence[str] = (),
) -> tuple[tuple[str, ...], str | None, dict[str, str]]:
    """Return the two authors that verdicts name, or the `named` ones, and where the order stands.

    That is a column with two values, one begins with either name: `ours_first`, `base_first`. With
    it comes which answer, a or b, each value says was shown first.
    """
    cells = dict.fromkeys(row[verdicts].strip() for row in sample)
    names = [*named] or [name for name in cells if name and name.lower() not in labels]
    for column in orders:
        values = dict.fromkeys(value for row in sample if (value := row[column].strip()))
        first = {
            value: max((name for name in names if _begins(value, name)), key=len, default="")
            for value in values
        }
        authors = tuple(name for name in names if name in first.values())
        if len(first) == len(authors) == len(_SIDES) and "" not in first.values():
            sides = dict(zip(authors, _SIDES, strict=True))
            return authors, column, {value: sides[name] for value, name in first.items()}
    return (tuple(names) if len(names) == len(_SIDES) else ()), None, {}


def _begins(value: str, name: str) -> bool:
    return value.startswith(name) and not value[len(name) : len(name) + 1].isalnum()


def _take(
    names: Mapping[str, str], columns: dict[str, str], free: dict[str, str], mapped: Collection[str]
) -> None:
    """Give each field the first free column of its names."""
    for field, aliases in names.items():
        for name in (field, *aliases.split()):
            if field not in {*columns, *mapped} and name in free:
                columns[field] = free.pop(name)


def _is_question(name: str, present: Sequence[str], sample: Sample) -> bool:
    """Return whether a column of prompts is of questions: a judge has fewer prompts."""
    if name not in present or _QUESTION in present:
        return False
    return len({row[name] for row in sample}) > _A_QUESTION
