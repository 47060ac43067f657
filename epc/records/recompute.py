"""A run's results again, from its trials alone (EPC-2.5), and written into its manifest."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.audit.evidence import evidence, table_json
from epc.audit.side_checks import length_correlation
from epc.errors import Finding, MalformedError, UsageError
from epc.protocol.config import Configuration
from epc.protocol.diagnostics import Repeat, determinism, diagnose
from epc.protocol.results import Json, seed_records, summarise
from epc.protocol.table import VerdictTable, tabulate
from epc.records import strict_json
from epc.records.accuracy import calibrated, is_calibration, read_accuracy
from epc.records.calls import answers_of, read_calls
from epc.records.campaign import is_campaign
from epc.records.derive import derive
from epc.records.earlier import current, published_summary
from epc.records.findings import Findings
from epc.records.layout import (
    MANIFEST,
    RAW,
    RECHECK,
    describe,
    require_unpublished,
    weight_lines,
    write_lines,
)
from epc.records.manifest import SCHEMA_VERSION, Head, Manifest
from epc.records.rows import Call, Trial, read_typed
from epc.records.schemas import MANIFEST as MANIFEST_SCHEMA
from epc.records.schemas import domain_findings
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import disagreements
from epc.records.trials import CLAUSE, TrialReplay
from epc.records.usage import Usage
from epc.spec.domains import Domain
from epc.statistics.intervals import mean

_MOST_PAIRS: Final = 2**16
_PAIRS_A_CALL: Final = 16  # a large file of recorded verdicts is read whole, gaps and all


class Recomputation(Struct, frozen=True, kw_only=True):
    """The results that the trials give, as far as they could be replayed.

    Summary and verdict table are None where a seed is missing or could not be replayed, because a
    mean over the remaining seeds would be another measurement's. `usage` is counted from the
    `calls`.
    """

    per_seed: list[Json]
    summary: Json | None
    table: Json | None
    calls: Mapping[str, Call]
    usage: Usage

    def results(self) -> Json:
        """Return the manifest's `results`.

        Raises: MalformedError if a seed is missing.
        """
        if self.summary is None:
            raise MalformedError(
                Finding(
                    clause="EPC-2.5(d)",
                    where="/trials",
                    problem="not every seed could be replayed",
                    remedy="see `epc validate` for each trial that stands in the way",
                )
            )
        return {
            "per_seed": self.per_seed,
            "summary": self.summary,
            "verdict_table": self.table,
        }


def manifest_path(path: Path) -> Path:
    """Return the manifest that a run folder, or a path to a manifest, stands for.

    Raises: UsageError for a published snapshot's: its raw files are elsewhere, and nothing may be
    written beside it; and for a campaign's folder, which holds several runs.
    """
    if is_campaign(path):
        raise UsageError(
            f"{path} holds the runs of a campaign: name one of them\n"
            f"  fix: `epc show {path}` lists them"
        )
    file = path / MANIFEST if path.is_dir() else path
    require_unpublished(file.parent, "a run folder")
    return file


def load_manifest(path: Path) -> Manifest:
    """Return a run's manifest.

    Raises: MalformedError at its first problem, with the file's name, because a command may read
    several; `epc validate` lists them all. WorldError if it cannot be read.
    """
    manifest, problems = read_manifest(path)
    if manifest is None:
        where = f"{manifest_path(path)} {problems[0].where}".rstrip()
        raise MalformedError(replace(problems[0], where=where))
    return manifest


def read_manifest(path: Path) -> tuple[Manifest | None, list[Finding]]:
    """Return a manifest, or what is wrong with its text or its shape."""
    file = manifest_path(path)
    if not file.exists():
        missing = Finding(
            clause="EPC-2.8",
            where="",
            problem=f"there is no {MANIFEST} here",
            remedy="name a finished run, or finish this one with `epc resume`",
        )
        return None, [missing]
    value, problems = strict_json.read(file)
    if problems := problems or schema_findings(MANIFEST_SCHEMA, value) or domain_findings(value):
        return None, problems
    return Manifest.parse(value), []


def recompute(manifest: Head, folder: Path, findings: Findings) -> Recomputation:
    """Replay a run's trials and compute every figure again, noting what does not fit.

    Raises: WorldError if a raw file cannot be read.
    """
    usage = Usage()
    calls = read_calls(folder, manifest, usage, findings)
    return recompute_with(calls, usage, manifest, folder, findings)


def recompute_with(
    calls: dict[str, Call], usage: Usage, manifest: Head, folder: Path, findings: Findings
) -> Recomputation:
    """Do what `recompute` does with calls that are at hand, and what they were counted to."""
    config = manifest.configuration
    replay = _replayed(manifest, config, calls, folder, findings)
    names = [strategy.name for strategy in config.strategies]
    outcomes = {seed: replay.outcomes[seed] for seed in replay.seeds if seed in replay.outcomes}
    per_seed = seed_records(outcomes, names, config.domains)
    complete = len(per_seed) == len(manifest.config.seeds)
    summary = table = None
    if complete:
        per_seed, reliability = calibrated(per_seed, manifest, folder)
        counted = tabulate(
            replay.cells,
            strategies=len(names),
            tasks={domain: len(tasks) for domain, tasks in config.tasks.items()},
            repeated=manifest.reuses,
            is_whole=manifest.is_whole,
        )
        table = table_json(counted, names)
        summary = summarise(
            per_seed,
            domains=config.domains,
            evidence=evidence(per_seed, table=counted, config=config),
            diagnostics=diagnose(list(replay.judged.values()), baseline=config.baseline),
            determinism=determinism(_repeats(calls)),
            reliability=reliability,
            length=_length_correlation(manifest, calls, counted),
        )
    return Recomputation(per_seed=per_seed, summary=summary, table=table, calls=calls, usage=usage)


def _replayed(
    manifest: Head, config: Configuration, calls: dict[str, Call], folder: Path, findings: Findings
) -> TrialReplay:
    """Return the replay of a run's trials, row by row.

    Under reuse the comparisons are those of the calls, so that an exhaustive run's table is whole
    however few seeds it had (Reading R38).
    """
    seeds = sorted(manifest.config.seeds)
    template = manifest.executor.prompt_template if manifest.executor else None
    replay = TrialReplay(
        config=config,
        seeds=seeds,
        generator=manifest.config.generator,
        reuse=manifest.reuses,
        is_whole=manifest.is_whole,
        executor_template=template,
        calls=calls,
        findings=findings,
    )
    replay.run(read_typed(folder, Trial, findings, clause=CLAUSE))
    if manifest.reuses and _can_derive(config, len(calls)):
        replay.cells = derive(config, seeds, template, calls, is_whole=manifest.is_whole).cells()
    return replay


def _length_correlation(
    manifest: Head, calls: dict[str, Call], table: VerdictTable
) -> Mapping[Domain, float | None]:
    """Return how win rate goes with answer length."""
    config = manifest.configuration
    lengths: dict[tuple[Domain, int], list[int]] = defaultdict(list)
    if manifest.executor is not None:
        for answer in answers_of(config, calls, manifest.executor.prompt_template):
            lengths[answer.domain, answer.strategy].append(len(answer.text))
    by_domain = {
        domain: [
            mean(own_lengths) if (own_lengths := lengths.get((domain, index))) else None
            for index in range(len(config.strategies))
        ]
        for domain in config.tasks
    }
    return length_correlation(table, by_domain)


def _can_derive(config: Configuration, calls: int) -> bool:
    """Return whether strategies can be told apart by name, and pairs tabulated at little cost."""
    names = {strategy.name for strategy in config.strategies}
    pairs = len(names) * sum(len(tasks) for tasks in config.tasks.values())
    return len(names) == len(config.strategies) and pairs <= max(_MOST_PAIRS, _PAIRS_A_CALL * calls)


def _repeats(calls: Mapping[str, Call]) -> list[Repeat]:
    """Return the prompts that were asked a second time, with both answers (Reading R16)."""
    repeats = [
        call
        for call in calls.values()
        if (call.occasion or "").startswith(RECHECK) and call.role == "evaluator"
    ]
    wanted = {(call.role, call.prompt) for call in repeats}
    first = {
        (call.role, call.prompt): call.answer
        for call in calls.values()
        if call.occasion is None and (call.role, call.prompt) in wanted
    }
    return [
        Repeat(first=first[call.role, call.prompt], second=call.answer)
        for call in repeats
        if (call.role, call.prompt) in first
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """Changes that recomputation makes to a manifest, and what was written."""

    manifest: Manifest
    changed: list[str]
    findings: list[Finding]
    written: list[str]

    @property
    def results(self) -> Json:
        """The recomputed results."""
        results: Json = self.manifest.document["results"]
        return results


def rewrite(path: Path, *, write: bool, accuracy: Path | None = None) -> Rewrite:
    """Recompute a run's results and, if asked to, write them.

    With the accuracies of a CSV file, the results have the evaluator's calibration; what that adds
    or replaces is no difference. Nothing is written while a trial does not fit: the raw data are
    what everything rests on.

    Raises: UsageError if the accuracies cannot be used; MalformedError if the manifest or a seed
    cannot be read; WorldError if the disk fails.
    """
    file = manifest_path(path)
    manifest, folder = load_manifest(path), file.parent
    if accuracy is not None:
        accuracies = read_accuracy(accuracy, manifest.names)
        manifest = Manifest.parse({**manifest.document, "accuracy": accuracies})
    findings = Findings()
    recomputed = recompute(manifest, folder, findings)
    results = recomputed.results()
    assert recomputed.summary is not None
    published = published_summary(recomputed.summary, manifest.document)
    changed = disagreements({**results, "summary": published}, manifest.document["results"])
    document = {**current(manifest.document), "schema_version": SCHEMA_VERSION, "results": results}
    if accuracy is not None:
        changed = [json_pointer for json_pointer in changed if not is_calibration(json_pointer)]
    written: list[str] = []
    if write and not len(findings):
        write_lines(folder, "weights", weight_lines(results["per_seed"]))
        strict_json.write(file, {**document, "raw": describe(folder)})
        written = [RAW["weights"], MANIFEST]
    return Rewrite(
        manifest=Manifest.parse(document),
        changed=changed,
        findings=findings.as_list(),
        written=written,
    )
