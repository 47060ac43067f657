"""Choices of the best of four answers, one of them the judge's own (avran-ai/llm-judge-bias)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with data/verdicts.jsonl, lines of {pid, judge, rotation: 0 to 3, order: [four "
    "models], winner_model}, and judge_bias.py, which has the prompt"
)
_REPOSITORY: Final = "https://github.com/avran-ai/llm-judge-bias"
_LICENCE: Final = "CC-BY-NC-4.0"  # of the data, by DATA_LICENSE.md: some prompts are Alpaca's
_VERDICTS: Final = Path("data/verdicts.jsonl")
_SCRIPT: Final = Path("judge_bias.py")
_ORDERS: Final = 4
_DECODING: Final = {"temperature": 0, "top_p": 1, "seed": 42, "max_tokens": 3000}
# Models by their names at OpenRouter.
_MODELS: Final[Mapping[str, str]] = {
    "openai/gpt-5.6-sol": "gpt-5.6-sol",
    "anthropic/claude-opus-4.8": "claude-opus-4-8",
    "google/gemini-3.5-flash": "gemini-3.5-flash",
    "deepseek/deepseek-v4-flash": "deepseek-v4-flash",
    "qwen/qwen3.7-max": "qwen3.7-max",
}

FAULTS: Final = faults(
    {
        "share-of-four-orders": "A judge chose the best of four answers in four orders. Here each "
        "answer has one score: the share of the four orders in which it was chosen.",
        "choices-take-from-others": "A choice of one answer is taken from three others. So the "
        "figure is larger than the source's, which does not subtract what is lost by others.",
        "nobody-says-who-is-right": "No person says which answer is the best. Self-preference is "
        "what is left where other judges choose otherwise.",
        "few-prompts": "48 prompts, 36 of them of WildChat and Alpaca. The prompt is the item.",
        "orders-unbalanced": "Two of the four answers of a prompt do not visit all four places.",
        "through-openrouter": "All were asked through OpenRouter. Which platform answered is not "
        "stated.",
        "undated": "No day stands beside a choice. They were published by 21 August 2026.",
        "rows-twice": "Two choices stand twice: the first reply was cut before it named an answer, "
        "and was asked again.",
        "no-answer-of-its-own": "None of the answers is its own, so that nothing is said of "
        "self-preference. The source uses it as an outsider.",
        "no-texts": "Digests are of names: prompt and model. The data are non-commercial, so "
        "figures alone are here.",
    },
    models={
        "rows-twice": ("claude-opus-4-8",),
        "no-answer-of-its-own": ("qwen3.7-max",),
    },
)


class _Choice(Struct, frozen=True):
    pid: int
    judge: str
    rotation: int
    order: Sequence[str]
    winner_model: str | None


def convert(source: Path, request: Request) -> Conversion:
    """Return for each answer the share of the orders in which a judge chose it."""
    work = Work(source=source, request=request, expected=EXPECTED)
    found: dict[tuple[int, str], dict[int, _Choice]] = {}
    for where, choice in work.lines(_VERDICTS, _Choice) if work.holds(_VERDICTS) else ():
        if choice.winner_model is None:
            work.left_out["replies that name no answer, asked again"] += 1
        elif choice.judge not in _MODELS or choice.winner_model not in choice.order:
            work.wrong(where, "is of no known judge, or chooses none of its answers")
        else:
            found.setdefault((choice.pid, choice.judge), {})[choice.rotation] = choice
    for (prompt, judge), by_order in found.items():
        if len(by_order) != _ORDERS:
            work.wrong(f"{prompt}/{judge}", f"has {len(by_order)} orders of {_ORDERS}")
            continue
        _add(work, prompt, judge, [*by_order.values()])
    return work.done(
        name="LLM judge bias", repository=_REPOSITORY, licence=_LICENCE, identity="name"
    )


def _add(work: Work, prompt: int, judge: str, choices: Sequence[_Choice]) -> None:
    work.settings[judge] = setting_of(
        judge,
        _MODELS[judge],
        prompt="best of four",
        sha256=work.digest_of(_SCRIPT),
        decoding={**_DECODING},
    )
    chosen = Counter(choice.winner_model for choice in choices)
    for model in sorted(choices[0].order):
        item = f"{prompt}/{model}"
        work.add(
            f"{_VERDICTS}/{judge}/{item}",
            item=item,
            setting=judge,
            file=_VERDICTS.as_posix(),
            question_sha256=digest(f"{_REPOSITORY}/{prompt}"),
            a_sha256=digest(f"{_REPOSITORY}/{item}"),
            a_by=model,
            a_score=chosen[model] / _ORDERS,
        )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
