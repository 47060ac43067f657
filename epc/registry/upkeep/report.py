"""The registry's needs as one value, and as text and Markdown from that value.

Everything that somebody else wrote stands in fenced blocks, where Markdown, HTML and mentions are
nothing but letters.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from msgspec import to_builtins

from epc.printable import shortened
from epc.records.model_names import key
from epc.registry.expiry import Expiry, days_away
from epc.registry.lists import Claim, table
from epc.registry.registry import Registry
from epc.registry.sync import candidates, diff
from epc.registry.upkeep.links import Link
from epc.registry.upkeep.sightings import Sightings, sightings

_MODES: Final = ("chat", "responses", "completion")
# Names in these modes of what hears, speaks, draws, filters or only shows how to write a name.
_NO_JUDGE: Final = re.compile(
    r"\bft:|audio|realtime|tts\b|voxtral|transcri|ocr|embed|rerank|moderation|guard|safety|image"
    r"|\bflux|lyria|pegasus|\bsam-|robotics|/container$|-draft",
    re.IGNORECASE,
)
# Of several answers the one that says most.
_ORDER: Final = ("current", "expiring", "expired", "unconfirmed")
_EXAMPLES: Final = 5

NO_DAY: Final = "known, and no day of it is known on the platform that the id names"
NO_ROUTE: Final = "a known model behind a word that no rule knows"
VARIANT: Final = "the name of a known model with something after it: a host's build or setting"
NAMELESS: Final = "holds no model's name"
NOTHING: Final = "nothing is known by that name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many ids of a table have a state, by the state, and the others by the reason."""

    table: str
    ids: int
    states: dict[str, int]
    unknown: dict[str, tuple[str, ...]]

    @property
    def lines(self) -> Iterator[str]:
        """Yield it as text, with the first examples of each reason."""
        missing = sum(map(len, self.unknown.values()))
        share = (self.ids - missing) / max(self.ids, 1)
        by_state = ", ".join(f"{state} {n}" for state, n in self.states.items())
        yield (
            f"ids of {self.table} that can judge text: {self.ids}; with a state: "
            f"{self.ids - missing} ({share:.1%}): {by_state}; without: {missing}"
        )
        for reason, ids in self.unknown.items():
            yield f"  {len(ids)} {reason}: {shortened(ids, _EXAMPLES)}"


def judges(document: Any) -> list[str]:
    """Return the ids of LiteLLM's table that can judge text."""
    return [
        name
        for name, entry in table(document).items()
        if entry.mode in _MODES and name != "sample_spec" and not _NO_JUDGE.search(name)
    ]


def coverage(
    registry: Registry, document: Any, called: str, states_of: Callable[[str], Iterable[Expiry]]
) -> Coverage:
    """Return how many ids of a table have a state; `states_of` has those of a name."""
    ids = judges(document)
    states: Counter[str] = Counter()
    unknown: dict[str, list[str]] = {}
    for name in ids:
        statuses = {state.status for state in states_of(name)}
        if first := next((status for status in _ORDER if status in statuses), None):
            states[first] += 1
        else:
            unknown.setdefault(_reason(registry, name), []).append(name)
    by_size = sorted(unknown.items(), key=lambda item: -len(item[1]))
    return Coverage(
        table=called,
        ids=len(ids),
        states={status: states[status] for status in _ORDER if states[status]},
        unknown={reason: tuple(names) for reason, names in by_size},
    )


def _reason(registry: Registry, name: str) -> str:
    """Say why a name has no state."""
    meaning = registry.names.meaning(name)
    if meaning.nameless:
        return NAMELESS
    if meaning.elsewhere or meaning.matches:
        return NO_DAY
    *_, last = registry.names.shortest(name).split("/")
    if registry.names.is_alike(last):
        return NO_ROUTE
    parts = re.split(r"[-:]", key(last))
    begun = ("-".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return VARIANT if any(registry.names.is_alike(prefix) for prefix in begun) else NOTHING


MARK: Final = "<!-- epc-upkeep -->"
# A section longer than this is cut, so that all of them fit into what GitHub takes.
_MOST_CHARACTERS: Final = 12_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """Work on the registry: ends within the notice period, and what sources and servers contradict.

    `links` is None where nobody asked, `gone_before` counts what expired earlier than that.
    `coverage` says how many models of a table have a state, where one was given; `sightings` when
    lists last had the models without a stated end.
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
    sightings: Sightings | None = None

    @property
    def gone_links(self) -> list[Link]:
        """The addresses that are gone."""
        return [link for link in self.links or () if link.state == "gone"]

    @property
    def clean(self) -> bool:
        """Return whether nobody has anything to do."""
        return not (
            self.expired or self.expiring or self.unknown or self.proposals or self.gone_links
        )

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
            "sightings": to_builtins(self.sightings),
        }


def upkeep(
    registry: Registry,
    claims: Sequence[Claim],
    links: Sequence[Link] | None,
    states: Collection[Expiry],
    *,
    as_of: date,
    coverage: Coverage | None = None,
) -> Upkeep:
    """Return what the registry needs on a day; `states` are those of all snapshots.

    A snapshot that expired within the notice period is news; one that expired before is counted.
    """
    news = days_away(as_of, -registry.policy.notice)
    expired = [state for state in states if state.status == "expired"]
    new = [state for state in expired if state.since and state.since > news]
    records = registry.records
    return Upkeep(
        as_of=as_of,
        expired=tuple(new),
        expiring=tuple(state for state in states if state.status == "expiring"),
        unknown=tuple(state for state in states if state.status in {"unknown", "unconfirmed"}),
        gone_before=len(expired) - len(new),
        proposals=diff(records, claims),
        unheard=tuple(
            f"{claim.platform}/{claim.model}" for claim in candidates(registry.all_records, claims)
        ),
        links=None if links is None else tuple(links),
        coverage=coverage,
        sightings=sightings(registry, as_of),
    )


def text(report: Upkeep) -> str:
    """Return the value for a terminal."""
    parts = [f"{title}: {count}\n{_indented(lines)}" for title, count, lines, _ in _parts(report)]
    return "\n".join([*(parts or ["nothing needs anybody"]), _counts(report), *_covered(report)])


def markdown(report: Upkeep) -> str:
    """Return the value as an issue's text; empty if nobody has anything to do."""
    if report.clean:
        return ""
    blocks = [MARK, f"What the registry needs, as of {report.as_of} (`epc admin upkeep`)."]
    for title, count, lines, remedy in _parts(report):
        blocks += [f"### {title}: {count}", remedy, _fenced(lines)]
    of_models = "\n".join(_covered(report))
    covered = [_fenced(of_models)] if of_models else []
    return "\n\n".join([*blocks, _counts(report), *covered]) + "\n"


def _parts(report: Upkeep) -> Iterator[tuple[str, int, str, str]]:
    """Yield each section that has anything: title, number, lines, what to do."""
    remeasure = (
        "Measure the evaluator again and publish the next snapshot, or let it stand as expired."
    )
    dates = "Look the dates up at the platform, and write them to `snapshots/evaluators/`."
    apply = "If you believe it: `epc admin evaluators sync | git apply`, with the source it names."
    mend = "Name another source, or a copy of the page in an archive."
    for title, states, remedy in (
        ("Expired lately", report.expired, remeasure),
        ("Expiring soon", report.expiring, remeasure),
        ("Unknown", report.unknown, dates),
    ):
        if states:
            yield title, len(states), "\n".join(map(_state, states)), remedy
    if report.proposals:
        files = report.proposals.count("\n+++ ")
        yield "Dates that moved", files, report.proposals, apply
    if report.gone_links:
        lines = "\n".join(
            f"{x.address}  {x.said}  in {', '.join(x.places)}" for x in report.gone_links
        )
        yield "Addresses that are gone", len(report.gone_links), lines, mend


def _state(state: Expiry) -> str:
    day = f" {state.until}" if state.until else ""
    reason = f" ({state.reason})" if state.reason else ""
    return f"{state.id}{day}{reason}: {state.note}"


def _counts(report: Upkeep) -> str:
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
    """Return what the report says of all models: their sightings, and those of a table."""
    parts = (part for part in (report.sightings, report.coverage) if part)
    return [line for part in parts for line in part.lines]


def _indented(lines: str) -> str:
    return "\n".join(f"  {line}" for line in lines.splitlines())


def _fenced(lines: str) -> str:
    """Return lines in a block that nothing in them can end."""
    block = lines.rstrip("\n")
    if len(block) > _MOST_CHARACTERS:
        block = (
            block[:_MOST_CHARACTERS].rpartition("\n")[0] + "\n... and more: run `epc admin upkeep`"
        )
    runs = [len(run) for run in re.findall("`+", block)]
    fence = "`" * max(3, *(n + 1 for n in runs), 3)
    return f"{fence}text\n{block}\n{fence}"
