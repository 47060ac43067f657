"""JudgeBench's outputs (ScalerLab/JudgeBench): pairs with a label of which answer is correct.

Each pair is asked in both orders, and the second decision speaks of the exchanged pair. A reward
model has no order: its second record is the first one mirrored, so its two scores stand once.
"""

from pathlib import Path
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, faults
from epc.records.verdicts.work import Work, answered, setting_of, turned

EXPECTED: Final = (
    "a folder with outputs/*.jsonl, a line for each pair: {pair_id, source, question, "
    "response_model, response_A, response_B, label: A>B or B>A, judge_name, judgments: two of "
    "{judgment: {judge_model, prompt, response, scores?}, decision: A>B, B>A, A=B or null} or null}"
)
FAULTS: Final = faults(
    {
        "mirrored-scores": "A reward model scores each answer alone. The two records of its pairs "
        "are the same two scores mirrored (1,750 of 1,750 pairs of five models), not two askings.",
        "prompt-is-answer": "The field `prompt` of o1-mini holds the judge's own answer in 675 of "
        "700 records. The program that wrote it removed the first message before it noted the "
        "second.",
        "equal-pair": "One pair of the Claude half is twice the same text and has a label.",
        "decoding": "The code at the commit asks at temperature 0 with 4,096 tokens, and o1 "
        "without either. The outputs do not say how they were asked, so decoding is unknown. No "
        "date is stated.",
        "one-writer": "Both answers of a pair are by one model, and its half of the benchmark is "
        "named after it. Claude 3 Haiku was asked about one half, the other judges about the "
        "other half.",
        "shared-questions": "The 620 pairs are about 528 questions: 92 stand in both halves.",
        "licence": "No licence is stated: only digests, lengths and verdicts may be kept.",
        "incomplete": "31 of 38 files of outputs were missing in the mirror that was read, those "
        "of GPT-4o, Claude 3.5 Sonnet and Gemini among them.",
    },
    models={
        "prompt-is-answer": ("o1-mini-2024-09-12",),
        "equal-pair": ("claude-3-haiku-20240307",),
    },
)
_OUTPUTS: Final = "outputs/*.jsonl"
_REPOSITORY: Final = "https://github.com/ScalerLab/JudgeBench"
_MIRRORED: Final = "records of reward models that mirror the one before"
_FAILED: Final = "requests that failed"
_TEMPLATES: Final = Path("utils/templates")
_PROMPTS: Final = {
    "arena_hard": ("arena_hard_judge_system", "arena_hard_judge_prompt"),
    "auto_j": ("autoj_prompt",),
    "judge_lm": ("judgelm_prompt",),
    "panda_lm": ("pandalm_prompt",),
    "prometheus_2": ("prometheus2_prompt",),
    "skywork_critic": ("skywork_critic_prompt",),
    "vanilla": ("vanilla_prompt",),
}
_LABELS: Final = {"A>B": "a", "B>A": "b"}
_DECISIONS: Final = _LABELS | {"A=B": "tie", None: "unreadable"}


class _Judgment(Struct, frozen=True):
    judge_model: str | None
    response: str | None
    scores: tuple[float, float] | UnsetType = UNSET


class _Decided(Struct, frozen=True):
    """What a judge said in one order: `decision` speaks of the places, not of the candidates."""

    judgment: _Judgment
    decision: str | None


class _Pair(Struct, frozen=True, rename={"response_a": "response_A", "response_b": "response_B"}):
    pair_id: str
    source: str
    question: str
    response_model: str
    response_a: str
    response_b: str
    label: str
    judge_name: str
    judgments: list[_Decided | None]


def convert(source: Path, request: Request) -> Conversion:
    """Return every decision in a checkout of JudgeBench as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path in work.paths(_OUTPUTS):
        for where, pair in work.lines(path, _Pair):
            if pair.label not in _LABELS or not 1 <= len(pair.judgments) <= len(_LABELS):
                problem = f"label {pair.label!r} and {len(pair.judgments)} judgments"
                work.wrong(where, problem)
            else:
                _add(pair, path.as_posix(), where, work)
    return work.done(name="JudgeBench", repository=_REPOSITORY)


def _add(pair: _Pair, file: str, where: str, work: Work) -> None:
    is_pair = pair.response_a != pair.response_b  # of two equal texts neither is better
    common: dict[str, Any] = {
        "item": pair.pair_id,
        "subset": pair.source,
        "file": file,
        "a_by": pair.response_model,
        "b_by": pair.response_model,
        **work.pair(pair.question, pair.response_a, pair.response_b),
        **({"gold": _LABELS[pair.label]} if is_pair else {}),
    }
    for first, decided in zip("ab", pair.judgments, strict=False):
        if decided is None:
            work.left_out[_FAILED] += 1
            continue
        if decided.decision not in _DECISIONS:
            work.wrong(where, f"has the decision {decided.decision!r}")
            continue
        fields = _said(decided, first)
        if fields is None:
            work.left_out[_MIRRORED] += 1
            continue
        setting = _setting(pair.judge_name, decided.judgment.judge_model or UNKNOWN, work)
        work.add(where, setting=setting, **common, **fields)


def _said(decided: _Decided, first: str) -> dict[str, Any] | None:
    """Return a verdict of candidates, or a reward model's scores, of which one record is enough."""
    if decided.judgment.scores is not UNSET:
        a, b = decided.judgment.scores
        return {"a_score": a, "b_score": b} if first == "a" else None
    answer = answered(decided.judgment.response) if decided.judgment.response else {}
    return {"first": first, "verdict": turned(_DECISIONS[decided.decision], first), **answer}


def _setting(name: str, model: str, work: Work) -> str:
    key = f"{name}/{model}"
    if key not in work.settings:
        paths = [_TEMPLATES / f"{each}.jinja2" for each in _PROMPTS.get(name, ())]
        known = paths and all((work.source / path).is_file() for path in paths)
        text = "\n".join(work.read(path).decode("utf-8") for path in paths) if known else ""
        sha256 = digest(text) if known else UNKNOWN
        work.settings[key] = setting_of(model, model, prompt=name, sha256=sha256)
    return key


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
