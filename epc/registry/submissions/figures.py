"""The figures that a report shows, each with its interval, its noise floor and its excess."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from epc.analysis.audit import Audit
from epc.protocol.results import Json
from epc.records.manifest import Estimate, Floor, Manifest
from epc.records.typed import parse
from epc.registry.figures import headline_of_groups

_MOST_SETTINGS: Final = 20  # in a report; the snapshot has them all


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure; the noise floor and the excess are gamma's, and the others have none."""

    name: str
    mean: float
    ci95: tuple[float, float] | None
    noise_floor: Floor | None
    excess: Estimate | None


def figures(manifest: Manifest, audit: Audit) -> Iterator[Figure]:
    """Yield the headline figures of a manifest of valid shape, and of its audit."""
    summary = manifest.results.summary
    directions = manifest.domains.directions
    for direction in directions:
        yield Figure(
            name=f"gamma/{direction}",
            mean=summary.gamma[direction].mean,
            ci95=summary.gamma[direction].ci95,
            noise_floor=summary.control.noise_floor[direction],
            excess=summary.control.excess[direction],
        )
    by_name = {"jsd": summary.jsd, "zero_coupling_rate": summary.zero_coupling_rate}
    for name, estimates in by_name.items():
        for direction in directions:
            yield _plain(f"{name}/{direction}", estimates[direction])
    crossing = (audit.facts.transfer.directions if audit.facts.transfer else None) or {}
    for name in ("redirected", "regret"):
        for direction, into in crossing.items():
            mean, ci95 = getattr(into, name), getattr(into, f"{name}_ci95")
            yield _plain(f"{name}/{direction}", Estimate(mean=mean, ci95=ci95))
    yield _plain("tie_rate", summary.tie_rate)
    yield from (_plain(f"pci/{domain}", summary.pci[domain]) for domain in manifest.domains.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedShares:
    """What a report says of an evaluation's figures: samples, verdicts, invalid replies."""

    n: int
    verdict: Mapping[str, Estimate]
    invalid: Estimate


def judged_figures(stated: Json) -> Iterator[Figure]:
    """Yield the shares of an evaluation's figures: each verdict's, and that of invalid replies."""
    shares = parse(stated, JudgedShares)
    for name, share in [*shares.verdict.items(), ("invalid", shares.invalid)]:
        yield _plain(f"verdict/{name}", share)


def recorded_figures(stated: Json) -> Iterator[Figure]:
    """Yield the headline of each setting of recorded verdicts."""
    for group in stated["groups"][:_MOST_SETTINGS]:
        if headline := headline_of_groups({"groups": [group]}):
            yield _plain(headline.name, Estimate(mean=headline.mean, ci95=headline.interval))


def _plain(name: str, estimate: Estimate) -> Figure:
    mean, ci95 = estimate.mean, estimate.ci95
    return Figure(name=name, mean=mean, ci95=ci95, noise_floor=None, excess=None)
