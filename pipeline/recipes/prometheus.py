"""Prometheus' reference scores (prometheus-eval): GPT-4 asked three times about each response."""

from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.json_text import storable
from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import Row, faults
from epc.records.verdicts.work import Work, answered, setting_of

EXPECTED: Final = (
    "a folder with eval/benchmark/data/mt_bench_eval.json and vicuna_eval.json, lists of {idx, "
    "response_source, category, instruction: '...###Response to evaluate:...###Reference "
    "Answer...', gpt4_score: [1 to 5, ...], gpt4_feedback: [a text for each score]}"
)
_DATA: Final = Path("eval/benchmark/data")
_FILES: Final = ("mt_bench_eval", "vicuna_eval")
_REPOSITORY: Final = "https://github.com/prometheus-eval/prometheus-eval"
_BEGINS: Final = "###Response to evaluate:\n"
_ENDS: Final = "\n\n###Reference Answer"
_SCALE: Final = range(1, 6)
_JUDGE: Final = "gpt4"

FAULTS: Final = faults(
    {
        "generation-unstated": "The scores are called gpt4_score and nothing else. No generation, "
        "platform, date, prompt or decoding is stated. They were published on 2 May 2024 at the "
        "latest.",
        "scores-only": "One response, three scores. There is no place, no gold label and no human "
        "label.",
        "reference-shown": "The text beside each score has a reference answer and a rubric. That "
        "is the prompt of the judge Prometheus. Whether GPT-4 saw the same is not stated.",
        "score-apart": "The feedback is kept without the score that ended it. Where it names a "
        "score by itself, that is not always the one that is stated.",
        "second-turns": "In mt_bench_eval.json the question holds the model's own first answer. "
        "So two models were not asked the same, though their numbers are equal.",
        "two-files": "Only mt_bench_eval.json and vicuna_eval.json are read. flask_eval.json and "
        "feedback_collection_test.json may hold scores of GPT-4, too; they are too large for the "
        "mirror that was read.",
    },
)


class _Entry(Struct, frozen=True):
    """One response and its scores."""

    idx: int
    response_source: str
    category: str
    instruction: str
    gpt4_score: list[int]
    gpt4_feedback: list[str]


def convert(source: Path, request: Request) -> Conversion:
    """Return every score as a verdict; the scores of one response are askings of the same."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for stem in _FILES:
        path = _DATA / f"{stem}.json"
        entries = work.decoded(path, list[_Entry], key=stem) if work.holds(path) else None
        for index, entry in enumerate(entries or ()):
            _add(entry, f"{path}/{index}", stem, work)
    work.settings[_JUDGE] = setting_of(_JUDGE, "gpt-4")
    return work.done(name="Prometheus, reference scores", repository=_REPOSITORY)


def _add(entry: _Entry, where: str, stem: str, work: Work) -> None:
    before, begins, rest = entry.instruction.partition(_BEGINS)
    response, ends, after = rest.partition(_ENDS)
    if not (begins and ends) or len(entry.gpt4_score) != len(entry.gpt4_feedback):
        work.wrong(where, "has no marked response, or not a feedback for each score")
        return
    common: dict[str, Any] = {
        "item": f"{stem.removesuffix('_eval')}/{entry.idx}/{entry.response_source}",
        "subset": entry.category,
        "question_sha256": digest(storable(before + _BEGINS + _ENDS + after)),
        **work.candidate("a", response),
        "a_by": entry.response_source,
    }
    for score, feedback in zip(entry.gpt4_score, entry.gpt4_feedback, strict=True):
        scored = {"a_score": float(score)} if score in _SCALE else {"verdict": "unreadable"}
        repeat = work.repeat(common["item"])
        work.rows.append(
            Row(setting=_JUDGE, file=stem, **common, **scored, **repeat, **answered(feedback))
        )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
