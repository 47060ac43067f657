"""Findings about one submission: every check adds to them, and a report is made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Protocol

from epc.audit.facts import Facts
from epc.errors import Finding, MalformedError
from epc.protocol.results import Json
from epc.records import checkout
from epc.records.findings import Findings
from epc.records.manifest import EVALUATOR, Estimate, Floor, Manifest, ModelIdentity, RoleName
from epc.registry.offers import Offer
from epc.registry.reading import of_folder, used_tags
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.statement import Statement
from epc.registry.tags import Tag, next_tag

ORACLE: Final = checkout.ROOT / "tests" / "oracle"
_DIFFERS: Final = "validate or measure it again; if that agrees with itself, report a fault of epc"
ANSWERS: Final = "read some answers in calls.jsonl: do they read as this model's?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The trusted checkout that submissions are held against, and the day."""

    checkout: Path
    registry: Registry
    today: date
    used_tags: Sequence[Tag]

    @classmethod
    def from_checkout(cls, checkout: Path, today: date) -> "Base":
        """Read a checkout.

        Raises: MalformedError or WorldError if it cannot be read.
        """
        registry = of_folder(checkout)
        return cls(
            checkout=checkout,
            registry=registry,
            today=today,
            used_tags=used_tags(checkout, registry),
        )

    def next_tag(self, generation: str) -> str | None:
        """Return the id that the next measurement of a generation gets, if it can have one."""
        try:
            return str(next_tag(generation, self.used_tags))
        except MalformedError:
            return None


class AuditResult(Protocol):
    """An audit of a run, as far as a report of a submission shows it."""

    @property
    def facts(self) -> Facts: ...  # noqa: D102
    @property
    def findings(self) -> Sequence[Finding]: ...  # noqa: D102
    def as_json(self) -> Json: ...  # noqa: D102


@dataclass(kw_only=True)
class SubmissionCheck:
    """Findings about one submission, as far as it could be looked into."""

    slug: str
    kind: str
    findings: Findings
    statement: Statement | None = None
    manifest: Manifest | None = None
    audit: AuditResult | None = None
    blocks: list[str] = field(default_factory=list)
    identity: str | None = None
    offer: Offer | None = None  # of what a judge said, asked or recorded
    first: str = "did not get to it"
    second: str = "did not get to it"

    def take(self, offer: Offer | None, wrong: Sequence[Finding], *, first: str) -> None:
        """Note what is offered, if anything can be, and what is wrong.

        `first` is what the first computation found, if something is offered.
        """
        self.offer = offer
        self.findings.extend(wrong)
        self.first = "finds it otherwise" if offer is None else first

    @property
    def models(self) -> Mapping[RoleName, ModelIdentity]:
        """Models that were asked, by role, as far as they are known."""
        if self.manifest:
            return self.manifest.models
        return self.offer.models if self.offer else {}

    @property
    def n(self) -> int | None:
        """How many seeds were run, or samples judged."""
        if self.manifest:
            return len(self.manifest.config.seeds)
        return int(self.offer.figures["n"]) if self.offer else None

    @property
    def evaluator(self) -> str | None:
        """The model that was asked, by its record or by its source."""
        if self.offer and self.offer.source_judge:
            return self.offer.source_judge.model
        evaluator = self.models.get(EVALUATOR)
        return evaluator.model if evaluator else None

    @property
    def ok(self) -> bool:
        """Return whether it can be merged and published."""
        wrong = any(finding.severity == "error" for finding in self.findings.as_list())
        return not self.blocks and not wrong


def second_computation(
    path: Path, checked: SubmissionCheck, tolerance: str, report: Json | None = None
) -> None:
    """Note what the second computation finds; it is part of a clone, and of no package."""
    if not ORACLE.is_dir():
        checked.second = "was not run"
        problem = "the second computation was not run: only a clone of the registry has it"
        remedy = "check with the program of a clone, which has tests/oracle"
        checked.findings.add(layout.AGAIN, "", problem, remedy, "warning")
        return
    question = {"folder": str(path.absolute()), "report": report}
    apart = checkout.answer(ORACLE.parent, ORACLE.name, question, list[tuple[str, str]])
    checked.second = "finds it otherwise" if apart else f"agrees within {tolerance}"
    for where, problem in apart:
        checked.findings.add(layout.AGAIN, where, problem, _DIFFERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure; the noise floor and the excess are gamma's, and the others have none."""

    name: str
    mean: float
    ci95: tuple[float, float] | None
    noise_floor: Floor | None
    excess: Estimate | None


def plain(name: str, estimate: Estimate) -> Figure:
    """Return a figure that has no noise floor."""
    mean, ci95 = estimate.mean, estimate.ci95
    return Figure(name=name, mean=mean, ci95=ci95, noise_floor=None, excess=None)


def through(model: ModelIdentity) -> str:
    """Return through whose gateway a model was asked, in words."""
    return f" through {model.gateway}" if model.gateway else ""
