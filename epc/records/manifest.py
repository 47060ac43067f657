"""A manifest's configuration, there and back (EPC-2.8)."""

from typing import Any

from epc.protocol.config import Configuration, Decoding, variant_tag
from epc.protocol.draws import GENERATOR
from epc.protocol.results import Json
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import DOMAINS
from epc.spec.reference import Strategy


def configuration_json(config: Configuration) -> Json:
    """Return the manifest keys that a configuration decides, the derived tag among them."""
    return {
        "protocol_version": variant_tag(config),
        "tasks": {domain: list(config.tasks[domain]) for domain in DOMAINS},
        "strategies": [
            {"name": s.name, "domain": s.domain, "prompt": s.prompt} for s in config.strategies
        ],
        "evaluator_prompt": config.evaluator_prompt,
    }


def config_json(config: Configuration, *, seeds: list[int], reuse: str, exhaustive: bool) -> Json:
    """Return the manifest's `config` (EPC-2.8 item 4)."""
    return {
        "rounds": config.rounds,
        "alpha_win": config.rule.alpha_win,
        "alpha_lose": config.rule.alpha_lose,
        "weight_floor": config.rule.weight_floor,
        "baseline": config.baseline,
        "strategies": len(config.strategies),
        "seeds": seeds,
        "generator": GENERATOR,
        "reuse": reuse,
        "exhaustive": exhaustive,
        "control": config.control,
    }


def configuration_of(manifest: Json) -> Configuration:
    """Return the configuration that a manifest of valid shape describes."""
    config: dict[str, Any] = manifest["config"]
    return Configuration(
        rule=UpdateRule(
            alpha_win=config["alpha_win"],
            alpha_lose=config["alpha_lose"],
            weight_floor=config["weight_floor"],
        ),
        rounds=int(config["rounds"]),
        baseline=config["baseline"],
        strategies=tuple(Strategy(**strategy) for strategy in manifest["strategies"]),
        tasks={domain: tuple(manifest["tasks"][domain]) for domain in DOMAINS},
        evaluator_prompt=manifest["evaluator_prompt"],
        decoding=decoding_of(manifest["evaluator"]["decoding"]),
        method=manifest["evaluator"]["method"],
        control=config["control"],
    )


def is_whole(manifest: Json) -> bool:
    """Return whether a manifest's verdict table is all that there is (Reading R72).

    Recorded verdicts are read whole, so a pair without one is missing from the file. In records
    of before, which are not exhaustive, it is a pair that no round drew.
    """
    recorded = manifest["evaluator"]["method"] == "recorded"
    return recorded and bool(manifest["config"]["exhaustive"])


def decoding_of(given: Json) -> Decoding:
    """Return the decoding that stands in a manifest."""
    return Decoding(**{**given, "stop": tuple(given["stop"])})
