"""`epc audit`: a run, a manifest or bare weights in; a word and its reasons out."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from epc.arrays import np
from epc.audit.assessment import assess, reading_of
from epc.audit.competence import summary as probed
from epc.audit.control import coin_flip
from epc.audit.copies import are_declared, copies_found, near_copies
from epc.audit.coupling import Transfer, any_differ, carried_over
from epc.audit.evidence import control_json, crossing
from epc.audit.facts import Facts, Word
from epc.audit.permutation import PermutationTest, by_weights
from epc.audit.quality import Quality
from epc.errors import Finding, MalformedError, UsageError
from epc.protocol.metrics import COLLAPSED
from epc.protocol.results import Json
from epc.protocol.weights import UpdateRule, Weights
from epc.records.gold import quality_of, read_gold
from epc.records.layout import GOLD
from epc.records.manifest import Manifest, SeedRecord, plain, verdict_table
from epc.records.published_weights import PublishedWeights, read_published_weights
from epc.records.recompute import manifest_path
from epc.records.validate import Report, validate
from epc.simulation.training import divergences, gammas
from epc.spec.coupling import LEVEL, MARGIN, RULE, NotMeasured
from epc.spec.domains import Direction, Pair, PhaseName
from epc.spec.epc_v1 import ROUNDS, SIMPLEX_TOLERANCE, ZERO_COUPLING

_CLAIMS: Final = {"coupled", "no_coupling_beyond_margin", "no_detectable_coupling"}


class Audit(Struct, frozen=True, kw_only=True):
    """Report of an audit, as the contract prints it.

    `carried` has the change of each strategy's choices by direction, where the word is `coupled`.
    """

    path: str
    verdict: Word
    facts: Facts
    control: Json
    findings: list[Finding]
    carried: Mapping[Direction, Mapping[str, float]] = {}
    quality: Quality | NotMeasured = NotMeasured()

    @property
    def clean(self) -> bool:
        """Return whether the measurement can bear a claim, either way."""
        sound = all(finding.severity != "error" for finding in self.findings)
        return sound and self.verdict in _CLAIMS

    @property
    def excess(self) -> Json | None:
        """Excess of gamma beyond the noise floor; a failed run has none (Reading R8)."""
        return None if self.verdict == "no_verdicts_counted" else self.control["excess"]

    def interpreted(self, direction: Direction) -> str:
        """Return what the paper makes of a direction's gamma, and whether the noise allows it."""
        if self.excess is None:
            return "a failed run"
        return reading_of(self.facts, direction)

    def as_json(self) -> Json:
        """Return the audit as the contract prints it."""
        facts = self.facts
        transfer, test = facts.transfer, facts.transfer.test if facts.transfer else None
        return {
            "path": self.path,
            "verdict": self.verdict,
            "rule": RULE,
            "margin": MARGIN,
            "p_value": test.p_value if test else None,
            "unit": test.unit if test else None,
            "test": plain(test),
            "transfer": plain(transfer.directions) if transfer else None,
            **({"carried": self.carried} if self.carried else {}),
            "preferences_differ": _differ(facts.preferences),
            "ties": plain(transfer.ties) if transfer else None,
            "left_out": plain(transfer.left_out) if transfer else None,
            "clusters": plain(transfer.clusters) if transfer else None,
            "copies": plain(facts.copies),
            "copies_found": copies_found(facts.compared) if transfer else None,
            "length_correlation": plain(facts.length_correlation),
            "pci": facts.pci,
            "excess": self.excess,
            "noise_floor": self.control["noise_floor"],
            "quality": plain(self.quality),
            "epc_5_2": {direction: self.interpreted(direction) for direction in facts.gamma},
            "control": self.control["method"],
            "position_bias": {
                "self_comparisons": facts.self_comparisons,
                "swap": facts.swap,
            },
            "tie_rate": facts.tie_rate,
            "missing": facts.missing,
            "determinism": facts.determinism,
            "competence": facts.competence,
            "n": facts.n,
            "findings": [finding.as_json() for finding in self.findings],
        }


def audit(path: Path, *, rounds: int = ROUNDS, gold: Path | None = None) -> Audit:
    """Audit a run folder, a manifest, or weights that were published alone.

    `rounds` is how long the phases of bare weights were, which they do not say. `gold` has labels
    of a run's answers; without it those that the run was started with are read.

    Raises: MalformedError if there is nothing that can be read; WorldError if the disk fails.
    """
    if is_run(path):
        return audit_checked(validate(path), gold)
    if gold:
        raise UsageError(f"{path} has no verdicts that labels could stand beside")
    facts, control = facts_of_weights(read_published_weights(path), rounds=rounds)
    return _audit(str(path), facts, control)


def audit_checked(report: Report, gold: Path | None = None) -> Audit:
    """Audit a record that was checked; what the check warned of goes along.

    `gold` has labels; without it those are read that stand in the run's folder.

    Raises: MalformedError if its manifest could not be read.
    """
    if report.manifest is None:
        raise MalformedError(report.findings[0])
    errors = [finding for finding in report.findings if finding.severity == "error"]
    warnings = [finding for finding in report.findings if finding.severity == "warning"]
    probe_facts = {} if errors else probed(report.probes)
    facts = replace(_claimed_facts(report.manifest), unsound=len(errors), **probe_facts)
    control = plain(report.manifest.results.summary.control)
    audited = _naming(_audit(report.path, facts, control, warnings), report.manifest)
    labels = gold or manifest_path(Path(report.path)).parent / GOLD
    if not labels.is_file():
        return audited
    config, table = report.manifest.configuration, verdict_table(report.manifest)
    return replace(audited, quality=quality_of(read_gold(labels, config), table, config))


def audit_manifest(
    manifest: Manifest, *, swap: Json | None = None, competence: Json | None = None
) -> Audit:
    """Audit what a manifest of valid shape states, without checking that it is true to itself.

    `swap` and `competence` are what the audit's own questions showed, which no manifest holds.
    """
    facts = replace(_claimed_facts(manifest), swap=swap, competence=competence)
    return _naming(_audit("", facts, plain(manifest.results.summary.control)), manifest)


def _naming(audit: Audit, manifest: Manifest) -> Audit:
    """Return an audit that names what is carried over, where something is."""
    if audit.verdict != "coupled":
        return audit
    config = manifest.configuration
    over = carried_over(
        verdict_table(manifest),
        manifest.names,
        config.groups,
        rounds=config.rounds,
        rule=config.rule,
    )
    return replace(audit, carried=over)


def _audit(path: str, facts: Facts, control: Json, warnings: Sequence[Finding] = ()) -> Audit:
    verdict, findings = assess(facts)
    return Audit(
        path=path, verdict=verdict, facts=facts, control=control, findings=[*findings, *warnings]
    )


def is_run(path: Path) -> bool:
    """Return whether a path is a run, and no weights that were published without trials."""
    file = manifest_path(path)
    if path.is_dir():
        return file.exists()
    return file.suffix == ".json" and b'"protocol_version"' in file.read_bytes()


def _differ(test: PermutationTest | None) -> Json | None:
    """Return whether verdicts differ between the domains: a fact beside the word (Reading R71)."""
    if test is None:
        return None
    return {"differ": test.p_value <= LEVEL, "p_value": test.p_value, "unit": test.unit}


def _transfer(manifest: Manifest) -> tuple[Transfer, PermutationTest]:
    """Return what crosses and whether preferences differ, computed now where none is stated."""
    summary = manifest.results.summary
    if summary.transfer is not None:
        return summary.transfer, PermutationTest(**asdict(summary.control.test))
    per_seed = manifest.document["results"]["per_seed"]
    return crossing(per_seed, table=verdict_table(manifest), config=manifest.configuration)


def _claimed_facts(manifest: Manifest) -> Facts:
    summary, per_seed = manifest.results.summary, manifest.results.per_seed
    itself = summary.diagnostics.self_comparisons if summary.diagnostics else None
    transfer, preferences = _transfer(manifest)
    return Facts(
        n=summary.n,
        strategies=len(manifest.strategies),
        unsound=0,
        off_simplex=0,
        gamma={d: [record.gamma[d] for record in per_seed] for d in manifest.domains.directions},
        jsd={d: [record.jsd[d] for record in per_seed] for d in manifest.domains.directions},
        dead=sum(
            not any(_decided(seed_record, p) for p in seed_record.verdicts)
            for seed_record in per_seed
        ),
        collapsed=sum("collapse" in record.zero_cause.values() for record in per_seed),
        stuck={
            d: sum(_stopped(record, d) for record in per_seed) for d in manifest.domains.directions
        },
        preferences=preferences,
        transfer=transfer,
        length_correlation=summary.length_correlation,
        pci=plain(summary.pci),
        tasks={domain: len(tasks) for domain, tasks in manifest.tasks.items()},
        copies={
            domain: near_copies(tasks, (manifest.configuration.groups or {}).get(domain))
            for domain, tasks in manifest.tasks.items()
        },
        declared=are_declared(manifest.configuration.groups),
        tie_rate=summary.tie_rate.mean,
        self_comparisons=plain(itself),
        determinism=plain(summary.determinism),
        excess=plain(summary.control.excess),
        missing=_missing(manifest) if manifest.is_whole else None,
    )


def _missing(manifest: Manifest) -> Json:
    """Return how many pairs recorded verdicts do not hold, where, and how many rounds drew one."""
    results = manifest.results
    by_domain = {}
    for domain, rows in results.verdict_table.counts.items():
        lacking = {name: sum(not any(cell) for cell in cells) for name, cells in rows.items()}
        by_domain[domain] = {
            "pairs": sum(lacking.values()),
            "of": sum(map(len, rows.values())),
            "strategies": {name: count for name, count in lacking.items() if count},
        }
    names = manifest.domains.phase_names
    phases = [record.verdicts[phase] for record in results.per_seed for phase in names]
    drawn = sum(counts.get("missing", 0) for counts in phases)
    rounds = sum(sum(counts.values()) for counts in phases)
    return {
        "pairs": sum(part["pairs"] for part in by_domain.values()),
        "of": sum(part["of"] for part in by_domain.values()),
        "share_of_rounds": drawn / rounds if rounds else 0.0,
        "by_domain": by_domain,
    }


def _decided(record: SeedRecord, phase: PhaseName) -> int:
    counts = record.verdicts[phase]
    return counts["A"] + counts["B"]


def _stopped(record: SeedRecord, direction: Direction) -> bool:
    """Return whether a coupled phase counted nothing after its start had."""
    start = Pair.parse(direction).source
    return not _decided(record, direction) and _decided(record, start) > 0


def facts_of_weights(weights: PublishedWeights, *, rounds: int) -> tuple[Facts, Json]:
    """Return what can be said from weights alone, and the noise floor they are held against.

    The evaluator's rates are unknown, so the floor is a coin flip's, against each seed's own pure
    vector; the test is `by_weights`.
    """
    loose, domains = max(weights.tolerance, ZERO_COUPLING), weights.domains
    off = [
        seed
        for seed, phases in weights.seeds.items()
        if any(_off_simplex(vector, weights.tolerance) for vector in phases.values())
    ]
    vectors = [phases for seed, phases in weights.seeds.items() if seed not in off]
    if not vectors:
        problem = "no seed's weights are a distribution, even allowing for their rounding"
        raise MalformedError(Finding("EPC-2.3", "/weights", problem, "correct the record"))
    stacked = {
        phase: np.array([phases[phase] for phases in vectors]).T
        for phase in domains.phase_names
        if all(phase in phases for phases in vectors)
    }
    target = {d: pure for d, pure in domains.target.items() if d in stacked}
    pairs = {d: (stacked[d], stacked[pure]) for d, pure in target.items()}
    gamma: dict[str, list[float]] = {d: gammas(*pair).tolist() for d, pair in pairs.items()}
    controls = {
        d: coin_flip(gamma[d], pure.T.tolist(), rounds=rounds, rule=UpdateRule())
        for d, (_, pure) in pairs.items()
    }
    control = control_json("coin_flip", controls)
    facts = Facts(
        n=len(vectors),
        strategies=len(weights.strategies),
        unsound=0,
        off_simplex=len(off),
        gamma=gamma,
        jsd={d: divergences(*pair).tolist() for d, pair in pairs.items()},
        dead=sum(all(_uniform(v, loose) for v in p.values()) for p in vectors),
        # Reading R8: both runs ended on one and the same strategy.
        collapsed=sum(
            any(
                min(ends) >= COLLAPSED
                for d in target
                for ends in zip(p[d], p[target[d]], strict=True)
            )
            for p in vectors
        ),
        stuck={d: sum(_still(p, d, loose) for p in vectors) for d in target},
        preferences=any_differ(
            [
                by_weights(stacked[left].T, stacked[right].T, rounds=rounds, rule=UpdateRule())
                for left, right in combinations(domains.names, 2)
            ]
        ),
        excess=control["excess"],
        decimals=weights.decimals,
    )
    return facts, control


def _off_simplex(vector: Weights, loose: float) -> bool:
    """Return whether a vector is no distribution, allowing for its rounding."""
    allowed = SIMPLEX_TOLERANCE + loose * len(vector)
    if not any(vector) or any(not 0 <= weight <= 1 + loose for weight in vector):
        return True
    return abs(fsum(vector) - 1) > allowed


def _still(phases: Mapping[str, Weights], direction: Direction, loose: float) -> bool:
    """Return whether a coupled phase ended where it began, away from the uniform start."""
    start = phases[Pair.parse(direction).source]
    unmoved = all(abs(a - b) <= loose for a, b in zip(phases[direction], start, strict=True))
    return unmoved and not _uniform(start, loose)


def _uniform(vector: Weights, loose: float) -> bool:
    """Return whether every weight is 1/K, as far as the rounding tells."""
    return all(abs(weight - 1 / len(vector)) <= loose for weight in vector)
