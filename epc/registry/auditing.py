"""What today's rule says of snapshots that were published under an older one (`audits.json`).

A card keeps the word that it was published with. Wherever a word is shown it is that of the newest
rule, with the version of the rule beside it. It is worked out from the published manifest once, by
whoever writes to the registry, so that a list need not. Cards of today's rule state it themselves.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

from epc.analysis.audit import audit_manifest
from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.card_types import AuditSummary
from epc.registry.cards import audited
from epc.registry.registry import Registry
from epc.spec.coupling import RULE

_OF_A_RULE: Final = ("verdict", "p_value", "unit", "rule", "preferences_differ", "transfer")


def audits(checkout: Path, registry: Registry) -> Json:
    """Return the audits of all snapshots whose cards state those of an older rule, by their tags.

    Raises: OSError or ValueError if a manifest is not as it was published.
    """
    by_tag = {}
    for tag, snapshot in registry.snapshots.items():
        stated = snapshot.audit_published
        if stated is not None and stated.rule < RULE:
            path = checkout / layout.FOLDER / tag / layout.MANIFEST
            manifest = Manifest.parse(json.loads(path.read_bytes()))
            by_tag[tag] = as_json(anew(manifest, stated))
    return by_tag


def anew(manifest: Manifest, stated: AuditSummary) -> AuditSummary:
    """Return today's audit of a published manifest; its own questions were asked then."""
    probes = {"swap": stated.position_bias["swap"], "competence": stated.competence}
    return audited(audit_manifest(manifest, **probes).as_json())


def as_published(now: AuditSummary, stated: AuditSummary) -> AuditSummary:
    """Return what a card should say of its run, given what today's rule says.

    What an older rule said is verified by the digest of the card alone, since nobody computes that
    rule any more. What else a card states of an audit is no rule's.
    """
    if stated.rule == RULE:
        return now
    return replace(now, **{name: getattr(stated, name) for name in _OF_A_RULE})
