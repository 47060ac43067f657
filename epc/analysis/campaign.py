"""The runs of a campaign side by side: what crosses by each evaluator, and where they agree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from epc.analysis.audit import Audit, audit
from epc.arrays import np
from epc.audit.quality import Quality
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict
from epc.records import strict_json
from epc.records.calls import asked_by_run, has_raw, run_calls
from epc.records.campaign import COMPARISON, Campaign, Member
from epc.records.findings import Findings
from epc.records.manifest import Manifest
from epc.records.recompute import load_manifest
from epc.records.rows import Trial, read_typed
from epc.records.trials import CLAUSE
from epc.records.typed import as_json
from epc.records.usage import ROLES
from epc.spec.coupling import NotMeasured
from epc.spec.domains import Direction
from epc.statistics.clusters import clustered_share
from epc.statistics.intervals import Interval

_BOTH: Final = 2
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A run in one direction.

    `redirected` is a share of choices, `chance` what chance redirects; `regret` is in points of win
    rate, as a share. `gamma` is held against `floor`, the same without a change of domain. None
    where too little was decided.
    """

    run: str
    evaluator: str
    executor: str | None
    direction: Direction
    word: str
    p_value: float | None
    redirected: float | None
    redirected_ci95: Interval | None
    chance: float | None
    regret: float | None
    regret_ci95: Interval | None
    gamma: float
    gamma_ci95: Interval | None
    epc_5_2: str
    floor: float
    floor_ci95: Interval
    tie_rate: float | None
    seeds: int
    executor_answers: int
    comparisons: int
    quality: Quality | NotMeasured


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often two evaluators prefer the same of two texts that both were shown.

    `shared` comparisons were put to both, of which `decided` got an A or a B from both. `same` is
    the share of these with the same letter, `chance` what two evaluators would share that say A as
    often as these two, whatever they are shown. The interval is for the domains, over their tasks
    or groups.
    """

    executor: str | None
    left: str
    right: str
    shared: int
    decided: int
    same: float | None
    same_ci95: Interval | None
    chance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignComparison:
    """A campaign's complete runs side by side; `incomplete` names the others."""

    id: str
    rows: tuple[Row, ...]
    agreements: tuple[Agreement, ...]
    incomplete: tuple[str, ...]

    def as_json(self) -> Json:
        """Return the comparison as comparison.json has it."""
        return {
            "campaign": self.id,
            "runs": as_json(self.rows),
            "agreement": as_json(self.agreements),
            "incomplete": list(self.incomplete),
        }


def compared(folder: Path) -> CampaignComparison:
    """Compare the complete runs of a campaign, and write the comparison down once all are.

    Raises: as `compare_runs`.
    """
    comparison = compare_runs(folder)
    if not comparison.incomplete:
        strict_json.write(folder / COMPARISON, comparison.as_json())
    return comparison


def compare_runs(folder: Path) -> CampaignComparison:
    """Compare the complete runs of a campaign.

    Raises: UsageError if the folder is no campaign's; MalformedError if a record cannot be used;
    WorldError if a file cannot be read.
    """
    campaign = Campaign.load(folder)
    members = campaign.complete(folder)
    manifests = {member.folder: load_manifest(folder / member.folder) for member in members}
    audits = {member.folder: audit(folder / member.folder) for member in members}
    return CampaignComparison(
        id=campaign.id,
        rows=tuple(
            row
            for member in members
            for row in _rows(member, manifests[member.folder], audits[member.folder])
        ),
        agreements=tuple(_agreements(folder, members, manifests)),
        incomplete=tuple(e.folder for e in campaign.runs if e not in members),
    )


def _rows(member: Member, manifest: Manifest, audited: Audit) -> Iterator[Row]:
    summary, transfer = manifest.results.summary, audited.facts.transfer
    answers, comparisons = (manifest.provenance.calls[role] for role in ROLES)
    for direction in manifest.domains.directions:
        into = transfer.directions.get(direction) if transfer and transfer.directions else None
        floor, gamma = summary.control.noise_floor[direction], summary.gamma[direction]
        yield Row(
            run=member.folder,
            evaluator=member.evaluator,
            executor=member.executor,
            direction=direction,
            word=audited.verdict,
            p_value=transfer.test.p_value if transfer and transfer.test else None,
            redirected=into.redirected if into else None,
            redirected_ci95=into.redirected_ci95 if into else None,
            chance=into.chance if into else None,
            regret=into.regret if into else None,
            regret_ci95=into.regret_ci95 if into else None,
            gamma=gamma.mean,
            gamma_ci95=gamma.ci95,
            epc_5_2=audited.interpreted(direction),
            floor=floor.mean,
            floor_ci95=(floor.q025, floor.q975),
            tie_rate=audited.facts.tie_rate,
            seeds=summary.n,
            executor_answers=answers,
            comparisons=comparisons,
            quality=audited.quality,
        )


def _agreements(
    folder: Path, members: list[Member], manifests: Mapping[str, Manifest]
) -> Iterator[Agreement]:
    """Compare every two evaluators that judged the same texts."""
    verdicts = {
        member.folder: _verdicts(manifests[member.folder], folder / member.folder)
        for member in members
    }
    for left, right in combinations(members, _BOTH):
        if left.executor == right.executor:
            yield _agreement(left, right, verdicts, _units(manifests[left.folder]))


def _agreement(
    left: Member,
    right: Member,
    verdicts: Mapping[str, Mapping[Key, Verdict]],
    units: Mapping[Key, Key],
) -> Agreement:
    left_verdicts, right_verdicts = verdicts[left.folder], verdicts[right.folder]
    common = sorted(left_verdicts.keys() & right_verdicts.keys())
    decided = [key for key in common if left_verdicts[key].decided and right_verdicts[key].decided]
    equal_share = interval = chance = None
    if decided:
        hits = np.array([float(left_verdicts[key] == right_verdicts[key]) for key in decided])
        unit = [units[key[:2]] for key in decided]
        numbers = {name: number for number, name in enumerate(sorted(set(unit)))}
        clusters = np.array([numbers[name] for name in unit], np.int64)
        equal_share, interval = clustered_share(hits, np.ones(len(decided)), clusters)
        a, b = (
            sum(v[key] == Verdict.A for key in decided) / len(decided)
            for v in (left_verdicts, right_verdicts)
        )
        chance = a * b + (1 - a) * (1 - b)
    return Agreement(
        executor=left.executor,
        left=left.evaluator,
        right=right.evaluator,
        shared=len(common),
        decided=len(decided),
        same=equal_share,
        same_ci95=interval,
        chance=chance,
    )


def _units(manifest: Manifest) -> dict[Key, Key]:
    """Return the unit that each task belongs to: its group, or itself (Reading R74)."""
    groups = manifest.groups or manifest.tasks
    return {
        (domain, task): (domain, unit)
        for domain, tasks in manifest.tasks.items()
        for task, unit in zip(tasks, groups[domain], strict=True)
    }


def _verdicts(manifest: Manifest, folder: Path) -> dict[Key, Verdict]:
    """Return what an evaluator said of each comparison, by domain, task and all that was shown.

    The baseline's answer against itself is no preference. Where every round was asked afresh, the
    round belongs to the comparison.
    """
    if not has_raw(manifest, folder):
        return {}
    baseline = manifest.configuration.baseline
    if manifest.reuses:
        return {
            (
                domain,
                task,
                strategy,
                entry.pair.response or "",
                entry.pair.baseline or "",
            ): entry.verdict
            for (domain, strategy, task), entry in asked_by_run(manifest, folder).items()
            if strategy != baseline
        }
    calls, config = run_calls(manifest, folder), manifest.configuration
    phases = {phase.name: phase.domain for phase in config.domains.phases}
    return {
        (
            phases[trial.phase],
            config.tasks[phases[trial.phase]][trial.task],
            *(trial.strategy, calls[trial.response].answer, calls[trial.baseline].answer),
            *(str(trial.seed), trial.phase, str(trial.round)),
        ): Verdict(trial.parsed_verdict)
        for _, trial in read_typed(folder, Trial, Findings(), clause=CLAUSE)
        if trial.phase in phases
        and trial.strategy != baseline
        and trial.response
        and trial.baseline
    }
