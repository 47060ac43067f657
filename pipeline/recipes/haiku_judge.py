"""Which of two short poems, in both orders of them (drkalexander1/haiku-judge-evals)."""

import csv
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Final

from epc.records.verdicts.converting import Conversion, Request, digest, file_of
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with results/frontier-judged/pairs.csv, columns scenario_id, stratum, judge_model, "
    "author_left, author_right, preferred_side (A or B) and eval_log, which begins with the day"
)
_REPOSITORY: Final = "https://github.com/drkalexander1/haiku-judge-evals"
_PAIRS: Final = Path("results/frontier-judged/pairs.csv")
_PROMPT: Final = Path("prompts/judge_pairwise_v1.txt")
_DAY: Final = len("2026-07-06")
# Judges by their names in the table: the platform, as the source's commands have it.
_PLATFORMS: Final[Mapping[str, str]] = {
    "claude-haiku-4-5": "anthropic",
    "claude-sonnet-4-6": "anthropic",
    "gpt-4o-mini": "openai",
}

FAULTS: Final = faults(
    {
        "nobody-says-who-is-right": "No person says which poem is better. What is known is how "
        "often a judge keeps to a poem when the places are exchanged, and its self-preference.",
        "few-subjects": "360 choices on 60 pairs of 20 subjects. The subject is the item, so "
        "intervals are wide.",
        "one-family": "Two of the three judges and authors are one maker's. The source warns that "
        "a preference for a family cannot be told from one for a model.",
        "undated-names": "The ids are undated names. Decoding is not stated.",
        "newer-run-left-out": "The source's later run of other judges is not in the commit that "
        "was read.",
        "no-texts": "Digests are of names: subject and author.",
    }
)


def convert(source: Path, request: Request) -> Conversion:
    """Return every choice between two poems; the author whose name comes first is a."""
    work = Work(source=source, request=request, expected=EXPECTED)
    content = work.read(_PAIRS) if work.holds(_PAIRS) else b""
    if content:
        work.files[_PAIRS.as_posix()] = file_of(_PAIRS.as_posix(), content)
    table = csv.DictReader(StringIO(content.decode("utf-8")), restval="")
    for number, row in enumerate(table, 2):
        if row["judge_model"] in _PLATFORMS and row["preferred_side"] in {"A", "B"}:
            _add(work, f"{_PAIRS}:{number}", row)
        else:
            work.wrong(f"{_PAIRS}:{number}", "is of no known judge, or chooses neither poem")
    return work.done(name="Haiku judge", repository=_REPOSITORY, identity="name")


def _add(work: Work, where: str, row: Mapping[str, str]) -> None:
    judge, subject = row["judge_model"], row["scenario_id"]
    work.settings[judge] = setting_of(
        judge,
        judge,
        platform=_PLATFORMS[judge],
        prompt=_PROMPT.stem,
        sha256=work.digest_of(_PROMPT),
    )
    shown = {"A": row["author_left"], "B": row["author_right"]}
    candidates = dict(zip(sorted(shown.values()), ("a", "b"), strict=True))
    first, second = candidates
    work.add(
        where,
        item=f"{subject}/{first}/{second}",
        setting=judge,
        file=_PAIRS.as_posix(),
        subset=row["stratum"],
        question_sha256=digest(f"{_REPOSITORY}/{subject}"),
        a_sha256=digest(f"{_REPOSITORY}/{subject}/{first}"),
        b_sha256=digest(f"{_REPOSITORY}/{subject}/{second}"),
        a_by=first,
        b_by=second,
        first=candidates[shown["A"]],
        verdict=candidates[shown[row["preferred_side"]]],
        date=row["eval_log"][:_DAY],
    )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
