"""The run folder: what its files are called and how their rows are made.

    run.json        what was asked for
    journal.jsonl   answered calls, as they come; gone when the run is complete
    reusable/       answers of runs that the user named, to take over; gone likewise
    trials.jsonl    one line a round
    calls.jsonl     one line a distinct answer
    weights.jsonl   one line a strategy at the end of each phase
    manifest.json   the measurement's record, written last
    figure.svg, figure.png    its picture, once `epc show` has drawn it
    probing/        answered probes, as they come; gone when they are all answered
    probes.jsonl    one line a question that was asked beside the measurement
    gold.csv        labels that the run was started with, or that its design's checker gave
    accuracy.csv    how good each strategy's answers are, if the run was started with it

Rows are sorted and canonical, so the same measurement gives the same bytes.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError, WorldError, able_to
from epc.protocol.config import Configuration, Decoding, variant_tag
from epc.protocol.draws import GENERATOR
from epc.protocol.results import Json
from epc.protocol.rules import rule_json
from epc.records.strict_json import MAX_LINE_BYTES, dumps_line, dumps_part, write_bytes, write_text
from epc.records.typed import parse
from epc.spec.domains import Domains

PLAN: Final = "run.json"
JOURNAL: Final = "journal.jsonl"
REUSABLE: Final = "reusable"
MANIFEST: Final = "manifest.json"
CALLS: Final = "calls.jsonl"
RAW: Final = {"trials": "trials.jsonl", "calls": CALLS, "weights": "weights.jsonl"}

PROBES: Final = "probes.jsonl"  # beside the raw files, which the manifest's digests cover
PROBING: Final = "probing"
GOLD: Final = "gold.csv"
ACCURACY: Final = "accuracy.csv"

LOOP: Final = (
    "loop.json"  # what was run; its log and checks stand beside it (`epc.records.loop_snapshot`)
)
SEALED: Final = "raw.dvc"  # what stands in a published snapshot's folder for its raw files

MEMBER: Final = "member:"  # before a number, in the role of whom an evaluator asks
RECHECK: Final = "recheck/"  # the occasion of a call that asks again what was answered before
IDENTITY: Final = ("model", "version", "endpoint", "gateway", "details")
_CHUNK: Final = 2**20


def require_unpublished(folder: Path, wanted: str) -> None:
    """Refuse a published snapshot's folder, whose raw files are elsewhere.

    Raises: UsageError; it says how to come by the folder that was `wanted`.
    """
    if (folder / SEALED).exists():
        raise UsageError(
            f"{folder} is a published snapshot, not {wanted}\n"
            f"  fix: `epc snapshot fetch {folder.resolve().name} --out FOLDER` makes it one"
        )


def decoding_json(decoding: Decoding) -> Json:
    """Return a decoding as it stands in manifests and call identities.

    What was not asked for of `reasoning` and `body` is left out, as in records of before.
    """
    document = {**asdict(decoding), "stop": list(decoding.stop), "body": dict(decoding.body)}
    optional = {key: value for key in ("reasoning", "body") if (value := document.pop(key))}
    return {**document, **optional}


def occasion_of(seed: int, phase: str, number: int, side: str) -> str:
    """Return the occasion of an answer that was asked for in one round alone (Reading R16).

    `side` is response, baseline or evaluation.
    """
    return f"{seed}/{phase}/{number}/{side}"


class CallNames:
    """The names of a role's answers: what was asked of whom, and when if that makes it another.

    `model` is the whole identity: the same name on other weights, another runtime or another
    endpoint may answer otherwise. A name is twenty hexadecimal digits of the SHA-256 of all of
    it as one canonical JSON object; what a role's names share is digested once.
    """

    def __init__(self, role: str, model: Mapping[str, Any], decoding: Mapping[str, Any]) -> None:
        shared = {
            "decoding": dict(decoding),
            "model": {key: model[key] for key in IDENTITY},
        }
        self.model: str = model["model"]
        self._role = dumps_part(role)
        self._shared = hashlib.sha256(dumps_line(shared).removesuffix("}\n").encode())

    def name(self, prompt: str, occasion: str | None) -> str:
        """Return the name of one answer.

        `occasion` is None where an answer may be reused (Reading R16), and the round's place
        where every round asks again.
        """
        digest = self._shared.copy()  # the shared keys sort before the own ones, which stand sorted
        call_keys = f',"occasion":{dumps_part(occasion)},"prompt":{dumps_part(prompt)}'
        digest.update(f'{call_keys},"role":{self._role}}}\n'.encode())
        return digest.hexdigest()[:20]


def weight_rows(per_seed: Iterable[Json]) -> Iterator[Json]:
    """Yield the rows of weights.jsonl that follow from the seeds' records."""
    for record in per_seed:
        seed, weights = record["seed"], record["weights"]
        for phase in Domains.among(weights).every_phase:
            for strategy, weight in weights.get(phase.name, {}).items():
                yield {"seed": seed, "phase": phase.name, "strategy": strategy, "weight": weight}


def weight_lines(per_seed: Iterable[Json]) -> Iterator[str]:
    """Yield the lines of weights.jsonl: those of `weight_rows`, canonical."""
    return map(dumps_line, weight_rows(per_seed))


def write_lines(folder: Path, name: str, lines: Iterable[str]) -> None:
    """Write one raw file, whose lines are canonical already, whole or not at all."""
    write_text(folder / RAW[name], lines)


def write_encoded(folder: Path, name: str, lines: Iterable[bytes]) -> None:
    """Write one raw file as `write_lines` does, of lines in UTF-8."""
    write_bytes(folder / RAW[name], lines)


def describe(folder: Path) -> Json:
    """Return the manifest's `raw`: path, SHA-256, size and rows of each raw file."""
    return {name: {"path": file, **digest(folder / file)} for name, file in RAW.items()}


def digest(path: Path) -> Json:
    """Return a file's SHA-256, size in bytes and number of lines.

    Raises: WorldError if it cannot be read.
    """
    hasher, size, rows = hashlib.sha256(), 0, 0
    if path.exists() and not path.is_file():  # a device has no end
        raise WorldError(f"cannot read {path}: it is no regular file\n  fix: name a file")
    with able_to("read", path), path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hasher.update(chunk)
            size += len(chunk)
            rows += chunk.count(b"\n")
    return {"sha256": hasher.hexdigest(), "bytes": size, "rows": rows}


def stamp(moment: datetime) -> str:
    """Return a moment as records have it: in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def configuration_json(config: Configuration) -> Json:
    """Return the manifest keys that a configuration decides, the derived tag among them."""
    document: Json = {
        "protocol_version": variant_tag(config),
        "tasks": {domain: list(tasks) for domain, tasks in config.tasks.items()},
        "strategies": [
            {"name": s.name, "domain": s.domain, "prompt": s.prompt} for s in config.strategies
        ],
        "evaluator_prompt": config.evaluator_prompt,
    }
    if config.groups is not None:
        document["groups"] = {domain: list(names) for domain, names in config.groups.items()}
    return document


def config_json(config: Configuration, *, seeds: list[int], reuse: str, exhaustive: bool) -> Json:
    """Return the manifest's `config` (EPC-2.8 item 4)."""
    rule = rule_json(config.rule)
    return {
        "rounds": config.rounds,
        **({"rule": rule} if "name" in rule else rule),
        "baseline": config.baseline,
        "strategies": len(config.strategies),
        "seeds": seeds,
        "generator": GENERATOR,
        "reuse": reuse,
        "exhaustive": exhaustive,
        "control": config.control,
    }


def decoding_of(document: Mapping[str, Any]) -> Decoding:
    """Return a manifest's decoding parameters."""
    return parse(document, Decoding)


TOO_LARGE: Final = "too_large"  # the finish_reason of an answer that could not be kept whole
# A call's line; the lines of other files have the answer and a little more around it.
LONGEST_CALL: Final = MAX_LINE_BYTES - 2**16
_KEPT: Final = 10_000  # characters of an answer; an evaluator is shown 300
_WIDEST: Final = 6  # bytes that a character takes in a line at most, as an escape
UNRECORDED: Final = re.compile(r"\(a reply of [\d,]+ bytes, too large to record\)")
_AROUND: Final = 2**13  # bytes of a line beside its texts


def recordable(call: Json, longest: int = LONGEST_CALL) -> Json:
    """Return a call as a line of at most `longest` bytes holds it.

    The verbatim reply goes first: a note of its size stands for it. Then reasoning is cut to its
    beginning. If the answer is too large as well, it is marked `too_large`. An evaluator's is then
    no verdict; of any other the beginning is kept, which is all that an evaluator is shown
    (EPC-2.6(a)).
    """
    texts = (call["prompt"], call["answer"], call.get("reply", ""), call.get("reasoning", ""))
    headers = call.get("headers", {}).values()
    if _WIDEST * sum(map(len, (*texts, *headers))) + _AROUND <= longest or _fits(call, longest):
        return call
    if "reply" in call:
        size = len(call["reply"].encode())
        call = {**call, "reply": f"(a reply of {size:,} bytes, too large to record)"}
        if _fits(call, longest):
            return call
    if "reasoning" in call:
        call = {**call, "reasoning": call["reasoning"][:_KEPT]}
        if _fits(call, longest):
            return call
    beginning = "" if call["role"] == "evaluator" else call["answer"][:_KEPT]
    return {**call, "answer": beginning, "finish_reason": TOO_LARGE}


def _fits(call: Json, longest: int) -> bool:
    return len(dumps_line(call).encode()) <= longest
