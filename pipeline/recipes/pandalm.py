"""PandaLM's test set (WeOpenML/PandaLM): pairs, three people's labels, and two judges' winners.

Several models gave the same words, so a pair stands under several numbers, in one order or both.
It is one item: the same order again is a further asking, the other one is an exchange of places.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct, field

from epc.json_text import storable
from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import Row, faults
from epc.records.verdicts.work import Work, answered, setting_of, turned

EXPECTED: Final = (
    "a folder with data/testset-v1.json, a list of {idx, motivation_app, cmp_key: A_B, "
    "instruction, input, response1, response2, annotator1 to annotator3: 0, 1 or 2}, and "
    "data/JUDGE-testset-v1.json, lists of {idx, gpt_result: '1', '2', 'Tie' or 'garbage', "
    "gpt_reason, gpt_reference} or {idx, pandalm_result: 1, 2 or 0, pandalm_reason, ...}"
)
_ITEMS: Final = Path("data/testset-v1.json")
_REPOSITORY: Final = "https://github.com/WeOpenML/PandaLM"
_NO_TEXT: Final = "verdicts on a response that is stored as true, not as a text"
_WORDS: Final[Mapping[object, str]] = {"1": "a", "2": "b", 1: "a", 2: "b", 0: "tie", "Tie": "tie"}

FAULTS: Final = faults(
    {
        "repeated-pairs": "The 993 usable pairs are 861 different ones: the same question and the "
        "same two responses stand under up to 6 numbers (84 pairs under more than one). Each is "
        "one item.",
        "place-by-accident": "Both orders were asked only where models happened to give the same "
        "words: 35 items. Place consistency from these is of short, easily repeated responses.",
        "copied-answers": "Of 132 pairs of askings in one order, 132 of pandalm-7b and 114 of "
        "gpt-3.5-turbo have the same reason, word for word. Nobody can tell a copied answer from "
        "one that was given twice.",
        "shared-labels": "The people's labels of a pair under several numbers agree in all but "
        "one case. They may have been copied. The labels are no further opinions.",
        "filtered-people": "Pairs on which the three people diverged were removed by the source. "
        "So agreement among them (kappa 0.85 to 0.88) is high by construction, and agreement with "
        "them is that on easier pairs.",
        "true-responses": "6 responses are stored as true, not as a text. What the judges were "
        "shown is not known; 12 verdicts are left out.",
        "empty-fields": "54 responses and 167 inputs are empty. When the first verdicts were "
        "published, NaN stood there; a commit of the same day made it an empty text. Whether the "
        "judges were shown 'nan' or nothing is not stated.",
        "tie-or-unreadable": "0 means a tie. The source's parser gives 0 for every answer, too, "
        "that it cannot read. So its 107 ties may hold unreadable answers.",
        "garbage": "25 answers are marked 'garbage' and have no text. They are unreadable; why, "
        "is not stated.",
        "against-its-reason": "2 winners are response 1 while the reason calls response 2 better.",
        "generation-unstated": "Only the undated name gpt-3.5-turbo is stated, and no date. The "
        "verdicts were published on 30 April 2023, so they are no younger.",
        "own-benchmark": "The judge was made by those who made the test set, and tuned on pairs "
        "of the same five base models.",
        "prompt-unstated": "The files state no prompt, no decoding and no date.",
        "answer-in-parts": "The judges' answers are kept only in parts. The digest of an answer "
        "is that of its reason, an empty line and its reference answer.",
    },
    models={
        "tie-or-unreadable": ("pandalm-7b",),
        "garbage": ("gpt-3.5-turbo",),
        "against-its-reason": ("gpt-3.5-turbo",),
        "generation-unstated": ("gpt-3.5-turbo",),
        "own-benchmark": ("pandalm-7b",),
    },
)


class _Entry(Struct, frozen=True):
    """A question, two responses, and what three people said."""

    idx: int
    motivation_app: str
    cmp_key: str
    instruction: str
    input: str
    response1: str | bool
    response2: str | bool
    annotator1: Literal[0, 1, 2]
    annotator2: Literal[0, 1, 2]
    annotator3: Literal[0, 1, 2]


class _Gpt(Struct, frozen=True):
    """A winner by gpt-3.5-turbo."""

    idx: int
    result: Literal["1", "2", "Tie", "garbage"] = field(name="gpt_result")
    reason: str = field(name="gpt_reason")
    reference: str = field(name="gpt_reference")


class _PandaLM(Struct, frozen=True):
    """A winner by PandaLM."""

    idx: int
    result: Literal[0, 1, 2] = field(name="pandalm_result")
    reason: str = field(name="pandalm_reason")
    reference: str = field(name="pandalm_reference")


_JUDGES: Final[Mapping[str, Any]] = {"gpt-3.5-turbo": list[_Gpt], "pandalm-7b": list[_PandaLM]}


@dataclass(frozen=True, slots=True)
class _Pair:
    """What every verdict on a pair says of it, and which candidate stood first."""

    common: dict[str, Any]
    first: str


def convert(source: Path, request: Request) -> Conversion:
    """Return every winner of a readable pair as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    entries = work.decoded(_ITEMS, list[_Entry], key="pairs") if work.holds(_ITEMS) else None
    pairs = _pairs(entries or [], work)
    for judge, kind in _JUDGES.items():
        path = _ITEMS.with_name(f"{judge}-{_ITEMS.name}")
        if entries is None or not work.holds(path):
            continue
        work.settings[judge] = setting_of(judge, judge)
        judgments: list[_Gpt | _PandaLM] = work.decoded(path, kind, key=judge) or []
        if sorted(each.idx for each in judgments) != sorted(pairs):
            work.wrong(path, f"its numbers are not those of {_ITEMS}, each once")
            continue
        for each in judgments:
            _add(each, pairs[each.idx], judge, work)
    return work.done(name="PandaLM", repository=_REPOSITORY)


def _add(judgment: _Gpt | _PandaLM, pair: _Pair | None, judge: str, work: Work) -> None:
    if pair is None:
        work.left_out[_NO_TEXT] += 1
        return
    words = "\n\n".join(filter(None, (judgment.reason, judgment.reference)))
    verdict: dict[str, Any] = {
        "first": pair.first,
        "verdict": turned(_WORDS.get(judgment.result, "unreadable"), pair.first),
        **(answered(words) if words else {}),
    }
    repeat = work.repeat(judge, pair.common["item"], pair.first)
    work.rows.append(Row(setting=judge, file=judge, **pair.common, **verdict, **repeat))


def _pairs(entries: list[_Entry], work: Work) -> dict[int, _Pair | None]:
    """Return each number's pair, or None where a response is no text.

    Candidate a is the one that stood first under the pair's first number.
    """
    names: dict[tuple[str, ...], tuple[str, str]] = {}
    pairs: dict[int, _Pair | None] = {}
    for entry in entries:
        pairs[entry.idx] = None
        if isinstance(entry.response1, bool) or isinstance(entry.response2, bool):
            continue
        shown = [storable(entry.response1), storable(entry.response2)]
        question = digest(storable(f"{entry.instruction}\n\n{entry.input}"))
        item, a = names.setdefault((question, *sorted(shown)), (str(entry.idx), shown[0]))
        first = "a" if shown[0] == a else "b"
        writers = entry.cmp_key.split("_")
        if len(writers) != len(shown):
            work.wrong(f"{_ITEMS}/{entry.idx}", f"cmp_key {entry.cmp_key!r} is not A_B")
            continue
        if first == "b":
            shown, writers = shown[::-1], writers[::-1]
        labels = (entry.annotator1, entry.annotator2, entry.annotator3)
        common = {
            "item": item,
            "subset": entry.motivation_app,
            "question_sha256": question,
            **work.candidate("a", shown[0]),
            "a_by": writers[0],
            **work.candidate("b", shown[1]),
            "b_by": writers[1],
            "humans": tuple(turned(_WORDS[label], first) for label in labels),
        }
        pairs[entry.idx] = _Pair(common, first)
    return pairs


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
