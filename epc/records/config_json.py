"""A configuration as JSON, a decoding back from it, and which values a record can hold."""

import re
from collections.abc import Mapping
from typing import Any, Final

from epc.protocol.config import Configuration, Decoding, variant_tag
from epc.protocol.draws import GENERATOR
from epc.protocol.results import Json
from epc.protocol.rules import Rule, rule_json
from epc.records.strict_json import MAX_LINE_BYTES, dumps_line
from epc.records.typed import parse


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
    return {
        "rounds": config.rounds,
        **_rule_json(config.rule),
        "baseline": config.baseline,
        "strategies": len(config.strategies),
        "seeds": seeds,
        "generator": GENERATOR,
        "reuse": reuse,
        "exhaustive": exhaustive,
        "control": config.control,
    }


def _rule_json(rule: Rule) -> Json:
    """Return the protocol's rule as its three rates, as ever, and another one under `rule`."""
    stated = rule_json(rule)
    return {"rule": stated} if "name" in stated else stated


def decoding_of(stated: Mapping[str, Any]) -> Decoding:
    """Return the decoding that stands in a manifest."""
    return parse(stated, Decoding)


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
    kept = "" if call["role"] == "evaluator" else call["answer"][:_KEPT]
    return {**call, "answer": kept, "finish_reason": TOO_LARGE}


def _fits(call: Json, longest: int) -> bool:
    return len(dumps_line(call).encode()) <= longest
