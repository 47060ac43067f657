"""LLMBar's results (princeton-nlp/LLMBar): every answer of a judge under the prompt that it got.

The strategies of LLMBar are of one to three steps. `results[i]` of an entry is what step i of the
strategy's configuration gave: an auxiliary text, or two answers, one an order. So the two-step
strategies `Swap` and `Swap_CoT` ask the prompt of `CoT` once more, and then ask another prompt
only where these two answers disagreed. Winners of `Rating` are derived from two scores by a
tie rule that follows the order; the scores are kept, the winners are not.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from epc.errors import WorldError
from epc.json_text import storable
from epc.records.findings import Findings
from epc.records.observed.checking import CLAUSE
from epc.records.observed.converting import Conversion, Request, digest, file_of
from epc.records.observed.types import UNKNOWN, Header, Judge, Prompt, Row, Setting, SourceFile

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


@dataclass(slots=True)
class _Work:
    """What a conversion has so far."""

    source: Path
    texts: bool
    files: dict[str, SourceFile] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    findings: Findings = field(default_factory=Findings)


def convert(source: Path, request: Request) -> Conversion:
    """Return every answer in a checkout of LLMBar as a verdict."""
    work = _Work(source, request.texts)
    paths = sorted(source.glob(_RESULTS)) if source.is_dir() else []
    if not paths:
        work.findings.add(CLAUSE, str(source), f"holds no {_RESULTS}", f"expected {EXPECTED}")
    for path in paths:
        _convert_file(path, work)
    if len(work.findings):
        return Conversion(findings=work.findings.kept())
    licence = _read(source / "LICENSE") if (source / "LICENSE").is_file() else b""
    stated = "MIT" if licence.lstrip().startswith(b"MIT License") else UNKNOWN
    header = Header(
        schema_version=1,
        source=request.source(name="LLMBar", repository=_REPOSITORY, licence=stated),
        files=work.files,
        settings=work.settings,
        left_out=dict(work.left_out),
    )
    return Conversion(header=header, rows=work.rows)


def _convert_file(path: Path, work: _Work) -> None:
    inside = path.relative_to(work.source)
    *_, judge, strategy, _ = inside.parts
    config = _SYSTEM / "config" / judge / f"{strategy}.json"
    if not (work.source / config).is_file():
        work.findings.add(CLAUSE, config.as_posix(), "is missing", f"expected {EXPECTED}")
        return
    content = _read(path)
    entries = _decoded(content, inside, list[_Entry], work)
    steps = _decoded(_read(work.source / config), config, list[_Step], work)
    if entries is None or steps is None:
        return
    key = inside.parent.as_posix()
    work.files[key] = file_of(inside.as_posix(), content)
    subset = "/".join(inside.parts[1:-4])
    for index, entry in enumerate(entries):
        where = f"{inside}/{index}"
        if entry.label not in (1, 2) or len(entry.results) > len(steps):
            found = f"label {entry.label} and {len(entry.results)} results of {len(steps)} steps"
            work.findings.add(CLAUSE, where, found, f"expected {EXPECTED}")
            continue
        item = _item(entry, f"{subset}/{index}", texts=work.texts)
        for number, result in enumerate(entry.results, 1):
            if isinstance(result, list):
                work.left_out[_TEXT_STEPS] += 1
                continue
            whole = f"{judge}/{strategy}"
            name = whole if number == len(steps) else f"{whole}/{number}"
            if name not in work.settings:
                is_second = isinstance(entry.results[0], _Pair) and number > 1
                note = _NOTE if is_second else None
                work.settings[name] = _setting(judge, steps[number - 1], work.source, note)
            common = {**item, "subset": subset, "setting": name, "file": key}
            work.rows += _verdicts(result, common, work)


def _decoded(content: bytes, path: Path, kind: Any, work: _Work) -> Any:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        work.findings.add(CLAUSE, path.as_posix(), str(error), f"expected {EXPECTED}")
        return None


def _setting(judge: str, step: _Step, source: Path, note: str | None) -> Setting:
    """Return what a step's configuration states: never a platform, and never a date."""
    stated = next(
        (each for each in (step.openai_kwargs, step.palm_kwargs) if each is not UNSET), {}
    )
    given = stated or step.generate_kwargs
    decoding = dict(given) if isinstance(given, dict) else {}
    model = decoding.pop("engine", None) or decoding.pop("model", None) or step.model_name
    path = source / _SYSTEM / "prompts" / step.prompt
    prompt = file_of(step.prompt, _read(path)).sha256 if path.is_file() else UNKNOWN
    return Setting(
        judge=Judge(name=judge, model=str(model), platform=UNKNOWN),
        prompt=Prompt(name=step.prompt, sha256=prompt),
        decoding=decoding or UNKNOWN,
        date=UNKNOWN,
        note=note,
    )


def _item(entry: _Entry, name: str, *, texts: bool) -> dict[str, Any]:
    """Return what a verdict says of what was judged."""
    a, b = storable(entry.output_1), storable(entry.output_2)
    return {
        "item": name,
        "question_sha256": digest(storable(entry.input)),
        "a_sha256": digest(a),
        "a_length": len(a),
        "b_sha256": digest(b),
        "b_length": len(b),
        "gold": "ab"[entry.label - 1],
        **({"a_text": a, "b_text": b} if texts else {}),
    }


def _verdicts(pair: _Pair, common: dict[str, Any], work: _Work) -> Iterator[Row]:
    """Yield a step's verdicts: one an order, or one with two scores that had no order."""
    if isinstance(pair.score_1, list) and isinstance(pair.score_2, list):
        work.left_out[_DERIVED] += 2
        said: dict[str, Any] = {"a_score": _score(pair.score_1), "b_score": _score(pair.score_2)}
        if UNSET in said.values():
            said |= {"verdict": "unreadable"}
        yield Row(**common, **said)
        return
    for first, answer in (("a", pair.plain), ("b", pair.swapped)):
        said = {"first": first, "verdict": _WINNERS.get(answer.winner, "unreadable")}
        if isinstance(answer.completion, list) and answer.completion:
            text = storable(answer.completion[0])
            said |= {"answer_sha256": digest(text), "answer_length": len(text)}
        yield Row(**common, **said)


def _score(answer: list[str]) -> float | UnsetType:
    """Return the score that an answer is, and nothing else beside it."""
    text = answer[0].strip() if answer else ""
    return float(text) if text.isascii() and text.isdigit() else UNSET


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror or error}") from error
