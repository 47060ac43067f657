"""AlpacaEval's results (tatsu-lab/alpaca_eval): a generator's answers against a baseline's.

Which answer stood first is written nowhere, and follows from the code: a generator of random
numbers that is seeded with the instruction. The judge's answers confirm it. Pairs of equal texts
were given a preference without asking, and answers were copied between folders: neither counts.
"""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from epc.records import strict_yaml
from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, faults
from epc.records.verdicts.work import Work, answered, as_text, setting_of

EXPECTED: Final = (
    "a folder with results/GENERATOR/ANNOTATOR/annotations.json, a list of {instruction, output_1, "
    "output_2, generator_1, generator_2, dataset, annotator, preference: 1 to 2, 0 or null}, and "
    "src/alpaca_eval/evaluators_configs/ANNOTATOR/configs.yaml"
)
FAULTS: Final = faults(
    {
        "undated": "The judge of `alpaca_eval_gpt4` is stated as `gpt-4`, without a generation.",
        "one-place": "Which answer stood first depends on the instruction alone. So every "
        "generator's answer to an instruction stood in the same place, and no pair was asked in "
        "both orders.",
        "derived-place": "No file says which answer stood first. It follows from the code, and "
        "66,488 of 66,488 answers that show the place confirm it; 37,522 verdicts are published "
        "without an answer.",
        "copies": "2,917 entries are copies: the same texts, preference and time to ten digits. "
        "The folder of falcon-7b-instruct holds the annotations of falcon-40b-instruct.",
        "not-asked": "1,993 pairs are equal texts. No judge was asked; the file says 0 or 1.5.",
        "wrong-folder": "Three folders hold the verdicts of another annotator than the one that "
        "they are named after; the entries' own `annotator` is used.",
        "two-baselines": "The baseline text_davinci_003 has two answers to 785 of 805 questions: "
        "one folder was compared with other texts than the rest.",
        "configuration": "Prompt, model and decoding are those of the annotator's configuration "
        "at the commit, not of the day of the request. No date is stated.",
        "weighted": "`weighted_alpaca_eval_gpt4_turbo` gives the probability of an answer and no "
        "answer. It is kept as two scores that sum to 1.",
        "attack": "The generator `example` of the folder NullModel is an attack: it gives one "
        "text that misleads the judge to every instruction.",
        "incomplete": "165 of 298 files of annotations were missing in the mirror that was read. "
        "A whole checkout has more verdicts.",
    },
    models={
        "undated": ("gpt-4",),
        "two-baselines": ("gpt-4",),
        "weighted": ("gpt-4-1106-preview",),
        "attack": ("gpt-4-1106-preview",),
    },
)
_README: Final = Path("README.md")
_RESULTS: Final = "results/*/*/annotations.json"
_CONFIGS: Final = "src/alpaca_eval/evaluators_configs"
_REPOSITORY: Final = "https://github.com/tatsu-lab/alpaca_eval"
_NOT_ASKED: Final = "pairs of equal texts, about which no judge was asked"
_COPIED: Final = "copies of an entry in another folder, to the last digit of its time"
_LICENCE: Final = b"Data%20License-CC%20By%20NC%204.0"
_VERDICTS: Final = {None: "unreadable", 0: "tie", 1: "a", 1.5: "tie", 2: "b"}
_PLACE: Final = "is_switched_outputs"  # what AlpacaEval seeds the places with, beside the question


class _Entry(Struct, frozen=True):
    """One comparison. `preference` is 1 where output 1 is better, 2 where output 2 is."""

    instruction: str
    output_1: str
    output_2: str
    generator_1: str
    generator_2: str
    dataset: str
    annotator: str
    preference: float | None
    raw_completion: Any = None
    time_per_example: float | UnsetType | None = UNSET


class _Config(Struct, frozen=True):
    """How an annotator asks."""

    prompt_template: str
    completions_kwargs: dict[str, Any]
    fn_completion_parser: str | None = None
    completion_parser_kwargs: dict[str, Any] = {}


@dataclass(slots=True)
class _Seen:
    """What was met before: annotators, questions, and pairs with their askings."""

    weighted: dict[str, bool | None] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)
    items: dict[tuple[str, str, str], str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    askings: dict[tuple[str, str], list[tuple[float | None, Any]]] = field(default_factory=dict)


def convert(source: Path, request: Request) -> Conversion:
    """Return every answer in a checkout of AlpacaEval as a verdict."""
    work, seen = Work(source=source, request=request, expected=EXPECTED), _Seen()
    for path in work.paths(_RESULTS):
        for index, entry in enumerate(work.decoded(path, list[_Entry], key=path.as_posix()) or ()):
            _add(entry, path.as_posix(), index, work, seen)
    # The file LICENSE is the code's.
    is_stated = (source / _README).is_file() and _LICENCE in work.read(_README)
    licence = "CC-BY-NC-4.0" if is_stated else UNKNOWN
    return work.done(name="AlpacaEval", repository=_REPOSITORY, licence=licence)


def _add(entry: _Entry, file: str, index: int, work: Work, seen: _Seen) -> None:
    if entry.annotator not in seen.weighted:
        seen.weighted[entry.annotator] = _setting(entry.annotator, work)
    weighted = seen.weighted[entry.annotator]
    if weighted is None:
        return
    if entry.output_1 == entry.output_2:
        work.left_out[_NOT_ASKED] += 1
        return
    pair = work.pair(entry.instruction, entry.output_1, entry.output_2)
    item = _item(entry, (pair["question_sha256"], pair["a_sha256"], pair["b_sha256"]), seen)
    askings = seen.askings.setdefault((entry.annotator, item), [])
    asking = (entry.preference, entry.time_per_example)
    if asking in askings:
        work.left_out[_COPIED] += 1
        return
    fields = _said(entry.preference, weighted=weighted)
    if fields is None:
        work.wrong(f"{file}/{index}", f"has the preference {entry.preference}")
        return
    if entry.raw_completion is not None:
        fields |= answered(as_text(entry.raw_completion))
    askings.append(asking)
    work.add(
        f"{file}/{index}",
        item=item,
        subset=entry.dataset,
        setting=entry.annotator,
        file=file,
        a_by=entry.generator_1,
        b_by=entry.generator_2,
        first=_first(entry.instruction),
        **pair,
        **fields,
        **work.repeat(entry.annotator, item),
    )


def _item(entry: _Entry, texts: tuple[str, str, str], seen: _Seen) -> str:
    """Return the name of a question with its two texts, the same in whatever folder it stands."""
    if texts not in seen.items:
        number = seen.questions.setdefault(texts[0], len(seen.questions))
        name = base = f"{entry.generator_1}/{entry.generator_2}/{number}"
        version = 1
        while name in seen.names:
            version += 1
            name = f"{base}#{version}"
        seen.names.add(name)
        seen.items[texts] = name
    return seen.items[texts]


def _first(instruction: str) -> str:
    """Return who stood first: AlpacaEval seeds the order with the instruction and its seed 0."""
    return Random(f"{_PLACE}{instruction}0").choices("ab")[0]  # noqa: S311 - its own order


def _said(preference: float | None, *, weighted: bool) -> dict[str, Any] | None:
    """Return a verdict, or the probability of each candidate, or None for what is neither."""
    if not weighted or preference is None:
        return {"verdict": _VERDICTS[preference]} if preference in _VERDICTS else None
    a, b = 2 - preference, preference - 1
    return {"a_score": a, "b_score": b} if a >= 0 and b >= 0 else None


def _setting(annotator: str, work: Work) -> bool | None:
    """State an annotator's setting; return whether it gives probabilities, None for a fault."""
    path = f"{_CONFIGS}/{annotator}/configs.yaml"
    if not work.holds(Path(path)):
        return None
    document = strict_yaml.read(work.source / path)
    try:
        config = msgspec.convert(document.value, dict[str, _Config])[annotator]
    except (msgspec.ValidationError, KeyError) as error:
        work.wrong(path, f"states no annotator {annotator!r}: {error}")
        return None
    decoding = dict(config.completions_kwargs)
    work.settings[annotator] = setting_of(
        annotator,
        str(decoding.pop("model_name", UNKNOWN)),
        prompt=config.prompt_template,
        sha256=work.digest_of(Path(_CONFIGS, config.prompt_template)),
        decoding=decoding,
    )
    is_binary = config.completion_parser_kwargs.get("is_binarize", True)
    return config.fn_completion_parser == "logprob_parser" and not is_binary


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
