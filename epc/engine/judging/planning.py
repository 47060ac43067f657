"""From what is to be evaluated to a folder that can be judged, before any call is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from epc.engine.catalog import open_model
from epc.engine.hosted import Hosted
from epc.engine.model import Model
from epc.engine.plan import made
from epc.engine.remote import require_decoding
from epc.engine.request_body import response_format
from epc.errors import Finding, UsageError
from epc.judge.samples import gaps, repeats
from epc.protocol.config import Decoding
from epc.records.findings import Findings
from epc.records.judging.documents import Judge, Plan
from epc.records.judging.evaluation_set import Entry, write_evaluation
from epc.records.judging.prompts import (
    JudgePrompt,
    check_mapping,
    read_prompt,
)
from epc.records.layout import decoding_json
from epc.spec.judge_v1 import RULES, Method

MAX_TOKENS: Final = 1200  # four scores and quotes with reasons take 300 to 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a set is to be judged.

    `decoding` is what the judges shall do otherwise than greedily in 1200 tokens, by setting.
    `named`: the judges are told whose output they score, and the date.
    `recorded`: the replies exist already and will be imported, so the judges are only names.
    """

    judges: Sequence[str]
    methods: Sequence[Method]
    prompt: Path | None = None
    self_prompt: Path | None = None
    constraint: str | None = None
    decoding: Mapping[str, Any] = field(default_factory=dict)
    retry_malformed: int = 0
    mapping: Path | None = None
    allow_gaps: bool = False
    named: bool = False
    recorded: bool = False


def problems(entries: Sequence[Entry], request: Request) -> list[Finding]:
    """Return every gap and repeat of a set, and whatever leaves a judge without work."""
    units = [entry.unit for entry in entries]
    findings = Findings()
    findings.extend(repeats(units))
    if not request.allow_gaps:
        findings.extend(gaps(units))
    blank = sum(not entry.output.strip() for entry in entries)
    if blank:
        problem = f"{blank} of the outputs are blank: nothing can be quoted from them"
        remedy = "see why; their evaluations will be invalid (JUDGE-4.1)"
        findings.add("JUDGE-4.1", "", problem, remedy, "warning")
    for judge in dict.fromkeys(request.judges):
        if not any(unit.before(judge).method in request.methods for unit in units):
            problem = f"{judge} has nothing to judge by {' or '.join(request.methods)}"
            remedy = "choose other --methods, or leave this judge out"
            findings.add("JUDGE-1", "", problem, remedy)
    return findings.kept()


def write_plan(entries: Sequence[Entry], request: Request, folder: Path, *, now: datetime) -> Plan:
    """Write the folder of an evaluation and return its plan.

    Raises: UsageError if the request does not fit together, or the folder holds something.
    """
    judges = tuple(_judge(name, request) for name in dict.fromkeys(request.judges))
    prompts: dict[Method, JudgePrompt] = {}
    if not request.recorded:
        common = read_prompt(request.prompt)
        own = read_prompt(request.self_prompt) if request.self_prompt else common
        by_method: dict[Method, JudgePrompt] = {"cross_judge": common, "self_judge": own}
        prompts |= {method: by_method[method] for method in request.methods}
    mapping = check_mapping(request.mapping)[0] if request.mapping is not None else None
    if made(folder):
        raise UsageError(f"{folder} is not empty: choose another --out")
    return write_evaluation(
        folder,
        entries,
        prompts,
        mapping,
        date=now.date().isoformat(),
        judges=judges,
        methods=tuple(request.methods),
        constraint=request.constraint,
        retry_malformed=request.retry_malformed,
        gaps_allowed=request.allow_gaps,
        rules=RULES,
        blind=not (request.recorded or request.named),
    )


def _judge(name: str, request: Request) -> Judge:
    if request.recorded:
        return Judge(model=name, identity=None, decoding=None)
    model = open_model(name)
    if model.method != "prompt":
        raise UsageError(f"{name} writes no text, so it cannot judge: name another --judge")
    decoding = decoding_json(_decoding(model, request))
    return Judge(model=name, identity=structs.asdict(model.identity), decoding=decoding)


def _decoding(model: Model, request: Request) -> Decoding:
    """Return how a judge decodes: as asked for, and constrained if that is possible.

    Raises: UsageError if the judge cannot be asked for it.
    """
    if response_format(request.constraint) is not None and not _can_constrain(model):
        raise UsageError(
            f"{model.identity.model} cannot be held to JSON: leave --constrain out, or name another"
        )
    usual = Decoding(temperature=0.0, max_tokens=MAX_TOKENS, constraint=request.constraint)
    decoding = replace(usual, **request.decoding)
    if request.decoding:
        require_decoding(model, decoding)
    return decoding


def _can_constrain(model: Model) -> bool:
    return isinstance(model, Hosted) or model.identity.endpoint == "embedded"
