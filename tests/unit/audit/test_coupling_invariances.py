"""Reading R73: what may not change the word, nor any figure of the rule by a single bit."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from audit_support import counts, fewer_wheels
from budget_support import by_night, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from epc.audit.assessment import assess
from epc.audit.coupling import transfer, worked_out
from epc.audit.evidence import table_of
from epc.audit.facts import Facts
from epc.audit.permutation import by_tasks
from epc.audit.units import in_one_order
from epc.protocol.config import Configuration
from epc.protocol.table import VerdictTable
from epc.records.manifest import Manifest, plain
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, PHASES
from epc.spec.reference import Strategy

SNAPSHOTS = Path(__file__).parents[3] / "snapshots"
PUBLISHED = sorted(  # those with the reference's two domains, which can be exchanged
    path.parent.name
    for path in SNAPSHOTS.glob("v*/manifest.json")
    if set(json.loads(path.read_bytes())["tasks"]) == set(DOMAINS)
)
BY_DAY = PUBLISHED[::5]
BY_NIGHT = sorted({*PUBLISHED} - {*BY_DAY})
ACROSS: dict[Domain, Domain] = dict(zip(DOMAINS, DOMAINS[::-1], strict=True))
OTHER: dict[str, str] = {
    str(here): str(there)
    for names in (DOMAINS, DIRECTIONS)
    for here, there in zip(names, names[::-1], strict=True)
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the rule reads of a measurement; `tasks` are the places that tasks once had."""

    names: tuple[str, ...]
    table: VerdictTable
    vectors: dict[str, list[tuple[float, ...]]]
    groups: dict[Domain, tuple[str, ...]] | None
    tasks: dict[Domain, list[int]]
    rounds: int

    @property
    def lopsided(self) -> bool:
        """Return whether the two domains can be told apart by more than their names."""
        text, visual = (in_one_order(self.table, self.names).counts[domain] for domain in DOMAINS)
        return not np.array_equal(text, visual)


@dataclass(frozen=True, kw_only=True)
class Change:
    """Orders to put strategies and tasks in, and what else is changed."""

    strategies: Sequence[int]
    tasks: dict[Domain, Sequence[int]]
    flag: bool
    exchanged: bool


def coupling_result(measured: Measured) -> Any:
    """Return the word and every figure of the rule, worked out afresh."""
    worked_out.cache_clear()
    config = Configuration(
        strategies=tuple(Strategy(name=name, domain=None, prompt="") for name in measured.names),
        rounds=measured.rounds,
        groups=measured.groups,
    )
    actual_transfer = transfer(measured.vectors, table=measured.table, config=config)
    preferences = by_tasks(in_one_order(measured.table, measured.names), config.rule)
    facts = Facts(
        n=30,
        strategies=len(measured.names),
        unsound=0,
        off_simplex=0,
        gamma={},
        jsd={},
        dead=0,
        collapsed=0,
        stuck={},
        preferences=preferences,
        transfer=actual_transfer,
    )
    word, findings = assess(facts)
    figures = to_builtins(actual_transfer)
    left = figures["left_out"]["tasks"]
    left |= {d: sorted(measured.tasks[d][place] for place in left[d]) for d in DOMAINS}
    return {
        "word": word,
        "reasons": sorted(finding.where.rpartition("/")[0] for finding in findings),
        "preferences": to_builtins(preferences),
        **figures,
    }


def changed(measured: Measured, change: Change) -> Measured:
    """Return the same measurement in other words."""
    to = {domain: ACROSS[domain] if change.exchanged else domain for domain in DOMAINS}
    rows = list(change.strategies)
    return dataclasses.replace(
        measured,
        names=tuple(measured.names[at] for at in rows),
        table=replace(
            measured.table,
            counts={
                to[d]: measured.table.counts[d][rows][:, list(change.tasks[d])] for d in DOMAINS
            },
            repeated=measured.table.repeated != change.flag,
        ),
        vectors={
            (OTHER.get(phase, phase) if change.exchanged else phase): [
                tuple(seed[at] for at in rows) for seed in seeds
            ]
            for phase, seeds in measured.vectors.items()
        },
        groups=measured.groups
        and {to[d]: tuple(measured.groups[d][index] for index in change.tasks[d]) for d in DOMAINS},
        tasks={
            to[d]: [measured.tasks[d][position] for position in change.tasks[d]] for d in DOMAINS
        },
    )


def renamed(figures: Any) -> Any:
    """Return figures with the names of the domains exchanged, wherever they are keys."""
    if isinstance(figures, dict):
        return {OTHER.get(key, key): renamed(value) for key, value in figures.items()}
    return figures


def assert_said_the_same(measured: Measured, change: Change) -> None:
    before, after = coupling_result(measured), coupling_result(changed(measured, change))

    assert after == (renamed(before) if change.exchanged else before)


@st.composite
def measurements(draw: st.DrawFn) -> Measured:
    """Return small tables with gaps, ties and several verdicts a pair, some of them grouped."""
    strategies = draw(st.integers(2, 4))
    numbers = {domain: draw(st.integers(1, 6)) for domain in DOMAINS}
    cell = st.sampled_from(["A", "A", "B", "B", "t", ".", "AB", "AAB", "BBt"])
    row = {d: st.lists(cell, min_size=n, max_size=n) for d, n in numbers.items()}
    rows = {
        domain: draw(st.lists(row[domain], min_size=strategies, max_size=strategies))
        for domain in DOMAINS
    }
    grouped = draw(st.booleans())
    name = st.sampled_from("pqrs")
    groups = {d: tuple(draw(st.lists(name, min_size=n, max_size=n))) for d, n in numbers.items()}
    seeds = draw(
        st.lists(st.permutations([0.1, 0.2, 0.3, 0.4][:strategies]), min_size=1, max_size=3)
    )
    return Measured(
        names=tuple("abcd"[:strategies]),
        table=VerdictTable(
            counts={domain: np.array(counts(rows[domain]), np.int64) for domain in DOMAINS},
            repeated=draw(st.booleans()),
            is_whole=draw(st.booleans()),
        ),
        vectors={phase.name: [tuple(seed) for seed in seeds] for phase in PHASES},
        groups=groups if grouped else None,
        tasks={domain: list(range(n)) for domain, n in numbers.items()},
        rounds=draw(st.sampled_from([3] * 9 + [31])),
    )


def changes(measured: Measured) -> st.SearchStrategy[Change]:
    return st.builds(
        Change,
        strategies=st.permutations(range(len(measured.names))),
        tasks=st.fixed_dictionaries(
            {domain: st.permutations(places) for domain, places in measured.tasks.items()}
        ),
        flag=st.booleans(),
        exchanged=st.booleans() if measured.lopsided else st.just(value=False),
    )


@settings(max_examples=examples(80))
@given(st.data())
def test_reading_r73_no_order_flag_or_name_of_a_domain_changes_the_word_or_a_figure(
    data: st.DataObject,
) -> None:
    measured = data.draw(measurements())

    assert_said_the_same(measured, data.draw(changes(measured)))


def published(name: str) -> Measured:
    """Return what a published snapshot measured."""
    manifest = Manifest.parse(json.loads((SNAPSHOTS / name / "manifest.json").read_bytes()))
    return Measured(
        names=tuple(manifest.names),
        table=table_of(
            plain(manifest.results.verdict_table), manifest.names, is_whole=manifest.is_whole
        ),
        vectors={
            phase.name: [record.vector(phase.name) for record in manifest.results.per_seed]
            for phase in PHASES
        },
        groups=None,
        tasks={domain: list(range(len(tasks))) for domain, tasks in manifest.tasks.items()},
        rounds=manifest.configuration.rounds,
    )


@pytest.mark.parametrize("name", [*BY_DAY, *by_night(BY_NIGHT)])
@fewer_wheels()
def test_reading_r73_nothing_of_this_changes_what_is_said_of_a_published_snapshot(
    name: str,
) -> None:
    """All changes at once: strategies and tasks backwards, the other flag, domains exchanged."""
    measured = published(name)
    change = Change(
        strategies=range(len(measured.names))[::-1],
        tasks={domain: places[::-1] for domain, places in measured.tasks.items()},
        flag=True,
        exchanged=measured.lopsided,
    )

    assert_said_the_same(measured, change)


def test_there_are_snapshots_to_try_it_on() -> None:
    assert len(PUBLISHED) >= 8
