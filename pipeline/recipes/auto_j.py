"""Auto-J's outputs (GAIR-NLP/auto-j): Auto-J on pairs that people judged, GPT-4 on critiques.

The labels of the pairs are people's. The answers of Auto-J are numbers by place, in a file for each
order. GPT-4 compared Auto-J's critiques with ChatGPT's, each pair in one order drawn by chance.
"""

from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, answered, setting_of, turned

EXPECTED: Final = (
    "a folder with data/test/testdata_pairwise.jsonl {scenario, label: 0, 1 or 2, prompt, "
    "'response 1', 'response 2'} and data/outputs/pairwise_example_output.jsonl and "
    "pairwise_exchange_example_output.jsonl {output: 0, 1 or 2}; or data/test/testdata_critique"
    ".jsonl {scenario, prompt, response}, its two critiques, and data/outputs/gpt-4-Eval_auto-j_vs_"
    "chatgpt.jsonl {output, meta: {exchange}}; as many lines in each"
)
_AUTO_J: Final = "GAIR/autoj-13b"
_GPT_4: Final = "gpt-4"
FAULTS: Final = faults(
    {
        "unnamed-judge": "The two files of pairs do not name their judge. It is taken to be "
        "Auto-J 13B, because the README gives that judge the agreement (54.96) and consistency "
        "(83.41) of these files.",
        "gpt-4": "The README calls the file of critiques gpt-4-turbo's, its name and the code say "
        "gpt-4. No generation and no date is stated.",
        "other-critique": "One of 232 critiques differs between the test data and the outputs. "
        "Nobody can see which was judged; the outputs' is taken, as the code does.",
        "repeated-pairs": "Of 1,392 pairs 2 stand twice and 7 are the same text twice; they are "
        "of 1,182 questions.",
        "numbers-only": "Auto-J's answers are published as numbers, without their text.",
        "one-order": "GPT-4 saw each pair of critiques in one order, drawn by chance.",
        "licence": "No licence is stated: only digests, lengths and verdicts may be kept.",
    },
    models={
        "unnamed-judge": (_AUTO_J,),
        "gpt-4": (_GPT_4,),
        "other-critique": (_GPT_4,),
        "repeated-pairs": (_AUTO_J,),
        "numbers-only": (_AUTO_J,),
        "one-order": (_GPT_4,),
    },
)
_REPOSITORY: Final = "https://github.com/GAIR-NLP/auto-j"
_TEST: Final = "data/test"
_OUTPUTS: Final = "data/outputs"
_PAIRS: Final = f"{_TEST}/testdata_pairwise.jsonl"
_ORDERS: Final = (
    ("a", f"{_OUTPUTS}/pairwise_example_output.jsonl"),
    ("b", f"{_OUTPUTS}/pairwise_exchange_example_output.jsonl"),
)
_CRITICISED: Final = f"{_TEST}/testdata_critique.jsonl"
_CRITIQUES: Final = (
    f"{_OUTPUTS}/critique_example_output.jsonl",
    f"{_TEST}/reference_chatgpt_critique.jsonl",
)
_COMPARED: Final = f"{_OUTPUTS}/gpt-4-Eval_auto-j_vs_chatgpt.jsonl"
_WORDS: Final = ("a", "b", "tie")  # by number, of candidates or of places
_LETTERS: Final = {"A:": "a", "B:": "b", "C:": "tie"}


class _Pair(Struct, frozen=True, rename={"response_1": "response 1", "response_2": "response 2"}):
    scenario: str
    label: Literal[0, 1, 2]
    prompt: str
    response_1: str
    response_2: str


class _Number(Struct, frozen=True):
    output: Literal[0, 1, 2]


class _Criticised(Struct, frozen=True):
    scenario: str
    prompt: str
    response: str


class _Text(Struct, frozen=True):
    output: str


class _Meta(Struct, frozen=True):
    exchange: bool


class _Comparison(Struct, frozen=True):
    output: str
    meta: _Meta


def convert(source: Path, request: Request) -> Conversion:
    """Return every verdict in a checkout of Auto-J."""
    work = Work(source=source, request=request, expected=EXPECTED)
    if not any((source / path).is_file() for path in (_PAIRS, _COMPARED)):
        work.wrong(source.name, f"holds neither {_PAIRS} nor {_COMPARED}")
    if (source / _PAIRS).is_file():
        _add_pairs(work)
    if (source / _COMPARED).is_file():
        _add_critiques(work)
    return work.done(name="Auto-J", repository=_REPOSITORY)


def _lines(path: str, kind: Any, work: Work) -> list[Any]:
    file = Path(path)
    return [line for _, line in work.lines(file, kind)] if work.holds(file) else []


def _together(work: Work, *lists: list[Any]) -> "zip[tuple[Any, ...]]":
    """Return the lines of several files side by side, which is how the files belong together."""
    if len({len(each) for each in lists}) > 1:
        work.wrong(_TEST, f"files of {', '.join(str(len(each)) for each in lists)} lines")
    return zip(*lists, strict=False)


def _add_pairs(work: Work) -> None:
    setting = _setting(_AUTO_J, "pairwise", work)
    pairs = _lines(_PAIRS, _Pair, work)
    for first, path in _ORDERS:
        numbers = _lines(path, _Number, work)
        for index, (pair, number) in enumerate(_together(work, pairs, numbers)):
            work.add(
                f"{path}:{index + 1}",
                item=f"pair/{index}",
                subset=pair.scenario,
                setting=setting,
                file=path,
                first=first,
                verdict=turned(_WORDS[number.output], first),
                humans=(_WORDS[pair.label],),
                **work.pair(pair.prompt, pair.response_1, pair.response_2),
            )


def _add_critiques(work: Work) -> None:
    setting = _setting(_GPT_4, "critique", work)
    items = _lines(_CRITICISED, _Criticised, work)
    ours, reference = (_lines(path, _Text, work) for path in _CRITIQUES)
    compared = _lines(_COMPARED, _Comparison, work)
    for index, (item, a, b, comparison) in enumerate(
        _together(work, items, ours, reference, compared)
    ):
        first = "b" if comparison.meta.exchange else "a"
        work.add(
            f"{_COMPARED}:{index + 1}",
            item=f"critique/{index}",
            subset=item.scenario,
            setting=setting,
            file=_COMPARED,
            a_by="auto-j",
            b_by="chatgpt",
            first=first,
            verdict=turned(_LETTERS.get(comparison.output[:2], "unreadable"), first),
            **work.pair(f"{item.prompt}\n\n{item.response}", a.output, b.output),
            **answered(comparison.output),
        )


def _setting(model: str, prompt: str, work: Work) -> str:
    key = f"{model}/{prompt}"
    work.settings[key] = setting_of(model, model, prompt=prompt)
    return key


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
