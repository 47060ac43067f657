"""Scores of translations by two judges (wmt-conference/wmt25-general-mt)."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import Row, faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with data/automatic_scores/SYSTEM.jsonl, lines of {language_pair, domain, "
    "document_id, metric_scores: {GEMBA-ESA-GPT4.1: [0 to 100, ...], GEMBA-ESA-CMDA: [...]}}"
)
_REPOSITORY: Final = "https://github.com/wmt-conference/wmt25-general-mt"
_FILES: Final = "data/automatic_scores/*.jsonl"
_GPT, _COMMAND = "GEMBA-ESA-GPT4.1", "GEMBA-ESA-CMDA"
_JUDGES: Final = {_GPT: "gpt-4.1", _COMMAND: "command-a"}
_AUTHORS: Final = {"gpt-4.1": "GPT-4.1", "command-a": "CommandA"}

FAULTS: Final = faults(
    {
        "scores-only": "One translation, one score of 0 to 100. People's scores are not in the "
        "repository, nor in those beside it that could be read, so nothing says how often a judge "
        "is right.",
        "no-texts": "Digests are of names: language pair, document, segment and system. Lengths "
        "stand as 0.",
        "judge-translates": "GPT-4.1 and Command A are among the translators that they score.",
        "steps": "Command A gives multiples of 5 in 85% of its scores, GPT-4.1 in 37%. So equal "
        "scores are no sign of agreement.",
        "unstated": "Prompt (GEMBA-ESA), decoding, dates and platforms are not in the source.",
        "segments": "A language pair and document is one item in every interval.",
    }
)


class _Document(Struct, frozen=True):
    language_pair: str
    domain: str
    document_id: str
    metric_scores: dict[str, list[float | None] | None]


def convert(source: Path, request: Request) -> Conversion:
    """Return every score of the two judges as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for judge in _JUDGES.values():
        # A judge is called as among the translators, so that its own translations are known.
        work.settings[judge] = setting_of(_AUTHORS[judge], judge, prompt="GEMBA-ESA")
    for path in work.paths(_FILES):
        system = path.stem
        for _, each in work.lines(path, _Document):
            document = f"{each.language_pair}/{each.document_id}"
            question = digest(f"WMT25/{document}")
            for metric, judge in _JUDGES.items():
                for segment, score in enumerate(each.metric_scores.get(metric) or ()):
                    item = f"{document}/{segment}/{system}"
                    said = {"verdict": "unreadable"} if score is None else {"a_score": score}
                    work.rows.append(
                        Row(
                            item=item,
                            setting=judge,
                            file=path.as_posix(),
                            subset=each.language_pair,
                            question_sha256=question,
                            a_sha256=digest(item),
                            a_by=system,
                            **said,
                        )
                    )
    return work.done(name="WMT25 general translation", repository=_REPOSITORY, identity="name")


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
