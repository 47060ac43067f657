"""LLMBar's results (princeton-nlp/LLMBar): every answer of a judge under the prompt that it got.

The strategies of LLMBar are of one to three steps. `results[i]` of an entry is what step i of the
strategy's configuration gave: an auxiliary text, or two answers, one an order. So the two-step
strategies `Swap` and `Swap_CoT` ask the prompt of `CoT` once more, and then ask another prompt
only where these two answers disagreed. Winners of `Rating` are derived from two scores by a
tie rule that follows the order; the scores are kept, the winners are not.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import Row, Setting, faults
from epc.records.verdicts.work import Work, answered, setting_of

EXPECTED: Final = (
    "a folder with Dataset/**/evaluators/JUDGE/STRATEGY/result.json, a list of {input, output_1, "
    "output_2, label: 1 or 2, results: [text steps..., {'swap = False': {completion, winner}, "
    "'swap = True': {completion, winner}}]}, and LLMEvaluator/evaluators/config/JUDGE/STRATEGY.json"
)
_RESULTS: Final = "Dataset/**/evaluators/*/*/result.json"
_SYSTEM: Final = Path("LLMEvaluator/evaluators")
_REPOSITORY: Final = "https://github.com/princeton-nlp/LLMBar"
_NOTE: Final = "asked only about items whose first two answers disagreed"
_TEXT_STEPS: Final = "auxiliary texts of a strategy's earlier steps"
_WINNERS: Final[Mapping[str | None, str]] = {"1": "a", "2": "b"}
_DERIVED: Final = "winners derived from two ratings"

FAULTS: Final = faults(
    {
        "one-prompt-three-names": "Swap and Swap_CoT begin with the prompt of CoT and ask another "
        "one only where its two answers disagreed. So their place consistency as a whole is "
        "raised by construction. The first step counts as a further asking of CoT, the second "
        "step apart.",
        "vanilla-has-rules": "The folder Vanilla holds the prompt with rules. The paper's Vanilla "
        "is the folder Vanilla_NoRules.",
        "against-the-answer": "226 answers in the folders PaLM2/CoT have the words of answers in "
        "PaLM2/Swap and another winner, which contradicts them. The figures of PaLM2/CoT carry "
        "this fault.",
        "mirrored-items": "7 pairs of items are the same question and candidates in the other "
        "order: two in the case study, five in MT-Bench. They count as one item in every interval.",
        "equal-unreadable": "The source's own figure of agreement between the orders counts two "
        "unreadable answers as agreement. That makes 0.670 of PaLM2's 0.662.",
        "refused-by-filter": "52 answers were withheld by a content policy. They are unreadable.",
        "generation-unstated": "Only the undated name gpt-4 is stated, without a generation.",
        "date-unstated": "No platform and no date is stated.",
    },
    models={
        "against-the-answer": ("models/text-bison-001",),
        "generation-unstated": ("gpt-4",),
    },
)


class _Answer(Struct, frozen=True):
    """What a judge said in one order. `winner` is a candidate, already turned back by its order."""

    winner: str | None
    completion: list[str] | UnsetType = UNSET


class _Pair(Struct, frozen=True):
    """A step's two answers, or two scores with the winners derived from them."""

    plain: _Answer = msgspec.field(name="swap = False")
    swapped: _Answer = msgspec.field(name="swap = True")
    score_1: list[str] | UnsetType = UNSET
    score_2: list[str] | UnsetType = UNSET


class _Entry(Struct, frozen=True):
    """One comparison, by one judge and one strategy."""

    input: str
    output_1: str
    output_2: str
    label: int
    results: list[_Pair | list[str]]


class _Step(Struct, frozen=True):
    """A step of a strategy, as its configuration states it."""

    prompt: str
    model_name: str
    openai_kwargs: dict[str, Any] | UnsetType = UNSET
    palm_kwargs: dict[str, Any] | UnsetType = UNSET
    generate_kwargs: dict[str, Any] | UnsetType = UNSET


def convert(source: Path, request: Request) -> Conversion:
    """Return every answer in a checkout of LLMBar as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path in work.paths(_RESULTS):
        _convert_file(path, work)
    return work.done(name="LLMBar", repository=_REPOSITORY)


def _convert_file(inside: Path, work: Work) -> None:
    *_, judge, strategy, _ = inside.parts
    config = _SYSTEM / "config" / judge / f"{strategy}.json"
    if not work.holds(config):
        return
    key = inside.parent.as_posix()
    entries = work.decoded(inside, list[_Entry], key=key)
    steps = work.decoded(config, list[_Step])
    if entries is None or steps is None:
        return
    subset = "/".join(inside.parts[1:-4])
    for index, entry in enumerate(entries):
        where = f"{inside}/{index}"
        if entry.label not in (1, 2) or len(entry.results) > len(steps):
            problem = f"label {entry.label} and {len(entry.results)} results of {len(steps)} steps"
            work.wrong(where, problem)
            continue
        item = {
            "item": f"{subset}/{index}",
            "gold": "ab"[entry.label - 1],
            **work.pair(entry.input, entry.output_1, entry.output_2),
        }
        for number, result in enumerate(entry.results, 1):
            if isinstance(result, list):
                work.left_out[_TEXT_STEPS] += 1
                continue
            whole = f"{judge}/{strategy}"
            name = whole if number == len(steps) else f"{whole}/{number}"
            if name not in work.settings:
                is_second = isinstance(entry.results[0], _Pair) and number > 1
                note = _NOTE if is_second else None
                work.settings[name] = _setting(judge, steps[number - 1], work, note)
            common = {**item, "subset": subset, "setting": name, "file": key}
            work.rows += _verdicts(result, common, work)


def _setting(judge: str, step: _Step, work: Work, note: str | None) -> Setting:
    """Return what a step's configuration states: never a platform, and never a date."""
    stated = next(
        (each for each in (step.openai_kwargs, step.palm_kwargs) if each is not UNSET), {}
    )
    options = stated or step.generate_kwargs
    decoding = dict(options) if isinstance(options, dict) else {}
    model = decoding.pop("engine", None) or decoding.pop("model", None) or step.model_name
    return setting_of(
        judge,
        str(model),
        prompt=step.prompt,
        sha256=work.digest_of(_SYSTEM / "prompts" / step.prompt),
        decoding=decoding,
        note=note,
    )


def _verdicts(pair: _Pair, common: dict[str, Any], work: Work) -> Iterator[Row]:
    """Yield a step's verdicts: one an order, or one with two scores that had no order."""
    if isinstance(pair.score_1, list) and isinstance(pair.score_2, list):
        work.left_out[_DERIVED] += 2
        fields: dict[str, Any] = {"a_score": _score(pair.score_1), "b_score": _score(pair.score_2)}
        if UNSET in fields.values():
            fields |= {"verdict": "unreadable"}
        yield Row(**common, **fields)
        return
    for first, answer in (("a", pair.plain), ("b", pair.swapped)):
        fields = {"first": first, "verdict": _WINNERS.get(answer.winner, "unreadable")}
        if isinstance(answer.completion, list) and answer.completion:
            fields |= answered(answer.completion[0])
        yield Row(**common, **fields)


def _score(answer: list[str]) -> float | UnsetType:
    """Return the score that an answer is, and nothing else beside it."""
    text = answer[0].strip() if answer else ""
    return float(text) if text.isascii() and text.isdigit() else UNSET


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
