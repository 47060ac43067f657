"""EPC from recorded verdicts: authors are strategies, subsets are domains (Readings R70, R77).

The verdicts are a table of strategies and tasks against one baseline, as a measurement's are. What
an agent would learn from such a judge in one domain, and pay for in the other, follows from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist
from typing import Final

from epc.analysis.verdicts_contests import (
    TWO,
    Contests,
    against,
    by_scores,
    chosen_baseline,
    domains_of,
    groups_of,
    labels_of,
    table_of,
)
from epc.analysis.verdicts_rows import FileNames, Rows
from epc.arrays import np
from epc.audit.copies import are_declared, unchecked
from epc.audit.coupling import CrossingFigures, carried_over, figures_into, worked_out
from epc.audit.facts import Word
from epc.audit.quality import Quality, judged_of, quality
from epc.audit.redirection import RedirectionTest
from epc.audit.side_checks import clustered, clusters
from epc.audit.transfer import Crossings, reductions
from epc.audit.units import paired_units, units_of
from epc.protocol.weights import UpdateRule
from epc.records.verdicts.types import Choices
from epc.spec.coupling import FEWEST_SPLITS, LEVEL, MARGIN, RULE, NotMeasured
from epc.spec.epc_v1 import ROUNDS
from epc.statistics.inference import t_point
from epc.statistics.intervals import Interval

NO_AUTHORS: Final = "the source does not say who wrote the candidates"
NO_BASELINE: Final = "no author stands in every comparison: choose one by --baseline NAME"
NO_SUBSETS: Final = "no two subsets have comparisons with the baseline"
ONE_AUTHOR: Final = "a single author is compared with the baseline"
_RULE: Final = UpdateRule()
_POWER: Final = NormalDist().inv_cdf(0.8)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleDifference:
    """A figure of the judge and of the persons who judged the same pairs, and their difference."""

    judge: float
    judge_ci95: Interval | None
    people: float
    people_ci95: Interval | None
    difference: float
    difference_ci95: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Preferences that cross between two domains, and the choices that the figures rest on.

    `domains` counts tasks, `left_out_tasks` those with too few decided verdicts (Reading R72).
    `clusters` has a p-value for each domain, small where tasks share topics (Reading R74).
    `unchecked` says that the word would have been `coupled`, had copies among the tasks been looked
    for: files hold digests of the texts alone (Reading R102).
    `detectable` is the regret that would have been found with 80% power, as far as its interval
    tells. `people` has regret and redirected choices of each direction where persons judged too.
    `carried` has the change of each strategy's choices by direction, where the word is `coupled`.
    """

    rule: int
    baseline: str
    baseline_chosen: bool
    domains: Mapping[str, int]
    domains_chosen: bool
    verdicts: int
    decided_share: float
    strategies: Sequence[str]
    left_out_strategies: Sequence[str]
    left_out_tasks: Mapping[str, int]
    word: Word
    test: RedirectionTest | None
    clusters: Mapping[str, float | None]
    directions: Mapping[str, CrossingFigures] | None
    detectable: float | None
    people: Mapping[str, Mapping[str, PeopleDifference]] | None
    quality: Quality | NotMeasured
    carried: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unchecked: bool = False

    @property
    def compared(self) -> int:
        """The number of strategies that what crosses rests on."""
        return len(self.strategies) - len(self.left_out_strategies)


def transfer_of(rows: Rows, named: FileNames, choices: Choices) -> Transfer | str:
    """Return what crosses between two subsets, or why that cannot be said.

    Raises: UsageError if the choices name no author, or no two domains, of the file.
    """
    compared = rows[(rows.verdict >= 0) & (rows.a_by >= 0) & (rows.b_by >= 0)]
    if not len(compared.item) and not (rows.a_by >= 0).any():
        return NO_AUTHORS
    baseline = chosen_baseline(compared, named, choices)
    if baseline is None:
        return NO_BASELINE
    contests = against(compared, baseline) if len(compared.item) else by_scores(rows, baseline)
    domains = domains_of(contests, named, choices)
    if len(domains) < TWO:
        return NO_SUBSETS
    domain_index = np.full(len(named.subsets) + 1, -1)
    for index, subsets in enumerate(domains.values()):
        domain_index[subsets] = index
    contests = contests[domain_index[contests.subset] >= 0]
    authors = sorted({*contests.author.tolist()}, key=lambda code: named.authors[code])
    if len(authors) < TWO:
        return ONE_AUTHOR
    sides = {
        name: contests[domain_index[contests.subset] == index] for index, name in enumerate(domains)
    }
    return _worked_out(sides, authors, named.authors[baseline], named, choices)


def _worked_out(
    sides: Mapping[str, Contests],
    authors: Sequence[int],
    baseline: str,
    named: FileNames,
    choices: Choices,
) -> Transfer:
    names = [named.authors[code] for code in authors]
    table = table_of(
        {domain: (contests, contests.counts) for domain, contests in sides.items()}, authors
    )
    groups = groups_of(sides)
    units = units_of(table, names, groups)
    directions, test, detectable, word = None, None, None, _word(None, None, {})
    alike = clusters(units)
    if units.bearable:
        crossed, test, chance = worked_out(units, ROUNDS, _RULE)
        directions = {
            pair.key: CrossingFigures(
                **figures_into(crossed.into[target_index], chance[target_index], test.p_value)
            )
            for pair in table.domains.pairs
            for target_index in [units.domains.index(pair.target)]
        }
        word, detectable = _word(crossed, test, alike), _detectable(crossed)
    few = unchecked(len(units.strategies), declared=are_declared(groups), texts=False)
    not_checked = word == "coupled" and few
    if not_checked:
        word = "inconclusive"
    return Transfer(
        rule=RULE,
        baseline=baseline,
        baseline_chosen=choices.baseline is not None,
        domains=table.tasks(),
        domains_chosen=bool(choices.domains),
        verdicts=table.verdict_count(),
        decided_share=units.decided_share,
        strategies=names,
        left_out_strategies=units.left_out.strategies,
        left_out_tasks={domain: len(tasks) for domain, tasks in units.left_out.tasks.items()},
        word=word,
        test=test,
        clusters=alike,
        directions=directions,
        detectable=detectable,
        people=_people(sides, authors, names),
        quality=_quality(sides, authors, named),
        carried=carried_over(table, names, groups_of(sides), rounds=ROUNDS, rule=_RULE)
        if word == "coupled"
        else {},
        unchecked=not_checked,
    )


def _quality(
    sides: Mapping[str, Contests], authors: Sequence[int], named: FileNames
) -> Quality | NotMeasured:
    """Return what labels say of the work (Reading R91)."""
    labels = {domain: labels_of(contests, authors, named) for domain, contests in sides.items()}
    if not any(counts.any() for _, counts in labels.values()):
        return NotMeasured(how="a column gold takes labels, or `epc audit VERDICTS --gold FILE`")
    table = table_of(
        {domain: (contests, contests.counts) for domain, contests in sides.items()}, authors
    )
    groups = groups_of(sides) or {}
    judged = {
        domain: judged_of(table.counts[domain], *labels[domain], groups.get(domain))
        for domain in sides
    }
    return quality(judged, [named.authors[a] for a in authors], rounds=ROUNDS, rule=_RULE)


def _people(
    sides: Mapping[str, Contests], authors: Sequence[int], names: Sequence[str]
) -> dict[str, dict[str, PeopleDifference]] | None:
    """Return the judge's figures beside those of the persons who judged the same pairs."""
    with_people = {
        domain: contests[contests.humans.sum(axis=1) > 0] for domain, contests in sides.items()
    }
    if not all(len(contests.task) for contests in with_people.values()):
        return None
    judge = table_of(
        {domain: (contests, contests.counts) for domain, contests in with_people.items()}, authors
    )
    people = table_of(
        {domain: (contests, contests.humans) for domain, contests in with_people.items()}, authors
    )
    units, _ = paired_units(judge, people, names, groups_of(with_people))
    if not all(side.bearable for side in units):
        return None
    into = reductions(*units, rounds=ROUNDS, rule=_RULE)
    figures = {pair.key: into[units[0].domains.index(pair.target)] for pair in judge.domains.pairs}
    return {
        direction: {
            name: PeopleDifference(**reduction[name].named("judge", "people", "difference"))
            for name in ("regret", "redirected")
        }
        for direction, reduction in figures.items()
    }


def _word(
    crossed: Crossings | None, test: RedirectionTest | None, alike: Mapping[str, float | None]
) -> Word:
    """Return the word of the rule; of recorded verdicts no seed can have collapsed.

    Source: Readings R71, R72 and R74.
    """
    if crossed is None or test is None or test.splits < FEWEST_SPLITS or clustered(alike):
        return "inconclusive"
    if test.p_value <= LEVEL and crossed.cost >= MARGIN:
        return "coupled"
    upper_end = crossed.upper_end
    beyond = upper_end is None or upper_end >= MARGIN
    return "no_detectable_coupling" if beyond else "no_coupling_beyond_margin"


def _detectable(crossed: Crossings) -> float | None:
    """Return the regret that is found in 4 of 5 such tables, by the spread of what was found.

    It has to pass the margin and, one-sided, its own spread. Of both directions the one that
    spreads more counts, so that it holds for either.
    """
    regrets = [
        max(MARGIN, t_point(into.regret.freedom, 2 * LEVEL) * spread) + _POWER * spread
        for into in crossed.into
        if into.regret.variance is not None
        for spread in [sqrt(into.regret.variance)]
    ]
    return max(regrets, default=None)
