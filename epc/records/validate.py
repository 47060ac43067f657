"""Is a measurement's record true to itself? Schema, then meaning, then recomputation.

All findings at once. A later step runs only where an earlier one left it something to work on.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.audit.competence import AnsweredProbe
from epc.audit.evidence import evidence
from epc.json_text import pointer
from epc.protocol.config import variant_tag
from epc.protocol.draws import GENERATOR
from epc.protocol.results import Json, summarise, tie_rate, vector, weight_figures, zero_causes
from epc.protocol.table import VERDICTS
from epc.protocol.weights import simplex_problem
from epc.records.accuracy import restated, unknown_strategies
from epc.records.earlier import published_counts, published_summary
from epc.records.findings import CheckResult, Findings
from epc.records.layout import PROBES, RAW, digest, weight_rows
from epc.records.manifest import Manifest, RawFile, RawName, verdict_table
from epc.records.probes import read_probes
from epc.records.recompute import manifest_path, read_manifest, recompute
from epc.records.rows import Call, WeightRow, read_typed
from epc.records.schemas import clause_of
from epc.records.strict_json import contradictions, disagreements
from epc.records.typed import parse
from epc.records.usage import suspicions
from epc.spec.domains import Domain
from epc.spec.epc_v1 import MIN_TASKS

_RECOMPUTE: Final = "run `epc validate --write` on the run and keep what it writes"
_JOURNAL: Final = "EPC-2.5(d)"  # the raw record, before it was one
_MAX_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(CheckResult):
    """Findings of a validation.

    `manifest` (None where it could not be read) and `probes`, the run's probes, are what was read
    on the way, for whoever goes on from here.
    """

    manifest: Manifest | None = field(default=None, compare=False, repr=False)
    probes: list[AnsweredProbe] = field(default_factory=list, compare=False, repr=False)


def validate(path: Path, *, figures: bool = True) -> Report:
    """Check a run folder, or a manifest with or without its raw files beside it.

    Without `figures` nothing is computed again, and raw files are not read: for a run that was
    finished a moment ago, whose figures are those that its written files gave. Only probes have
    them read, which name the run's calls.

    Raises: WorldError if the disk fails.
    Source: EPC-2.8; the pointers of raw files begin with /trials, /calls and /weights.
    """
    manifest, problems = read_manifest(path)
    if manifest is None:
        return Report(path=str(path), findings=problems)
    folder, findings = manifest_path(path).parent, Findings()
    probes: list[AnsweredProbe] = []
    distinct = _check_configuration(manifest, findings)
    configured = all(finding.severity != "error" for finding in findings.as_list())
    sound = _check_seeds(manifest, findings) and distinct and figures
    if manifest.raw is None:
        problem = "names no raw trials, so its weights cannot be recomputed"
        remedy = "publish the run folder, not the manifest alone"
        findings.add("EPC-2.5(d)", "/raw", problem, remedy, "warning")
    elif (
        (figures or (folder / PROBES).exists())
        and _check_files(manifest.raw, folder, findings)
        and distinct
    ):
        calls = _check_against_trials(manifest, folder, findings)
        if configured:
            probes = read_probes(manifest, folder, findings, calls)
        sound = False  # the trials have said all that the weights could say
    if _check_table(manifest, findings) and sound:
        _check_against_weights(manifest, findings)
    _check_provenance(manifest, findings)
    return Report(path=str(path), findings=findings.as_list(), manifest=manifest, probes=probes)


class _Panel(Struct, frozen=True, kw_only=True):
    """A panel that an older version asked beside a run, as far as it is still told."""

    departed: bool = False


def _check_provenance(manifest: Manifest, findings: Findings) -> None:
    """Note what a provider or a disk did that makes a measurement doubtful."""
    for where, problem in suspicions(manifest):
        clause, remedy = _clause_and_remedy(where, problem)
        findings.add(clause, where, problem, remedy, "warning")
    if damage := manifest.provenance.journal_damage:
        problem = f"{damage} lines of the journal were not as they were written"
        remedy = "see whether the disk is failing, or who edited the file; measure again"
        findings.add(_JOURNAL, "/provenance/journal_damage", problem, remedy, "warning")
    if manifest.canary is not None and parse(manifest.canary, _Panel).departed:
        problem = "the record says that another evaluator answered within the run"
        remedy = "its figures are of two models: measure again, with a pinned version if there is"
        findings.add("Reading R76", "/canary/departed", problem, remedy, "warning")


def _clause_and_remedy(where: str, problem: str) -> tuple[str, str]:
    """Return which clause a suspicion is about, and what to do."""
    if where == "/provenance/no_answer/executor":
        return (
            "EPC-2.2",
            "the judge read an empty text: give more --max-tokens, or another executor",
        )
    if where.startswith("/provenance/no_answer") or "are none" in problem:
        remedy = "a round without a verdict is a tie: give more --max-tokens, or name another model"
        return "EPC-2.6(c)", remedy
    if "after reasoning" in problem:
        return "EPC-2.6(d)", "measure it with `--reasoning none`, where the model can leave it out"
    return "EPC-5.3(1)", "name the version and measure again"


def _check_configuration(manifest: Manifest, findings: Findings) -> bool:
    """Check what no schema can state; return whether figures can be computed from it.

    They cannot where two strategies have one name, or a task has no group beside others that do.
    """
    config, names = manifest.configuration, manifest.names
    _check_reuse(manifest, findings)
    for name in sorted(name for name, count in Counter(names).items() if count > 1):
        problem, remedy = f"{name!r} appears twice", "give each strategy its own name"
        findings.add("EPC-2.2", "/strategies", problem, remedy)
    if manifest.config.strategies != len(names):
        message = f"says {manifest.config.strategies}, /strategies has {len(names)}"
        findings.add("EPC-2.8(4)", "/config/strategies", message, "count the strategies")
    if config.method != "recorded" and config.baseline not in names:
        message = f"{config.baseline!r} is not among /strategies"
        findings.add("EPC-2.3(a)", "/config/baseline", message, "add the baseline's strategy")
    for domain, tasks in config.few_tasks.items():
        message = f"{tasks} tasks, expected at least {MIN_TASKS}"
        findings.add("EPC-2.4(a)", f"/tasks/{domain}", message, "add tasks", "warning")
    grouped = _check_groups(manifest, findings)
    tag = variant_tag(config)
    if manifest.protocol_version != tag:
        message = f"says {manifest.protocol_version}, the configuration is {tag}"
        findings.add("Reading R13", "/protocol_version", message, f"write {tag}")
    if (manifest.executor is None) != (config.method == "recorded"):
        message = "an executor is missing, or recorded verdicts name one"
        findings.add("EPC-2.8(3)", "/executor", message, "name the model that answered")
    if manifest.config.generator != GENERATOR:
        message = "is not the generator of Reading R2, so its draws are taken as they stand"
        findings.add("Reading R2", "/config/generator", message, f"expected {GENERATOR}", "warning")
    for name in unknown_strategies(manifest):
        where, message = f"/accuracy/values{pointer(name)}", f"{name!r} is not among /strategies"
        findings.add("EPC-2.5(c)", where, message, "give accuracies to the run's strategies only")
    _check_date(manifest.evaluator.measurement_date, findings)
    return len(set(names)) == len(names) and grouped


def _check_groups(manifest: Manifest, findings: Findings) -> bool:
    """Check that each task has its group; return whether it has (Reading R74)."""
    before = len(findings)
    for domain, groups in (manifest.groups or {}).items():
        if len(groups) != (tasks := len(manifest.tasks[domain])):
            problem = f"{len(groups)} groups for {tasks} tasks"
            remedy = f"name the group of each task, in the order of /tasks/{domain}"
            findings.add("Reading R74", f"/groups/{domain}", problem, remedy)
    return len(findings) == before


def _check_date(text: str, findings: Findings) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        where, problem = "/evaluator/measurement_date", f"{text} is no day of the calendar"
        findings.add("EPC-2.8(2)", where, problem, "write the day as YYYY-MM-DD")


def _check_seeds(manifest: Manifest, findings: Findings) -> bool:
    """Check the seeds' own records; return whether figures can be computed from them."""
    per_seed = manifest.results.per_seed
    # In the order in which everything is computed: the last bit of a sum depends on it.
    names = dict.fromkeys(manifest.names)
    before = len(findings)
    seeds = [record.seed for record in per_seed]
    if seeds != sorted(set(seeds)) or set(seeds) != set(manifest.config.seeds):
        message = "the seeds are not those of /config/seeds, each once and in order"
        findings.add("EPC-2.5(d)", "/results/per_seed", message, "report every seed once")
    phases = {phase.name for phase in manifest.configuration.phases}
    for index, record in enumerate(per_seed):
        if odd := sorted({*record.weights, *record.verdicts} ^ phases):
            message = f"{', '.join(odd)}: not the phases of a {manifest.config.control} control"
            findings.add("Reading R15", f"/results/per_seed/{index}", message, _RECOMPUTE)
            continue
        for phase in sorted(phases):
            where = f"/results/per_seed/{index}/weights/{phase}"
            weights = record.weights[phase]
            if weights.keys() != names.keys():
                mismatch = ", ".join(sorted(weights.keys() ^ set(names)))[:_MAX_SHOWN]
                message = f"{mismatch}: not the names of /strategies"
                findings.add("EPC-2.8(7)", where, message, "give one weight a strategy")
            elif problem := simplex_problem([weights[name] for name in names]):
                findings.add("EPC-2.3", where, problem, _RECOMPUTE)
    return len(findings) == before


def _check_table(manifest: Manifest, findings: Findings) -> bool:
    """Check the verdict table; return whether it has a row a strategy and a triple a task."""
    names = set(manifest.names)
    shaped = True
    for domain in manifest.domains.names:
        rows = manifest.results.verdict_table.counts[domain]
        where, tasks = f"/results/verdict_table/counts/{domain}", len(manifest.tasks[domain])
        if rows.keys() != names:
            odd = ", ".join(sorted(rows.keys() ^ names))[:_MAX_SHOWN]
            findings.add("Reading R38", where, f"{odd}: not the names of /strategies", _RECOMPUTE)
            shaped = False
        elif any(len(row) != tasks for row in rows.values()):
            findings.add("Reading R38", where, f"expected {tasks} tasks in each row", _RECOMPUTE)
            shaped = False
        elif problem := _miscounted(manifest, domain):
            findings.add("Reading R38", where, problem, _RECOMPUTE)
    return shaped


def _miscounted(manifest: Manifest, domain: Domain) -> str | None:
    """Say in what way a domain's counts cannot be those of the run, or None."""
    table = manifest.results.verdict_table
    cells = [cell for row in table.counts[domain].values() for cell in row]
    if table.repeated != manifest.reuses:
        return f"repeated is {table.repeated}, and reuse is {manifest.config.reuse}"
    if manifest.reuses:
        return "a pair that was asked once counts more" if max(map(sum, cells)) > 1 else None
    phases = [phase.name for phase in manifest.configuration.phases if phase.domain == domain]
    played = [r.verdicts.get(p, {}) for r in manifest.results.per_seed for p in phases]
    for index, verdict in enumerate(VERDICTS):
        counted = sum(cell[index] for cell in cells)
        total = sum(p.get(verdict.value, 0) for p in played)
        if counted != total:
            return f"counts {counted} times {verdict}, the seeds' rounds {total}"
    return None


def _check_files(raw: Mapping[RawName, RawFile], folder: Path, findings: Findings) -> bool:
    """Check the raw files' names and digests; return whether all are there to be read."""
    complete = True
    for name, entry in raw.items():
        where = f"/raw/{name}"
        path = folder / entry.path
        if entry.path != RAW[name]:
            problem, complete = f"says {entry.path}, expected {RAW[name]}", False
            findings.add("EPC-2.5(d)", f"{where}/path", problem, "use the run folder's names")
        elif path.is_symlink() or not path.is_file():
            problem, complete = f"there is no file {entry.path} beside the manifest", False
            findings.add("EPC-2.5(d)", where, problem, "put the raw files back")
        else:
            for key, value in digest(path).items():
                if value != getattr(entry, key):
                    problem = f"says {getattr(entry, key)}, the file has {value}"
                    remedy = "restore the file as it was measured"
                    findings.add("EPC-2.5(d)", f"{where}/{key}", problem, remedy)
    return complete


def _check_against_trials(
    manifest: Manifest, folder: Path, findings: Findings
) -> Mapping[str, Call]:
    """Recompute everything from the trials, compare, and return the calls that were read."""
    recomputation = recompute(manifest, folder, findings)
    results = manifest.document["results"]
    by_seed = {record["seed"]: index for index, record in enumerate(results["per_seed"])}
    for record in recomputation.per_seed:
        if (index := by_seed.get(record["seed"])) is not None:  # a missing one is noted already
            where = f"/results/per_seed/{index}"
            _compare(record, results["per_seed"][index], where, findings)
    if recomputation.summary is not None:
        summary = published_summary(recomputation.summary, manifest.document)
        _compare(summary, results["summary"], "/results/summary", findings)
        _compare(recomputation.table, results["verdict_table"], "/results/verdict_table", findings)
    provenance = manifest.document["provenance"]
    counted = published_counts(recomputation.usage.as_json(), provenance)
    stated_counts = {*counted, "origins", "no_answer", "reasoning", "members"}
    provenance_counts = {key: provenance[key] for key in provenance if key in stated_counts}
    _compare(counted, provenance_counts, "/provenance", findings)
    replayed = {record["seed"] for record in recomputation.per_seed}
    lost = set(manifest.config.seeds) - replayed
    _check_weight_rows(recomputation.per_seed, lost, folder, findings)
    return recomputation.calls


def _check_reuse(manifest: Manifest, findings: Findings) -> None:
    """An answer may serve a second round only where it was the only one to be had."""
    for role, model in manifest.models.items():
        if model.decoding.temperature != 0 and manifest.reuses:
            where = f"/{role}/decoding/temperature"
            problem = f"answers were reused at temperature {model.decoding.temperature}"
            findings.add("Reading R16", where, problem, "measure again with `--reuse none`")


def _check_against_weights(manifest: Manifest, findings: Findings) -> None:
    """Without trials: figures from the stated weights, the summary from the stated seeds."""
    results = manifest.document["results"]
    # All vectors in one order, that of /strategies: an object's keys have none.
    order = manifest.names
    domains = manifest.domains
    phases = domains.phase_names
    per_seed = [_ordered(record, order) for record in results["per_seed"]]
    vectors = [{phase: vector(record, phase) for phase in phases} for record in per_seed]
    figures = weight_figures(vectors, domains)
    for index, (record, weights, figure) in enumerate(zip(per_seed, vectors, figures, strict=True)):
        recomputation = {
            **figure,
            "zero_cause": zero_causes(weights, figure["zero_coupling"], domains),
            "tie_rate": tie_rate(record, domains),
        }
        claim = {key: record[key] for key in recomputation}
        _compare(recomputation, claim, f"/results/per_seed/{index}", findings)
        for phase in record["verdicts"]:
            played, rounds = sum(record["verdicts"][phase].values()), manifest.config.rounds
            if played != rounds:
                where = f"/results/per_seed/{index}/verdicts/{phase}"
                findings.add("EPC-2.3(d)", where, f"{played} rounds, expected {rounds}", _RECOMPUTE)
    if len(findings) == 0 or all(f.severity == "warning" for f in findings.as_list()):
        summary = results["summary"]
        table = verdict_table(manifest)
        recomputation = summarise(
            per_seed,
            domains=domains,
            evidence=evidence(per_seed, table=table, config=manifest.configuration),
            diagnostics=summary["diagnostics"],
            determinism=summary["determinism"],
            reliability=restated(manifest),
            length=summary.get("length_correlation"),
        )
        published = published_summary(recomputation, manifest.document)
        _compare(published, summary, "/results/summary", findings)


def _ordered(record: Json, order: Sequence[str]) -> Json:
    weights = {
        phase: {name: vector[name] for name in order} for phase, vector in record["weights"].items()
    }
    return {**record, "weights": weights}


def _check_weight_rows(
    per_seed: list[Json], lost: set[int], folder: Path, findings: Findings
) -> None:
    """Compare weights.jsonl, row by row, with what the trials give.

    `lost` are the seeds whose trials could not be replayed.
    """
    clause, remedy = "EPC-2.5(b)", _RECOMPUTE
    expected = {(r["seed"], r["phase"], r["strategy"]): r["weight"] for r in weight_rows(per_seed)}
    for index, row in read_typed(folder, WeightRow, findings, clause=clause):
        where = f"/weights/{index}"
        if row.seed in lost:
            continue  # the trials of this seed are at fault, and noted as such
        weight = expected.pop((row.seed, row.phase, row.strategy), None)
        if weight is None:
            findings.add(clause, where, "no such weight, or it appears twice", remedy)
        elif disagreements(weight, row.weight):
            problem = f"says {row.weight!r}, recomputed {weight!r}"
            findings.add(clause, f"{where}/weight", problem, remedy)
    for seed, phase, strategy in expected:
        problem = f"seed {seed} {phase} {strategy} has no weight"
        findings.add(clause, "/weights", problem, remedy)


def _compare(recomputation: Any, claim: Any, where: str, findings: Findings) -> None:
    for json_pointer, problem in contradictions(recomputation, claim):
        findings.add(_clause(where + json_pointer), where + json_pointer, problem, _RECOMPUTE)


def _clause(where: str) -> str:
    parts = where.split("/")
    if "gamma" in parts:
        return "EPC-2.5"
    return "EPC-2.3" if "weights" in parts else clause_of(where)
