"""What a configuration decides of a manifest, as JSON, and a decoding back from it."""

from collections.abc import Mapping
from typing import Any

from epc.protocol.config import Configuration, Decoding, variant_tag
from epc.protocol.draws import GENERATOR
from epc.protocol.results import Json
from epc.protocol.rules import Rule, rule_json
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
