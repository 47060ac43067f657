"""Questions about pages shown as pictures (gojiplus/uijudge-bench), answered with yes or no."""

from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, answered, as_text, setting_of

EXPECTED: Final = (
    "a folder with reports/predictions_JUDGE.jsonl, lines of {item_id, page_id, task_level, "
    "answer, judge, runs: [{raw}]}, and labels/items.jsonl, lines of {item_id, ground_truth}"
)
_REPOSITORY: Final = "https://github.com/gojiplus/uijudge-bench"
_FILES: Final = "reports/predictions_*.jsonl"
_LABELS: Final = Path("labels/items.jsonl")
_ANSWERS: Final = {"yes": "a", "no": "b"}
_OTHER: Final = "answers that name places or lists of defects, and no yes or no"
_MODEL: Final = "gemini-3-flash-preview"

FAULTS: Final = faults(
    {
        "not-eligible": "The authors call the run not eligible for their leaderboard: of 2,040 "
        "items with a frame to check, 1,867 were captured at another width than the page that the "
        "labels were made of.",
        "answers-for-candidates": "A verdict is the answer yes (a) or no (b) to a question about "
        "one page. There are no two candidates, no place and no length.",
        "no-is-positive": "The defect is there where the right answer is no. Precision and recall "
        "of the authors are of no.",
        "pages-share": "Many items are of one page (303 pages for 800 items of L1). Items of a "
        "page are one item in every interval.",
        "labels-missing": "The labels are too large for the mirror that was read. They are read "
        "where the file is there; the figures were not computed by us.",
    }
)


class _Run(Struct, frozen=True):
    raw: str


class _Answer(Struct, frozen=True):
    """What the judge said of an item."""

    item_id: str
    page_id: str
    task_level: str
    answer: Any
    judge: str
    refused: bool
    runs: list[_Run]
    confidence: float | None = None


class _Label(Struct, frozen=True):
    """What is right."""

    item_id: str
    ground_truth: Any


def convert(source: Path, request: Request) -> Conversion:
    """Return every yes or no as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    paths = work.paths(_FILES)
    if not paths or not work.holds(_LABELS):
        return work.done(name="UIJudgeBench", repository=_REPOSITORY, identity="name")
    right = {each.item_id: each.ground_truth for _, each in work.lines(_LABELS, _Label)}
    for path in paths:
        for where, each in work.lines(path, _Answer):
            if each.task_level not in ("L1", "L4"):
                work.left_out[_OTHER] += 1
                continue
            variant = each.judge.rpartition(":")[2]
            stated = setting_of(_MODEL, _MODEL, platform="google-gemini-api", prompt=variant)
            gold = _ANSWERS.get(as_text(right.get(each.item_id)))
            work.add(
                where,
                item=each.item_id,
                setting=work.setting(f"{_MODEL}/{variant}", stated),
                file=path.as_posix(),
                subset=each.task_level,
                question_sha256=digest(each.page_id),
                a_sha256=digest(f"{each.page_id}/yes"),
                b_sha256=digest(f"{each.item_id}/no"),
                verdict="unreadable" if each.refused else _ANSWERS.get(each.answer, "unreadable"),
                **({"gold": gold} if gold else {}),
                **({} if each.confidence is None else {"confidence": each.confidence}),
                **answered(each.runs[0].raw),
            )
    return work.done(name="UIJudgeBench", repository=_REPOSITORY, identity="name")


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
