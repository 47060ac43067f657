"""Bringing a manifest in line with its trials (`epc validate --write`)."""

from dataclasses import dataclass
from pathlib import Path

from epc.errors import Finding
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.accuracy import is_calibration, read_accuracy
from epc.records.findings import Findings
from epc.records.json_difference import disagreements
from epc.records.layout import MANIFEST, RAW, describe, weight_lines, write_lines
from epc.records.manifest import Manifest
from epc.records.recompute import load_manifest, manifest_path, of_one_rule, recompute


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What recomputation gave, where it differs from the manifest, and what was written."""

    manifest: Manifest
    changed: list[str]
    findings: list[Finding]
    written: list[str]

    @property
    def results(self) -> Json:
        """The recomputed results."""
        results: Json = self.manifest.document["results"]
        return results


def rewrite(path: Path, *, write: bool, accuracy: Path | None = None) -> Rewritten:
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
    results = recompute(manifest, folder, findings).results()
    stated = manifest.document["results"]
    changed = disagreements(of_one_rule(results, stated), stated)
    document = {**manifest.document, "results": results}
    if accuracy is not None:
        changed = [json_pointer for json_pointer in changed if not is_calibration(json_pointer)]
    written: list[str] = []
    if write and not len(findings):
        write_lines(folder, "weights", weight_lines(results["per_seed"]))
        strict_json.write(file, {**document, "raw": describe(folder)})
        written = [RAW["weights"], MANIFEST]
    return Rewritten(
        manifest=Manifest.parse(document),
        changed=changed,
        findings=findings.kept(),
        written=written,
    )
