"""What was found in one submission: what every check adds to, and a report is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from epc.analysis.audit import Audit
from epc.records.findings import Findings
from epc.records.manifest import EVALUATOR, Manifest, ModelIdentity, RoleName
from epc.registry.offers import Offer
from epc.registry.record import Attested
from epc.registry.submissions.statement import Statement


@dataclass(kw_only=True)
class Checked:
    """What was found in one submission, as far as it could be looked into."""

    slug: str
    findings: Findings
    statement: Statement | None = None
    manifest: Manifest | None = None
    audit: Audit | None = None
    blocks: list[str] = field(default_factory=list)
    identity: str | None = None
    attested: Attested | None = None
    offer: Offer | None = None  # of what a judge said, asked or recorded
    first: str = "did not get to it"
    second: str = "did not get to it"

    @property
    def asked(self) -> Mapping[RoleName, ModelIdentity]:
        """Who was asked, by role, as far as it is known."""
        if self.manifest:
            return self.manifest.asked
        return self.offer.asked if self.offer else {}

    @property
    def n(self) -> int | None:
        """How many seeds were run, or samples judged."""
        if self.manifest:
            return len(self.manifest.config.seeds)
        return int(self.offer.figures["n"]) if self.offer else None

    @property
    def evaluator(self) -> str | None:
        """The model that was asked, by its record or by its source."""
        if self.offer and self.offer.stated:
            return self.offer.stated.model
        evaluator = self.asked.get(EVALUATOR)
        return evaluator.model if evaluator else None

    @property
    def ok(self) -> bool:
        """Whether it can be merged and published."""
        wrong = any(finding.severity == "error" for finding in self.findings.kept())
        return not self.blocks and not wrong
