"""A snapshot in words: what its page states beside the figures."""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from epc.protocol.rules import rule_text
from epc.records.manifest import Estimate, Manifest, ModelIdentity, plain
from epc.records.verdicts.types import UNKNOWN
from epc.registry import layout
from epc.registry.kinds.table import KINDS
from epc.registry.record import AuditSummary, Model, Record
from epc.site.escaping import address, as_markup
from epc.site.numbers import integer, share
from epc.site.pages import Judging, Site, SnapshotPage

Fact = tuple[str, Any]


def model(identity: Model | None) -> str:
    """Return who a model is, and through whose hands it was asked."""
    if identity is None:
        return "none: the verdicts were recorded"
    if identity.platform == UNKNOWN:
        return f"{identity.model}, on a platform that nobody states"
    name = f"{identity.platform or 'embedded'}/{identity.model}"
    if identity.gateway:
        name += f" through {identity.gateway}"
    return name + (" (a third party's gateway: a proxy)" if identity.proxy else "")


def asked_as(identity: Model) -> list[Fact]:
    """Return what the record itself says was asked, where the card keeps it."""
    request = identity.asked
    facts = [("Asked as", f"{request.model}, at {request.endpoint}")] if request else []
    return [*facts, *([("Weights, as stated", identity.weights)] if identity.weights else [])]


def by(card: Record) -> list[Fact]:
    """Return who measured it, with the name on GitHub, and whose the verdicts are."""
    source = [("Verdicts from, as stated", card.source)] if card.source else []
    return [("By", card.by), *source]


def measured(card: Record) -> str:
    """Return when something was measured."""
    first, last = card.first_day, card.last_day
    if first is None:
        return "on a day that nobody states"
    return str(first) if first == last else f"between {first} and {last}"


def recorded(card: Record) -> Iterator[Fact]:
    """Yield where recorded verdicts stand in public, and how they are made again."""
    if (origin := card.origin) is None:
        return
    yield "Source", origin.name
    yield "Repository", address(origin.repository)
    yield "Commit", origin.commit
    yield "Licence of the source", card.licence
    yield (
        f"Its {KINDS[card.kind].unit}",
        "kept here" if card.kept else "not kept here: no licence allows it",
    )
    if card.recipe:
        yield "Made by", card.recipe.command
        yield "Judge cut out", card.recipe.judge
        yield "SHA-256 of the verdicts as JSON Lines", card.recipe.sha256


def judging(judging: Judging) -> Iterator[Fact]:
    """Yield how a judged snapshot came about."""
    plan, log = judging.plan, judging.log
    (judge,) = log.judges
    yield "Asked", f"{log.time['from']} to {log.time['to']}"
    yield "Software", f"epc {log.epc_version}"
    if judge.model_identity and judge.decoding:
        yield from _model_facts("Judge", judge.model_identity, judge.decoding)
    yield "Methods", ", ".join(plan.methods).replace("_", " ")
    yield "Held to", plan.constraint or "nothing: free text"
    yield "Rubric mapped by", plan.mapping.id if plan.mapping else "nothing: the protocol's own"
    yield "Tools", log.tools
    yield "Calls", integer(judge.calls)
    yield "Retries", integer(judge.retries)
    if log.malformed:
        yield "Malformed replies asked again", integer(log.malformed.asked_again)
        yield "Of these mended", integer(log.malformed.mended)
    yield "Tokens", f"in {judge.tokens_in:,}, out {judge.tokens_out:,}"
    yield "Answered as", _counted(judge.served_models)
    yield "Fingerprint", _counted(judge.system_fingerprints)


def _counted(counts: Mapping[str, int]) -> str:
    text = ", ".join(f"{name} ({count} times)" for name, count in counts.items())
    return text or "not stated by the provider"


def provenance(manifest: Manifest) -> Iterator[Fact]:
    """Yield how a measured snapshot came about."""
    config, details = manifest.config, manifest.provenance
    yield "Made", details.created
    yield "Software", ", ".join(f"{name} {v}" for name, v in sorted(details.software.items()))
    yield "Rounds", integer(config.rounds)
    rule_title = "Learning rates" if config.rule is None else "Learning rule"
    yield rule_title, rule_text(config.learning_rule)
    yield "Draws", config.generator
    yield "Reuse", "answers reused" if manifest.reuses else "every round asked afresh"
    yield "Coverage", "exhaustive" if config.exhaustive else "as the rounds drew"
    yield "Control", config.control
    for role, identity in (("Evaluator", manifest.evaluator), ("Executor", manifest.executor)):
        if identity:
            yield from _model_facts(role, identity, plain(identity.decoding))
    yield "Calls", f"{details.calls['executor']} answers, {details.calls['evaluator']} comparisons"
    yield "Retries", integer(details.retries)
    yield "Tokens", ", ".join(f"{name} {count:,}" for name, count in details.tokens.items())
    for answered, title in (
        (details.served_models, "Answered as"),
        (details.system_fingerprints, "Fingerprint"),
    ):
        for role, counts in answered.items():
            yield f"{title}, {role}", _counted(counts)


def _model_facts(
    title: str, identity: ModelIdentity, decoding: Mapping[str, Any]
) -> Iterator[Fact]:
    settings = sorted((name, v) for name, v in decoding.items() if v not in (None, []))
    yield title, f"{identity.model}, version {identity.version}, {identity.endpoint}"
    yield f"{title}, decoding", ", ".join(f"{name} {value}" for name, value in settings)
    for name, value in sorted(identity.details.items()):
        yield f"{title}, {name}", flat(value)


def flat(value: Any) -> str:
    """Return a detail as words, however it is nested."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {flat(item)}" for name, item in sorted(value.items()))
    return str(value)


def commands(site: Site, page: SnapshotPage) -> Iterator[tuple[str, str]]:
    """Yield the very commands to get a snapshot, to check it and to compute it again."""
    tag, base = page.row.tag, site.address.rstrip("/")
    place_note = "" if site.address else ", in this checkout"
    if page.card.citation:
        registry_option = f" --registry {base}/" if base else ""
        yield (
            f"Show it{place_note or ', from a clone or from here'}:",
            f"epc snapshot show {tag}{registry_option}",
        )
        yield "Check every published byte, in a clone:", "epc snapshot verify"
        return
    card = page.card
    if card.origin and card.recipe:
        yield (
            "Make its verdicts again from their source, to the byte, and every figure from them:",
            f"{card.origin.clone}epc snapshot recompute {tag} --source CLONE",
        )
        if not card.kept:
            return
    yield (
        f"Fetch its folder{place_note}; every SHA-256 is checked:",
        f"epc snapshot fetch {tag}{f' --from {base}' if base else ''} --out {tag}",
    )
    kind = KINDS[card.kind]
    if kind.verdict_file:
        yield (
            "Check its verdicts, and take every figure from them again:",
            f"epc validate {tag}/verdicts.*\nepc audit {tag}/verdicts.*",
        )
    elif kind.about == "judgments":
        yield (
            "Check every record again from the raw replies, and take the shares from them:",
            f"epc judge check {tag}\nepc judge report {tag}",
        )
    elif card.audit:
        yield (
            "Check it, and compute every figure again from the raw trials:",
            f"epc validate {tag}\nepc audit {tag}",
        )
    if not card.audit:
        yield "Hold them against what is published, in a clone:", f"epc snapshot recompute {tag}"
    yield (
        "In a clone, with DVC alone:",
        (
            f"dvc pull {layout.FOLDER}/{tag}/{layout.POINTER}\n"
            f"cd {layout.FOLDER}/{tag}\nsha256sum --check {layout.SUMS}"
        ),
    )


def judged(audit: AuditSummary) -> Iterator[Fact]:
    """Yield what an audit's own questions showed of an evaluator: planted pairs, both orders."""
    if swap := audit.position_bias["swap"]:
        yield "Same answer in both orders", share(swap["order_consistency"]["mean"])
        yield "Pairs asked in both orders", integer(swap["pairs"])
    if competence := audit.competence:
        planted = competence["overall"]
        yield "Told planted good from bad", f"{competence['word']} ({planted['pairs']} pairs)"
        yield "Right about planted pairs", share(planted["accuracy"]["mean"])


def tie_rates(rates: Mapping[str, Estimate]) -> list[Fact]:
    """Return the tie rate of each phase."""
    return [(f"Tie rate, {name.replace('_', ' ')}", share(e.mean)) for name, e in rates.items()]


def link(text: str, href: str) -> Markup:
    """Return a link within the site."""
    return Markup('<a href="{}">{}</a>').format(as_markup(href), as_markup(text))
