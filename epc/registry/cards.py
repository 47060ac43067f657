"""The card of a snapshot with raw data: what was measured or judged, how, and by whom.

Pure: it takes documents of valid shape, and reads neither file nor clock.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from epc.records.strict_json import dumps_line
from epc.registry.lifecycles import Life
from epc.registry.platforms import platform_of
from epc.registry.snapshots import Json
from epc.registry.tags import Tag

# Words of an audit that say that nothing was measured, and why that is no baseline.
NO_BASELINE: Final = {
    "no_verdicts_counted": "no verdict was counted in most seeds: this is a failed run, "
    "and its gamma of 0 no baseline",
    "collapsed": "most seeds ended on one strategy in both runs of a direction: "
    "there was no room for coupling to show",
}
# What an audit says that a manifest does not hold.
_AUDITED: Final = (
    "verdict",
    "p_value",
    "unit",
    "position_bias",
    "determinism",
    "competence",
    "findings",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What nobody but the contributor can know of a measurement.

    `proxy` says that the evaluator was asked through a third party's gateway; `conflicts` are
    interests in what comes out, None where there are none; `replicates` is the tag that this
    measurement repeats and agrees with.
    """

    generation: str
    contributor: str
    licence: str
    conflicts: str | None
    proxy: bool
    replicates: str | None


def card_of(tag: Tag, manifest: Json, audit: Json, said: Said, life: Life | None) -> Json:
    """Return the card of a measured snapshot; without a life it is a calibration."""
    day = manifest["evaluator"]["measurement_date"]
    return {
        **_stated(tag, manifest["evaluator"], said, life),
        "kind": "measured",
        "trust": "replicated" if said.replicates else "recomputed",
        "protocol_version": manifest["protocol_version"],
        "executor": _model(manifest["executor"], None, proxy=False),
        "conditions": conditions_of(manifest),
        "measured": {"from": day, "to": day},
        "audit": audited(audit),
        "replicates": said.replicates,
    }


def judged_card_of(tag: Tag, plan: Json, log: Json, said: Said, life: Life | None) -> Json:
    """Return the card of a judge's evaluations, of a plan with one judge that has an identity."""
    (judge,) = plan["judges"]
    return {
        **_stated(tag, judge["identity"], said, life),
        "kind": "judged",
        "trust": "recomputed",
        "protocol_version": plan["protocol"],
        "executor": None,
        "conditions": judged_conditions_of(plan),
        "measured": {end: log["time"][end][: len("2026-07-02")] for end in ("from", "to")},
        "replicates": None,
    }


def _stated(tag: Tag, model: Json, said: Said, life: Life | None) -> Json:
    """Return what the cards of both kinds state of who was asked, by whom, on which terms."""
    return {
        "tag": str(tag),
        "generation": said.generation,
        "evaluator": _model(model, life.platform if life else None, proxy=said.proxy),
        "contributor": said.contributor,
        "licence": said.licence,
        "conflicts_of_interest": said.conflicts,
        "calibration": life is None,
        "citation": None,
        "known_faults": [],
    }


def audited(audit: Json) -> Json:
    """Return what a card says of an audit."""
    return {key: audit[key] for key in _AUDITED}


def conditions_of(manifest: Json) -> Json:
    """Return what must agree, beside the models, for two measurements to be like for like.

    Long texts stand as the SHA-256 of their canonical JSON.
    """
    config = manifest["config"]
    decoding = [manifest[who] and manifest[who]["decoding"] for who in ("evaluator", "executor")]
    return {
        "rounds": config["rounds"],
        "reuse": config["reuse"],
        "exhaustive": config["exhaustive"],
        "tasks": _digest(manifest["tasks"]),
        "strategies": _digest(manifest["strategies"]),
        "evaluator_prompt": _digest(manifest["evaluator_prompt"]),
        "decoding": _digest(decoding),
    }


def judged_conditions_of(plan: Json) -> Json:
    """Return what must agree, beside the judge, for two evaluations to be like for like."""
    return {
        "samples": plan["samples"]["sha256"],
        "methods": plan["methods"],
        "prompts": _digest({method: p["sha256"] for method, p in plan["prompts"].items()}),
        "mapping": plan["mapping"] and plan["mapping"]["sha256"],
        "constraint": plan["constraint"],
        "retry_malformed": plan["retry_malformed"],
        "decoding": _digest([judge["decoding"] for judge in plan["judges"]]),
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(dumps_line({"of": value}).encode()).hexdigest()


def _model(given: Json | None, platform: str | None, *, proxy: bool) -> Json | None:
    if given is None:
        return None
    before, slash, model = given["model"].partition("/")
    return {
        "model": model if slash else before,
        "platform": platform or platform_of(given) or (before if slash else None),
        "gateway": given["gateway"],
        "proxy": proxy,
        "as_printed": None,
        "asked": {"model": given["model"], "endpoint": given["endpoint"]},
    }
