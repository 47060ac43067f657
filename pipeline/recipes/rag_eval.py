"""Relevance of passages by judges of a retrieval (asukul/RAG-Eval-LLM-Judge), beside NIST's."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, Setting, faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with results/trec-rag-2024_judges.json, {pair_index: [[topic, passage]], "
    "human_scores: [0 to 3], per_judge_scores: {label: [0 to 3 or null]}}, "
    "results/intra_judge_consistency.json, the same with per_judge: {label: {runs: [[...]]}}, and "
    "results/umbrela_baseline_trec_rag_2024.json, the same with umbrela_scores"
)
_REPOSITORY: Final = "https://github.com/asukul/RAG-Eval-LLM-Judge"
_LICENCE: Final = "CC-BY-4.0"  # that of results/*.json, by the last part of LICENSE
_ONCE: Final = Path("results/trec-rag-2024_judges.json")
_AGAIN: Final = Path("results/intra_judge_consistency.json")
_UMBRELA: Final = Path("results/umbrela_baseline_trec_rag_2024.json")
_SCRIPT: Final = Path("src/eval_llm_judge.py")
_UMBRELA_SCRIPT: Final = Path("src/run_umbrela_baseline.py")
_CORPUS: Final = "TREC RAG 2024"
_GRADES: Final = frozenset(range(4))
_CALLS: Final = 3  # of one prompt by one judge, in the file of further askings


class _Judge(Struct, frozen=True):
    """Model that a label stands for, who was asked for it, and with what settings."""

    model: str
    platform: str
    options: Mapping[str, Any]


def _routed(model: str, tokens: int = 16) -> _Judge:
    options = {"temperature": 0, "max_completion_tokens": min(tokens, 16)}
    return _Judge(model=model, platform=UNKNOWN, options=options)


# By the logs: `OpenAISdkJudge[openrouter]: model=anthropic/claude-opus-4.7 ... max_out_tok=16`.
_JUDGES: Final[Mapping[str, _Judge]] = {
    "Claude Opus 4.7 (OpenRouter)": _routed("claude-opus-4-7"),
    "Claude Sonnet 4.6 (OpenRouter)": _routed("claude-sonnet-4-6"),
    "GPT-5.5 (reasoning=low)": _Judge(
        model="gpt-5.5",
        platform="openai",
        options={"max_completion_tokens": 256, "reasoning_effort": "low"},
    ),
    "GPT-4o (chat)": _Judge(
        model="gpt-4o",
        platform="openai",
        options={"temperature": 0, "max_completion_tokens": 16},
    ),
    "Gemini 3.1 Pro Preview (OpenRouter)": _routed("gemini-3.1-pro-preview", 2048),
    "Gemini 2.5 Pro (OpenRouter)": _routed("gemini-2.5-pro", 2048),
    "DeepSeek V4 Pro (OpenRouter)": _routed("deepseek-v4-pro"),
    "Qwen 3.6 Plus (OpenRouter)": _routed("qwen3.6-plus"),
    "Gemma 4 26B (OpenRouter)": _routed("gemma-4-26b-a4b-it"),
}
_UNREADABLE: Final = ("gemini-3.1-pro-preview", "gemini-2.5-pro", "deepseek-v4-pro")

FAULTS: Final = faults(
    {
        "cut-passages": "The paper says that passages are cut at 1,500 characters. The code cuts "
        "them at 500, title and headings first, so that of 161 of the 537 the judge saw no word of "
        "the passage itself. NIST's assessors saw it whole.",
        "balanced-sample": "The pairs were drawn so that each of NIST's four grades has 134 or "
        "135. In a real retrieval most passages are irrelevant, and shares differ.",
        "grades-by-topic": "537 pairs are of 86 topics; the topic is the item in every interval.",
        "other-corpora": "The source has two more corpora, which are left out: TREC-COVID is one "
        "query with 300 passages, and SciFact has no irrelevant passage.",
        "repeats-typed-otherwise": "The three further askings of 50 pairs join title, headings "
        "and text by empty lines, the others by blanks. So they are another prompt, and only they "
        "are held against one another.",
        "through-openrouter": "Judges marked OpenRouter were asked through it. Which platform "
        "answered is not stated.",
        "undated-names": "The ids are undated names, and no day stands beside a score. The scores "
        "were published on 28 and 29 April 2026.",
        "short-replies": "At most 16 tokens were read of this judge's reply, which thinks first. "
        "17 to 39% of its scores are there; which ones is no chance.",
        "no-texts": "Digests are of names: topic and passage. Lengths stand as 0.",
    },
    models={
        "through-openrouter": tuple(
            judge.model for judge in _JUDGES.values() if judge.platform == UNKNOWN
        ),
        "short-replies": _UNREADABLE,
        "repeats-typed-otherwise": tuple(judge.model for judge in _JUDGES.values()),
        "undated-names": tuple(judge.model for judge in _JUDGES.values()),
        "cut-passages": tuple(judge.model for judge in _JUDGES.values()),
    },
)


class _Pairs(Struct, frozen=True):
    """Topics and passages, what NIST says of them, and what judges said, in one order."""

    pair_index: Sequence[tuple[str, str]]
    human_scores: Sequence[int]
    per_judge_scores: Mapping[str, Sequence[int | None]] = {}
    umbrela_scores: Sequence[int | None] = ()


class _Runs(Struct, frozen=True):
    runs: Sequence[Sequence[int | None]]


class _Again(_Pairs, frozen=True):
    per_judge: Mapping[str, _Runs] = {}


def convert(source: Path, request: Request) -> Conversion:
    """Return every score of a judge on a passage of TREC RAG 2024."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path, kind, key in ((_ONCE, _Pairs, "once"), (_AGAIN, _Again, "again")):
        found: _Pairs | None = work.decoded(path, kind, key=key) if work.holds(path) else None
        if found is None:
            continue
        for label, runs in _scores(found):
            setting = _setting(work, label, key)
            for repeat, scores in enumerate(runs):
                _add(work, found, scores, setting=setting, file=key, repeat=repeat)
    if work.holds(_UMBRELA) and (found := work.decoded(_UMBRELA, _Pairs, key="umbrela")):
        judge = "gpt-4o-2024-08-06"
        work.settings["UMBRELA"] = setting_of(
            judge,
            judge,
            platform="openai",
            prompt="UMBRELA",
            sha256=work.digest_of(_UMBRELA_SCRIPT),
            decoding={"temperature": 0, "max_tokens": 64},
        )
        _add(work, found, found.umbrela_scores, setting="UMBRELA", file="umbrela")
    return work.done(name=_CORPUS, repository=_REPOSITORY, licence=_LICENCE, identity="name")


def _scores(found: _Pairs) -> Iterator[tuple[str, Sequence[Sequence[int | None]]]]:
    """Yield a judge's label with its scores, by asking."""
    if isinstance(found, _Again):
        yield from ((label, judge.runs) for label, judge in found.per_judge.items())
    else:
        yield from ((label, [scores]) for label, scores in found.per_judge_scores.items())


def _setting(work: Work, label: str, key: str) -> str:
    if label not in _JUDGES:
        work.wrong(label, "is no label of a judge whose model the logs state")
        return label
    judge = _JUDGES[label]
    name = f"{judge.model}/{key}"
    work.settings[name] = _setting_of(judge, key, work.digest_of(_SCRIPT))
    return name


def _setting_of(judge: _Judge, key: str, script: str) -> Setting:
    again = " (parts on lines)" if key == "again" else ""
    return setting_of(
        judge.model,
        judge.model,
        platform=judge.platform,
        prompt=f"JUDGE_PROMPT_TEMPLATE{again}",
        sha256=digest(f"{script}{again}") if again else script,
        decoding={**judge.options},
    )


def _add(
    work: Work,
    found: _Pairs,
    scores: Sequence[int | None],
    *,
    setting: str,
    file: str,
    repeat: int = 0,
) -> None:
    if not len(scores) == len(found.pair_index) == len(found.human_scores):
        work.wrong(setting, f"has {len(scores)} scores of {len(found.pair_index)} pairs")
        return
    for (topic, passage), gold, score in zip(
        found.pair_index, found.human_scores, scores, strict=True
    ):
        item = f"{topic}/{passage}"
        if score is not None and score not in _GRADES:
            work.wrong(f"{setting}/{item}", f"has the score {score}")
            continue
        work.add(
            f"{file}/{setting}/{item}",
            item=item,
            setting=setting,
            file=file,
            question_sha256=digest(f"{_CORPUS}/{topic}"),
            a_sha256=digest(f"{_CORPUS}/{item}"),
            human_score=float(gold),
            **({"verdict": "unreadable"} if score is None else {"a_score": float(score)}),
            **({"repeat": repeat} if repeat else {}),
        )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
