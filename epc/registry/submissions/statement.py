"""submission.json: what a contributor says of a measurement, and the digest that identifies it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from epc.digests import sha256
from epc.errors import Finding
from epc.json_text import pointer
from epc.printable import one_line
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.layout import IDENTITY
from epc.records.manifest import Manifest, RawName
from epc.records.schemas import findings as schema_findings
from epc.records.schemas import schema
from epc.records.strict_json import dumps_line
from epc.records.typed import parse
from epc.registry.cards import Declaration
from epc.registry.names import skeleton
from epc.registry.submissions import layout
from epc.registry.submissions.texts import Kind, problems

Endpoint = Literal["direct", "gateway", "recorded"]
Licence = Literal["CC-BY-4.0", "CC0-1.0"]

_ANEW: Final = "make the folder again with `epc submission new`"
# How each key may be written.
_EXAMPLES: Final = {
    "schema": '"schema": 1',
    "generation": '"generation": "GPT4o-0806", a name of `epc evaluators list`',
    "platform": '"platform": "openai", or null for a mock',
    "endpoint": '"endpoint": "direct", or "gateway"; of recorded verdicts "recorded"',
    "contributor": '"contributor": "A. Name"',
    "login": '"login": "octocat", the GitHub account that opens the pull request',
    "weights": f'"weights": "sha256:{"0" * 64}", the digest of the weights, or null',
    "source": '"source": "the annotators of study X, June 2024, by form 2", or null',
    "licence": '"licence": "CC-BY-4.0", or "CC0-1.0"',
    "conflicts": '"conflicts": "none", or which there are',
    "replicates": '"replicates": null, or a published tag such as "v1.0-GPT4o-0806"',
}

# The free text of a manifest, by place and kind; `*` stands for every key or index.
_PLACES: tuple[tuple[tuple[str, ...], Kind], ...] = (
    *(
        ((role, key), "label")
        for role in ("evaluator", "executor")
        for key in ("model", "version", "endpoint", "gateway")
    ),
    *(((role, "details", "**"), "prompt") for role in ("evaluator", "executor")),
    *(((role, "decoding", "**"), "prompt") for role in ("evaluator", "executor")),
    (("executor", "prompt_template"), "prompt"),
    (("config", "baseline"), "name"),
    (("tasks", "*", "*"), "prompt"),
    (("groups", "*", "*"), "prompt"),
    (("strategies", "*", "name"), "name"),
    (("strategies", "*", "prompt"), "prompt"),
    (("evaluator_prompt",), "prompt"),
    (("provenance", "software", "**"), "label"),
    (("provenance", "served_models", "**"), "label"),
    (("provenance", "system_fingerprints", "**"), "label"),
    (("accuracy", "**"), "prompt"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A submission's statement; its keys are those of the document."""

    generation: str
    platform: str | None
    endpoint: Endpoint
    contributor: str
    login: str
    licence: Licence
    conflicts: str
    replicates: str | None
    identity: str
    weights: str | None = None
    source: str | None = None

    def declaration(self) -> Declaration:
        """Return what goes onto the snapshot's card."""
        conflicts = self.conflicts.strip()
        return Declaration(
            generation=self.generation,
            contributor=self.contributor,
            login=self.login,
            weights=self.weights,
            source=self.source,
            licence=self.licence,
            conflicts=None if conflicts.casefold().rstrip(".") in {"none", "no"} else conflicts,
            proxy=self.endpoint == "gateway",
            replicates=self.replicates,
            platform=self.platform,
        )

    def as_json(self) -> Json:
        """Return the document."""
        return {"schema": 1, **asdict(self)}


def read(folder: Path, findings: Findings) -> Statement | None:
    """Return a submission's statement, noting what is wrong with it; None if it has no shape.

    Raises: WorldError if it cannot be read.
    """
    value, wrong = strict_json.read(folder / layout.STATEMENT)
    wrong = wrong or list(_shape_problems(value))
    findings.extend(placed(layout.STATEMENT, finding) for finding in wrong)
    if wrong:
        return None
    statement = parse(value, Statement)
    findings.extend(statement_texts(statement))
    return statement


def _shape_problems(value: Any) -> Iterator[Finding]:
    """Yield what departs from a statement's schema, each with what to write there instead."""
    wrong = schema_findings("submission", value, clause=layout.WHO)
    if not isinstance(value, dict):
        yield from (replace(finding, remedy=_ANEW) for finding in wrong)
        return
    keys = schema("submission")["required"]
    for key in keys:
        if key not in value:
            remedy = f"add {_EXAMPLES[key]}" if key in _EXAMPLES else _ANEW
            yield Finding(clause=layout.WHO, where=f"/{key}", problem="is missing", remedy=remedy)
    for finding in wrong:
        if key := finding.where.removeprefix("/"):  # what is said of the whole is a missing key
            fallback = _ANEW if key in keys else "remove it"
            yield replace(
                finding, remedy=f"write {_EXAMPLES[key]}" if key in _EXAMPLES else fallback
            )


def statement_texts(statement: Statement) -> Iterator[Finding]:
    """Yield what is wrong with a statement's free text."""
    kinds: tuple[tuple[str, Kind], ...] = (
        ("contributor", "name"),
        ("conflicts", "prose"),
        ("source", "prose"),
    )
    for key, kind in kinds:
        if (text := getattr(statement, key)) is None:
            continue
        yield from _of_text(f"{layout.STATEMENT}/{key}", text, kind)
        if not skeleton(text):
            yield _text(f"{layout.STATEMENT}/{key}", "says nothing")


def manifest_texts(manifest: Json) -> Iterator[Finding]:
    """Yield what is wrong with the free text of a manifest of valid shape."""
    for path, kind in _PLACES:
        for where, text in _texts(manifest, path, ()):
            yield from _of_text(f"manifest.json{pointer(*where)}", text, kind)


def _of_text(where: str, text: str, kind: Kind) -> Iterator[Finding]:
    """Yield what is wrong with a text, and which letter of a name a maintainer has to look at."""
    for problem in problems(text, kind):
        yield _text(where, problem)
    beyond = next((char for char in text if char.isalpha() and not char.isascii()), None)
    if kind == "name" and beyond:
        problem = f"has {beyond!a}, no letter of A to Z"
        remedy = "maintainer: can it be taken for another's name?"
        yield Finding(layout.TEXT, one_line(where), problem, remedy, severity="warning")


def _texts(
    value: Any, path: tuple[str, ...], where: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text at a path with its place; under `**` the keys as well."""
    if isinstance(value, str):
        yield where, value
    elif path and path[0] not in ("*", "**"):
        if isinstance(value, dict) and path[0] in value:
            yield from _texts(value[path[0]], path[1:], (*where, path[0]))
    elif path and isinstance(value, dict | list):
        deeper = path if path[0] == "**" else path[1:]
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if path[0] == "**" and isinstance(key, str):
                yield (*where, key), key
            yield from _texts(item, deeper, (*where, key))


def placed(document: str, finding: Finding) -> Finding:
    """Return a finding with its place given from the submission's folder on."""
    return replace(finding, where=f"{document}{finding.where}")


def noted(clause: str, where: str, problem: str, remedy: str) -> Finding:
    """Return a finding whose problem may hold other people's text."""
    return Finding(clause=clause, where=where, problem=one_line(problem), remedy=remedy)


def _text(where: str, problem: str) -> Finding:
    remedy = "write plain words; site/docs/submissions.md says what each field may hold"
    return Finding(clause=layout.TEXT, where=one_line(where), problem=problem, remedy=remedy)


_RAW: Final[tuple[RawName, ...]] = ("trials", "calls")


def identity(manifest: Manifest) -> str:
    """Return the digest of what was measured, how, and of what came of it; of no date."""
    document = manifest.document
    content = {
        "evaluator": _model(document["evaluator"]),
        "executor": _model(document["executor"]),
        "config": document["config"],
        "tasks": document["tasks"],
        "strategies": document["strategies"],
        "evaluator_prompt": document["evaluator_prompt"],
        "raw": {name: manifest.raw[name].sha256 if manifest.raw else None for name in _RAW},
    }
    return sha256(dumps_line(content))


def _model(model: Json | None) -> Json | None:
    if model is None:
        return None
    asking_keys = ("method", "decoding", "prompt_template")
    return {key: model[key] for key in (*IDENTITY, *asking_keys) if key in model}
