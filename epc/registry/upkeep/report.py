"""The registry's needs as one value, and as text and Markdown from that value.

Everything that somebody else wrote stands in fenced blocks, where Markdown, HTML and mentions are
nothing but letters.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from msgspec import to_builtins

from epc.registry.expiry import Expiry, days_away
from epc.registry.lists import Claim
from epc.registry.registry import Registry
from epc.registry.sync import candidates, diff
from epc.registry.upkeep.coverage import Coverage
from epc.registry.upkeep.links import Link

MARK: Final = "<!-- epc-upkeep -->"
# A section longer than this is cut, so that all of them fit into what GitHub takes.
_MOST_CHARACTERS: Final = 12_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What is new within the notice period, and what sources and servers say otherwise.

    `links` is None where nobody asked, `gone_before` counts what expired earlier than that.
    `coverage` says how many models of a table have a state, where one was given.
    """

    as_of: date
    expired: tuple[Expiry, ...]
    expiring: tuple[Expiry, ...]
    unknown: tuple[Expiry, ...]
    gone_before: int
    proposals: str
    unheard: tuple[str, ...]
    links: tuple[Link, ...] | None
    coverage: Coverage | None = None

    @property
    def gone(self) -> list[Link]:
        """The addresses that are gone."""
        return [link for link in self.links or () if link.state == "gone"]

    @property
    def clean(self) -> bool:
        """Whether nobody has anything to do."""
        return not (self.expired or self.expiring or self.unknown or self.proposals or self.gone)

    def as_json(self) -> dict[str, Any]:
        """Return the value as plain JSON."""
        return {
            "as_of": self.as_of.isoformat(),
            "clean": self.clean,
            "expired": [state.as_json() for state in self.expired],
            "expiring": [state.as_json() for state in self.expiring],
            "unknown": [state.as_json() for state in self.unknown],
            "expired_before": self.gone_before,
            "proposals": self.proposals,
            "unheard": list(self.unheard),
            "links": to_builtins(self.links),
            "coverage": to_builtins(self.coverage),
        }


def upkeep(
    registry: Registry,
    claims: Sequence[Claim],
    links: Sequence[Link] | None,
    *,
    as_of: date,
    coverage: Coverage | None = None,
) -> Upkeep:
    """Return what the registry needs on a day.

    A snapshot that expired within the notice period is news; one that expired before is counted.
    """
    states = [registry.of_tag(tag, as_of) for tag in registry.snapshots]
    news = days_away(as_of, -registry.policy.notice)
    expired = [state for state in states if state.status == "expired"]
    new = [state for state in expired if state.since and state.since > news]
    records = registry.records
    known = [*records, *(generation.record for generation in registry.catalogue.values())]
    return Upkeep(
        as_of=as_of,
        expired=tuple(new),
        expiring=tuple(state for state in states if state.status == "expiring"),
        unknown=tuple(state for state in states if state.status in {"unknown", "unconfirmed"}),
        gone_before=len(expired) - len(new),
        proposals=diff(records, claims),
        unheard=tuple(f"{claim.platform}/{claim.model}" for claim in candidates(known, claims)),
        links=None if links is None else tuple(links),
        coverage=coverage,
    )


def text(report: Upkeep) -> str:
    """Return the value for a terminal."""
    parts = [f"{title}: {count}\n{_indented(lines)}" for title, count, lines, _ in _parts(report)]
    return "\n".join([*(parts or ["nothing needs anybody"]), _rest(report), *_covered(report)])


def markdown(report: Upkeep) -> str:
    """Return the value as an issue's text; empty if nobody has anything to do."""
    if report.clean:
        return ""
    blocks = [MARK, f"What the registry needs, as of {report.as_of} (`epc admin upkeep`)."]
    for title, count, lines, remedy in _parts(report):
        blocks += [f"### {title}: {count}", remedy, _fenced(lines)]
    covered = [_fenced("\n".join(_covered(report)))] if report.coverage else []
    return "\n\n".join([*blocks, _rest(report), *covered]) + "\n"


def _parts(report: Upkeep) -> Iterator[tuple[str, int, str, str]]:
    """Yield each section that has anything: title, number, lines, what to do."""
    again = "Measure the evaluator again and publish the next snapshot, or let it stand as expired."
    dates = "Look the dates up at the platform, and write them to `snapshots/evaluators/`."
    apply = "If you believe it: `epc admin evaluators sync | git apply`, with the source it names."
    mend = "Name another source, or a copy of the page in an archive."
    for title, states, remedy in (
        ("Expired lately", report.expired, again),
        ("Expiring soon", report.expiring, again),
        ("Unknown", report.unknown, dates),
    ):
        if states:
            yield title, len(states), "\n".join(map(_state, states)), remedy
    if report.proposals:
        files = report.proposals.count("\n+++ ")
        yield "Dates that moved", files, report.proposals, apply
    if report.gone:
        gone = "\n".join(f"{x.address}  {x.said}  in {', '.join(x.places)}" for x in report.gone)
        yield "Addresses that are gone", len(report.gone), gone, mend


def _state(state: Expiry) -> str:
    day = f" {state.until}" if state.until else ""
    reason = f" ({state.reason})" if state.reason else ""
    return f"{state.id}{day}{reason}: {state.note}"


def _rest(report: Upkeep) -> str:
    """Return the counts of what is nobody's task."""
    counts = [f"expired before: {report.gone_before}"]
    if report.unheard:
        counts.append(
            f"models that the source knows and the registry does not: {len(report.unheard)}"
        )
    if report.links is not None:
        unclear = sum(link.state == "unclear" for link in report.links)
        counts.append(f"addresses asked: {len(report.links)}, without a clear answer: {unclear}")
    return "; ".join(counts)


def _covered(report: Upkeep) -> list[str]:
    return list(report.coverage.lines) if report.coverage else []


def _indented(lines: str) -> str:
    return "\n".join(f"  {line}" for line in lines.splitlines())


def _fenced(lines: str) -> str:
    """Return lines in a block that nothing in them can end."""
    kept = lines.rstrip("\n")
    if len(kept) > _MOST_CHARACTERS:
        kept = (
            kept[:_MOST_CHARACTERS].rpartition("\n")[0] + "\n... and more: run `epc admin upkeep`"
        )
    runs = [len(run) for run in re.findall("`+", kept)]
    fence = "`" * max(3, *(n + 1 for n in runs), 3)
    return f"{fence}text\n{kept}\n{fence}"
