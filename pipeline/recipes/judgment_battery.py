"""Rankings of three answers by their own authors (leegonzales/ai-judgment-battery)."""

from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, day_of, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with comparisons/compare_TIME_ablation-NAME.json: {run_label, judge_model, "
    "criteria_mode, comparisons: [{dilemma_id, category, rankings: [{model, rank, avg_rank}], "
    "timestamp}]}"
)
_REPOSITORY: Final = "https://github.com/leegonzales/ai-judgment-battery"
_FILES: Final = "comparisons/compare_*_ablation-*.json"
_EARLIER: Final = "comparisons/archive_pre_ablation/compare_*.json"
_ARCHIVED: Final = "files of earlier runs, whose answers and prompts are not stated"
_UNRANKED: Final = "comparisons without a ranking"
_WORST: Final = 3  # the last rank
_NAMES: Final = {
    "claude-opus-4-5-20251101": "claude-opus",
    "gpt-5.1": "gpt-5.1",
    "gemini-3-pro-preview": "gemini-3-pro",
}

FAULTS: Final = faults(
    {
        "authors-judge": "The three judges wrote the three answers. All three figures are needed "
        "for R24; the source's own `self_enhancement` compares a model's rank by itself with "
        "others' ranks by it, which is quality as much as preference (for Gemini its sign turns).",
        "two-passes-as-one": "In the ablations B, E and F a ranking is the mean rank of two "
        "passes in two orders, in the others it is of one. The passes are not kept, and where "
        "they differ (`position_flipped`) the winner is that of the first. So place consistency "
        "is the source's word alone.",
        "no-truth": "Nobody says which answer is better.",
        "answers-by-name": "The comparisons hold no answer, only who wrote it. Which run of a "
        "model's answers was ranked is not stated; digests are of names.",
        "ranks-for-scores": "Scores here are ranks turned round: 3 for the best of three.",
    }
)


class _Ranked(Struct, frozen=True):
    model: str
    rank: float
    avg_rank: float | None = None


class _Comparison(Struct, frozen=True):
    dilemma_id: str
    category: str
    timestamp: str
    rankings: list[_Ranked] = []


class _File(Struct, frozen=True):
    run_label: str
    judge_model: str
    comparisons: list[_Comparison]
    criteria_mode: str = "unknown"


def convert(source: Path, request: Request) -> Conversion:
    """Return the rank of every answer as a score."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path in work.paths(_FILES):
        file: _File | None = work.decoded(path, _File, key=path.as_posix())
        if file is None:
            continue
        judge = _NAMES.get(file.judge_model, file.judge_model)
        prompt = f"{file.run_label}/{file.criteria_mode}"
        stated = setting_of(judge, file.judge_model, prompt=prompt)
        setting = work.setting(f"{judge}/{prompt}", stated)
        for number, each in enumerate(file.comparisons):
            if not each.rankings:
                work.left_out[_UNRANKED] += 1
            for ranked in each.rankings:
                common = {"setting": setting, "file": path.as_posix()}
                work.add(f"{path}/{number}", **common, **_verdict(each, ranked))
    if archived := len(list(source.glob(_EARLIER))):
        work.left_out[_ARCHIVED] = archived
    return work.done(name="AI Judgment Battery", repository=_REPOSITORY, identity="name")


def _verdict(comparison: _Comparison, ranked: _Ranked) -> dict[str, Any]:
    item = f"{comparison.dilemma_id}/{ranked.model}"
    rank = ranked.rank if ranked.avg_rank is None else ranked.avg_rank
    return {
        "item": item,
        "subset": comparison.category,
        "question_sha256": digest(f"{_REPOSITORY}/{comparison.dilemma_id}"),
        "date": day_of(comparison.timestamp),
        "a_sha256": digest(f"{_REPOSITORY}/{item}"),
        "a_by": ranked.model,
        "a_score": _WORST + 1 - rank,
    }


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
