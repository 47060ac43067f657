"""MT-Bench pairs in both orders (mehrabian/judge-agreement-harness)."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, day_of, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, answered, setting_of, turned

EXPECTED: Final = (
    "a folder with results/runs/TIME_JUDGE.jsonl, lines of {question_id, model_a, model_b, order: "
    "ab or ba, verdict: model_a, model_b or tie, verdict_raw, parse_ok, judge_model, temperature, "
    "ts}, of which `verdict` is a place"
)
_REPOSITORY: Final = "https://github.com/mehrabian/judge-agreement-harness"
_FILES: Final = "results/runs/*.jsonl"
_CATEGORIES: Final = (
    *("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"),
)
_PLACES: Final = {"model_a": "a", "model_b": "b", "tie": "tie"}
_TRIAL: Final = "answers of a trial run on two pairs"
_FULL: Final = 100  # lines; a file with fewer is a trial

FAULTS: Final = faults(
    {
        "verdict-is-a-place": "`verdict` says which place won, so in the order `ba` it is turned "
        "back. Read as a candidate, it makes 10% of 91% place consistency (of the 268 pairs that "
        "both orders decided, 5% of 95%).",
        "mirrored-pairs": "23 of the 300 pairs are another one with the models exchanged. They "
        "count as one item in every interval.",
        "people-elsewhere": "The experts' choices are in a data set that is not in the source. "
        "Its own figure, 88.1% of decided choices, counts the votes and drops all ties.",
        "no-texts": "The source holds the last 200 characters of each answer and no candidate. So "
        "digests of candidates are those of names.",
        "prompt-elsewhere": "The prompt is pair-v2 of FastChat. `prompt_hash` is that of a filled "
        "prompt; a digest of the template is not stated.",
    }
)


class _Said(Struct, frozen=True):
    """One answer of the judge."""

    question_id: int
    model_a: str
    model_b: str
    order: str
    verdict: str
    verdict_raw: str
    parse_ok: bool
    judge_model: str
    temperature: float
    ts: str


def convert(source: Path, request: Request) -> Conversion:
    """Return every answer as a verdict of candidates."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path in work.paths(_FILES):
        answers = list(work.lines(path, _Said))
        if len(answers) < _FULL:
            work.left_out[_TRIAL] += len(answers)
            del work.files[path.as_posix()]
            continue
        for where, each in answers:
            if each.order not in ("ab", "ba") or each.verdict not in _PLACES:
                work.wrong(where, f"has the order {each.order!r} and verdict {each.verdict!r}")
                continue
            stated = setting_of(
                each.judge_model,
                each.judge_model,
                platform="anthropic",
                prompt="pair-v2",
                decoding={"temperature": each.temperature},
            )
            first = each.order[0]
            question = f"MT-Bench/{each.question_id}"
            models = {"a": each.model_a, "b": each.model_b}
            verdict = turned(_PLACES[each.verdict], first) if each.parse_ok else "unreadable"
            work.add(
                where,
                item=f"{each.question_id}/{each.model_a}/{each.model_b}",
                setting=work.setting(f"{each.judge_model}/pair-v2", stated),
                file=path.as_posix(),
                subset=_CATEGORIES[(each.question_id - 81) // 10],
                question_sha256=digest(question),
                **{f"{side}_sha256": digest(f"{question}/{by}") for side, by in models.items()},
                a_by=each.model_a,
                b_by=each.model_b,
                first=first,
                verdict=verdict,
                date=day_of(each.ts),
                **answered(each.verdict_raw),
            )
    return work.done(
        name="MT-Bench pairs, agreement harness", repository=_REPOSITORY, identity="name"
    )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
