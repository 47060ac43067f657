"""The card of a snapshot with raw data: what was measured or judged, how, and by whom.

Pure: it takes documents of valid shape, and reads neither file nor clock.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from epc.digests import sha256
from epc.protocol.config import Configuration
from epc.protocol.mitigation import is_wrapper
from epc.protocol.results import Json
from epc.protocol.rules import rule_json
from epc.records.judging.documents import Plan
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.observed.types import Header, Made, Observed
from epc.records.observed.writing import judge_of
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json, parse
from epc.registry.lifecycles import Life
from epc.registry.platforms import platform_of, provider_of
from epc.registry.record import (
    Asked,
    Attested,
    AuditSummary,
    Fault,
    Model,
    Origin,
    Recipe,
    Record,
)
from epc.registry.tags import Tag

# Words of an audit that say that nothing was measured, and why that is no baseline.
NO_BASELINE: Final = {
    "no_verdicts_counted": "no verdict was counted in most seeds: this is a failed run, "
    "and its gamma of 0 no baseline",
    "collapsed": "most seeds ended on one strategy in both runs of a direction: "
    "there was no room for coupling to show",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What nobody but the contributor can know of a measurement.

    `login` is the contributor's on GitHub; `weights` the digest of what a server of one's own
    served; `source` says whose recorded verdicts are, and how they were given. `proxy` says that
    the evaluator was asked through a third party's gateway; `conflicts` are interests in what comes
    out, None where there are none; `replicates` is the tag that this repeats and agrees with.
    `attested` is what GitHub attests of it, verified. `faults` is what is known to be wrong with
    it.
    """

    generation: str
    contributor: str
    login: str | None = None
    weights: str | None = None
    source: str | None = None
    licence: str
    conflicts: str | None
    proxy: bool
    replicates: str | None
    attested: Attested | None = None
    faults: tuple[Fault, ...] = ()


def card_of(
    tag: Tag, manifest: Manifest, audit: Json, declaration: Said, life: Life | None
) -> Record:
    """Return the card of a measured snapshot; without a life it is a calibration."""
    day = date.fromisoformat(manifest.evaluator.measurement_date)
    platform = life.platform if life else None
    executor = manifest.executor
    return Record(
        tag=str(tag),
        generation=declaration.generation,
        protocol_version=manifest.protocol_version,
        evaluator=_model(manifest.evaluator, platform, declaration),
        measured={"from": day, "to": day},
        contributor=declaration.contributor,
        login=declaration.login,
        known_faults=(),
        kind="measured",
        trust="attested" if declaration.attested else "recomputed",
        executor=_model(executor, None) if executor else None,
        conditions=conditions_of(manifest),
        audit=audited(audit),
        licence=declaration.licence,
        conflicts_of_interest=declaration.conflicts,
        calibration=life is None,
        source=declaration.source,
        attested=declaration.attested,
        replicates=declaration.replicates,
        citation=None,
    )


def judged_card_of(
    tag: Tag,
    plan: Plan,
    judge: ModelIdentity,
    *,
    days: tuple[date, ...],
    declaration: Said,
    life: Life | None,
) -> Record:
    """Return the card of a judge's evaluations, of a plan with that judge alone."""
    platform = life.platform if life else None
    return Record(
        tag=str(tag),
        generation=declaration.generation,
        protocol_version=plan.protocol,
        evaluator=_model(judge, platform, declaration),
        measured={"from": days[0], "to": days[-1]},
        contributor=declaration.contributor,
        login=declaration.login,
        known_faults=(),
        kind="judged",
        trust="recomputed",
        executor=None,
        conditions=judged_conditions_of(plan),
        licence=declaration.licence,
        conflicts_of_interest=declaration.conflicts,
        calibration=life is None,
        replicates=None,
        citation=None,
    )


def observed_card_of(
    tag: Tag, document: Observed, *, days: tuple[date, ...], declaration: Said, kept: bool
) -> Record:
    """Return the card of recorded verdicts: what their source states, and who published them."""
    header, judge = document.header, judge_of(document.header)
    source, made = header.source, header.made
    return Record(
        tag=str(tag),
        generation=declaration.generation,
        protocol_version="Observed-v1.0",
        evaluator=Model(
            model=judge.model,
            platform=judge.platform,
            gateway=None,
            proxy=False,
            as_printed=judge.name,
        ),
        measured={"from": days[0], "to": days[-1]} if days else None,
        contributor=declaration.contributor,
        login=declaration.login,
        known_faults=declaration.faults,
        kind="observed",
        trust="observed",
        executor=None,
        conditions=observed_conditions_of(header),
        origin=Origin(name=source.name, repository=source.repository, commit=source.commit),
        recipe=_recipe(made, document) if made else None,
        kept=kept,
        licence=source.licence,
        conflicts_of_interest=declaration.conflicts,
        calibration=False,
        replicates=None,
        citation=None,
    )


def _recipe(made: Made, document: Observed) -> Recipe:
    return Recipe(
        shape=made.shape,
        columns=made.columns,
        labels=made.labels,
        constants=made.constants,
        judge=document.judge,
        sha256=document.sha256,
    )


def observed_conditions_of(header: Header) -> Json:
    """Return what must agree, beside the judge, for two judges' verdicts to be like for like."""
    settings = [[each.prompt.sha256, as_json(each.decoding)] for each in header.settings.values()]
    return {
        "source": f"{header.source.repository} {header.source.commit}",
        "settings": digest(sorted(settings, key=dumps_line)),
    }


def audited(audit: Json) -> AuditSummary:
    """Return what a card says of an audit."""
    return parse(audit, AuditSummary)


def conditions_of(manifest: Manifest) -> Json:
    """Return what must agree, beside the models, for two measurements to be like for like.

    Long texts stand as the SHA-256 of their canonical JSON. What a design alone can change is
    stated where it departs from the reference: cards of before, which state none of it, stay
    comparable.
    """
    config, document = manifest.config, manifest.document
    own, reference = manifest.configuration, Configuration()
    decoding = [document[who] and document[who]["decoding"] for who in ("evaluator", "executor")]
    return {
        "rounds": config.rounds,
        "reuse": config.reuse,
        "exhaustive": config.exhaustive,
        "tasks": digest(document["tasks"]),
        "strategies": digest(document["strategies"]),
        "evaluator_prompt": digest(document["evaluator_prompt"]),
        "decoding": digest(decoding),
        **({} if own.rule == reference.rule else {"rule": rule_json(own.rule)}),
        **({} if own.baseline == reference.baseline else {"baseline": own.baseline}),
        **(
            {}
            if own.executor_prompt == reference.executor_prompt
            else {"executor_prompt": digest(own.executor_prompt)}
        ),
    }


def judged_conditions_of(plan: Plan) -> Json:
    """Return what must agree, beside the judge, for two evaluations to be like for like."""
    return {
        "samples": plan.samples.sha256,
        "methods": list(plan.methods),
        "prompts": digest({method: prompt.sha256 for method, prompt in plan.prompts.items()}),
        "mapping": plan.mapping and plan.mapping.sha256,
        "constraint": plan.constraint,
        "retry_malformed": plan.retry_malformed,
        "decoding": digest([judge.decoding for judge in plan.judges]),
    }


def digest(value: Any) -> str:
    """Return a value of a card's conditions as the digest by which it is compared."""
    return sha256(dumps_line({"of": value}))


def _model(identity: ModelIdentity, platform: str | None, declaration: Said | None = None) -> Model:
    parts = (
        ("", "/", identity.model) if is_wrapper(identity.model) else identity.model.partition("/")
    )
    before, slash, model = parts
    return Model(
        model=model if slash else before,
        platform=platform
        or platform_of(identity)
        or (provider_of(identity.model) if slash else None),
        gateway=identity.gateway,
        proxy=declaration is not None and declaration.proxy,
        as_printed=None,
        asked=Asked(model=identity.model, endpoint=identity.endpoint),
        weights=declaration.weights if declaration else None,
    )
