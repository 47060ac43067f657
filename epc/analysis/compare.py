"""Two measurements side by side: like for like, differences, drift (`epc compare`)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal

from epc.analysis.comparability import are_facts, unlike
from epc.analysis.differences import GAMMA_STEP, Difference, differences, seeds_needed
from epc.analysis.sharing import SharedAnswers, shared_by_runs
from epc.arrays import np
from epc.audit.drift import (
    ASSUMED_FLIPS,
    MARGIN,
    Kind,
    Noise,
    State,
    TableDrift,
    compare_fresh,
    compare_mixed,
    compare_reused,
    nothing,
)
from epc.errors import Finding
from epc.protocol.config import Configuration
from epc.protocol.metrics import interpreted
from epc.protocol.results import Json
from epc.records.calls import (
    AskedPair,
    PairKey,
    asked_by_run,
    counts_by_seed,
    has_raw,
    pair_keys,
)
from epc.records.manifest import Evaluator, Manifest
from epc.records.recompute import load_manifest, manifest_path
from epc.records.validate import validate
from epc.spec.domains import Direction
from epc.statistics.inference import ALPHA, pairs_needed

_SHUFFLING: Final = 20260703
_SHARES: Final = (0.1, 0.2, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The comparison of two verdict tables, and what it rests on.

    `other_answers` counts common pairs for which the executor wrote something else, and
    `other_prompts` those of the same answers about which one evaluator was asked in other words:
    they say nothing of the evaluator. Nor do pairs whose verdict both runs share: these are in no
    count. `paired` says that seeds were compared with themselves.
    """

    drift: TableDrift
    noise: Noise | None = None
    other_answers: int = 0
    other_prompts: int = 0
    paired: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Comparison of two measurements; `shared` is by role (Reading R76).

    `verdict` is `different` where two evaluators differ: neither has drifted. `epc_5_2` says what
    the paper makes of gamma in both, by direction.
    """

    verdict: State | Literal["different"]
    two_evaluators: bool
    left: Json
    right: Json
    findings: list[Finding]
    tables: Tables | None
    metrics: list[Difference]
    pairs_needed: dict[float, int | None]
    seeds_needed: Json
    shared: dict[str, SharedAnswers]
    epc_5_2: dict[Direction, tuple[str, str]]

    @property
    def like_for_like(self) -> bool:
        """Return whether nothing worse than a warning tells them apart."""
        return all(finding.severity != "error" for finding in self.findings)

    @property
    def clean(self) -> bool:
        """Return whether a script may go on: like for like, and no drift found."""
        return self.like_for_like and self.verdict != "drifted"

    def as_json(self) -> Json:
        """Return the comparison as `epc compare --format json` prints it."""
        table = None
        if self.tables is not None:
            table = {
                **asdict(self.tables.drift),
                "noise": asdict(self.tables.noise) if self.tables.noise else None,
                "other_answers": self.tables.other_answers,
                "other_prompts": self.tables.other_prompts,
                "paired": self.tables.paired,
            }
        return {
            "verdict": self.verdict,
            "like_for_like": self.like_for_like,
            "left": self.left,
            "right": self.right,
            "findings": [finding.as_json() for finding in self.findings],
            "table": table,
            "metrics": [difference.as_json() for difference in self.metrics],
            "epc_5_2": self.epc_5_2,
            "enough": {
                "pairs": [{"changed": c, "pairs": n} for c, n in self.pairs_needed.items()],
                "seeds": {"difference": GAMMA_STEP, **self.seeds_needed},
            },
            "shared": {role: shared.as_json() for role, shared in self.shared.items()},
        }


def compare(
    left: Path, right: Path, *, margin: float = MARGIN, untrue: Sequence[Finding] = ()
) -> Comparison:
    """Compare two run folders, or two manifests as far as those go.

    `untrue` are findings about the records themselves, which go before all others.

    Raises: MalformedError if one cannot be used; WorldError if a file cannot be read.
    Source: Readings R44, R45 and R47.
    """
    runs = [_Run.open(path) for path in (left, right)]
    first, second = (run.manifest for run in runs)
    paired = _same_draws(first, second)
    common = shared_by_runs(first, second, (runs[0].folder, runs[1].folder))
    findings = [*untrue, *_shared(common), *unlike(first, second)]
    metrics = differences(first.results.per_seed, second.results.per_seed, paired=paired)
    if common["evaluator"].count:  # Reading R76: nothing that assumes two measurements
        metrics = [replace(metric, ci95=None, p_value=None, p_holm=None) for metric in metrics]
    are_two_judges = _are_two(first.evaluator, second.evaluator)
    tables = _tables(
        *runs,
        shared=common["evaluator"],
        paired=paired,
        margin=margin,
        are_two_judges=are_two_judges,
    )
    noise = tables.noise if tables and tables.noise else Noise()
    anyway = noise.flips / noise.asked if noise.asked else noise.assumed
    verdict: State = "cannot_tell"
    if tables is not None:
        verdict = tables.drift.verdict
    elif _figures_can_tell(runs[0], runs[1], findings):
        # That figures do not differ significantly is no sameness.
        significant = any(d.p_holm is not None and d.p_holm <= ALPHA for d in metrics)
        verdict = "drifted" if significant else "cannot_tell"
    return Comparison(
        verdict="different" if are_two_judges and verdict == "drifted" else verdict,
        two_evaluators=are_two_judges,
        left=_head(left, first),
        right=_head(right, second),
        findings=findings,
        tables=tables,
        metrics=metrics,
        # The two p-values of a table share the level between them.
        pairs_needed={c: pairs_needed(c, anyway, error=ALPHA / 2) for c in _SHARES},
        seeds_needed=seeds_needed(first.results.per_seed, second.results.per_seed),
        shared=common,
        epc_5_2={
            d: (_interpreted(first, d), _interpreted(second, d))
            for d in first.domains.directions
            if d in second.results.summary.gamma
        },
    )


def _are_two(first: Evaluator, second: Evaluator) -> bool:
    """Return whether two evaluators are two; files of verdicts are two by their names alone."""
    recorded = first.method == second.method == "recorded"
    return first.model != second.model and not recorded


def _interpreted(manifest: Manifest, direction: Direction) -> str:
    summary = manifest.results.summary
    return interpreted(summary.gamma[direction].mean, summary.control.excess[direction].ci95)


def _shared(common: dict[str, SharedAnswers]) -> Iterator[Finding]:
    """Say which answers both runs have, one answer each and not two (Reading R76)."""
    evaluator, executor = common["evaluator"], common["executor"]
    if evaluator.count:
        all_shared = evaluator.count == evaluator.answers
        yield Finding(
            clause="Reading R76",
            where="",
            problem=f"{evaluator.count} of {evaluator.answers} of the evaluator's answers are "
            "shared: "
            + ("one measurement, no comparison" if all_shared else "these compare nothing"),
            remedy="measure again without --reuse-answers-of, so that the evaluator is asked",
        )
    if executor.count:
        yield Finding(
            clause="Reading R76",
            where="",
            problem=f"{executor.count} of {executor.answers} of the executor's answers are shared: "
            "the evaluator judged the same texts, a paired comparison",
            remedy="nothing to mend; it says nothing of the executor",
            severity="warning",
        )


def check_records(*paths: Path) -> list[Finding]:
    """Return a finding for each record that is not true to itself."""
    return [finding for path in paths for finding in _untrue(path)]


def _untrue(path: Path) -> list[Finding]:
    errors = [f for f in validate(path).findings if f.severity == "error"]
    if not errors:
        return []
    problem = f"{path} is not true to itself: {len(errors)} errors"
    remedy = f"see `epc validate {path}`; nothing below can be relied on until they are mended"
    return [Finding(clause="EPC-2.8", where="", problem=problem, remedy=remedy)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """A run's manifest and its folder."""

    manifest: Manifest
    folder: Path

    @classmethod
    def open(cls, path: Path) -> "_Run":
        return cls(manifest=load_manifest(path), folder=manifest_path(path).parent)

    @property
    def config(self) -> Configuration:
        return self.manifest.configuration

    @property
    def reused(self) -> bool:
        return self.manifest.reuses

    def asked_pairs(self) -> dict[PairKey, AskedPair]:
        return asked_by_run(self.manifest, self.folder)


def _figures_can_tell(left: _Run, right: _Run, findings: list[Finding]) -> bool:
    """Return whether a difference of figures must be the evaluator's.

    Not if the runs are unlike. Nor if answers were reused and may flip by themselves: with more and
    more seeds any flip becomes significant.
    """
    evaluators = left.manifest.evaluator, right.manifest.evaluator
    afresh = not (left.reused or right.reused)
    unlike_ones = [finding for finding in findings if finding.severity == "error"]
    return not unlike_ones and (afresh or are_facts(*evaluators))


def _tables(
    left: _Run,
    right: _Run,
    *,
    shared: SharedAnswers,
    paired: bool,
    margin: float,
    are_two_judges: bool,
) -> Tables | None:
    if not all(has_raw(run.manifest, run.folder) for run in (left, right)):
        return None
    if left.reused and right.reused:
        return _reused(left, right, shared, margin, are_two_judges=are_two_judges)
    rng = np.random.default_rng(_SHUFFLING)
    kind: Kind = "fresh" if not left.reused and not right.reused else "mixed"
    in_right = set(pair_keys(right.config))
    common = [key for key in pair_keys(left.config) if key in in_right]
    if not common or shared.count:
        return Tables(drift=nothing(kind, margin))
    if kind == "fresh":
        keys = {key: index for index, key in enumerate(common)}
        counts = [counts_by_seed(run.manifest, run.folder, keys) for run in (left, right)]
        drift = compare_fresh(counts[0], counts[1], paired=paired, rng=rng, margin=margin)
        return Tables(drift=drift, paired=paired)
    once, afresh = (left, right) if left.reused else (right, left)
    pairs = once.asked_pairs()
    keys = {key: index for index, key in enumerate(key for key in common if key in pairs)}
    answers = counts_by_seed(afresh.manifest, afresh.folder, keys).sum(axis=0)
    mask = answers.sum(axis=1) > 0
    verdicts = [pairs[key].verdict for key, index in keys.items() if mask[index]]
    return Tables(drift=compare_mixed(verdicts, answers[mask], rng=rng, margin=margin))


def _reused(
    left: _Run, right: _Run, shared: SharedAnswers, margin: float, *, are_two_judges: bool
) -> Tables:
    """Compare what both were asked, each question once, and answered twice.

    One evaluator must have been asked in the same words; two judges, about the same answers, each
    in the words of its prompt.
    """
    first, second = left.asked_pairs(), right.asked_pairs()
    common = [key for key in first if key in second]
    same_answers = [key for key in common if first[key].pair == second[key].pair]
    same_words = [key for key in same_answers if first[key].text == second[key].text]
    keys_by_question = {
        first[key].pair if are_two_judges else first[key].text: key
        for key in (same_answers if are_two_judges else same_words)
        if first[key].call not in shared.names
    }
    noise = _noise(left.manifest, right.manifest)
    drift = compare_reused(
        [first[key].verdict for key in keys_by_question.values()],
        [second[key].verdict for key in keys_by_question.values()],
        noise=noise,
        margin=margin,
    )
    return Tables(
        drift=drift,
        noise=noise,
        other_answers=len(common) - len(same_answers),
        other_prompts=0 if are_two_judges else len(same_answers) - len(same_words),
    )


def _noise(left: Manifest, right: Manifest) -> Noise:
    """Return what is known of the evaluator's own flips (Reading R44)."""
    rechecks = [manifest.results.summary.determinism for manifest in (left, right)]
    count = sum(recheck.comparisons for recheck in rechecks if recheck)
    flips = sum(recheck.verdict_flips for recheck in rechecks if recheck)
    if not flips and are_facts(left.evaluator, right.evaluator):
        return Noise(assumed=0.0)
    return Noise(assumed=ASSUMED_FLIPS, asked=count, flips=flips)


def _same_draws(left: Manifest, right: Manifest) -> bool:
    """Return whether equal seeds stand for equal draws of both runs, and all seeds are equal."""
    seeds = [sorted(manifest.config.seeds) for manifest in (left, right)]
    seeds += [[record.seed for record in m.results.per_seed] for m in (left, right)]
    return _draws(left) == _draws(right) and all(run_seeds == seeds[0] for run_seeds in seeds)


def _draws(manifest: Manifest) -> tuple[object, ...]:
    """Return what the draws of a seed follow from."""
    config, tasks = manifest.config, manifest.tasks
    sizes = {domain: len(listed) for domain, listed in tasks.items()}
    return config.generator, config.rounds, config.strategies, sizes


def _head(path: Path, manifest: Manifest) -> Json:
    return {
        "path": str(path),
        "protocol_version": manifest.protocol_version,
        "evaluator": manifest.evaluator.model,
        "measurement_date": manifest.evaluator.measurement_date,
        "seeds": len(manifest.config.seeds),
    }
