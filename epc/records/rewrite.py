"""Bringing a manifest in line with its trials (`epc recompute`)."""

from dataclasses import dataclass
from pathlib import Path

from epc.core.agreement import disagreements
from epc.core.results import Json
from epc.errors import Finding
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.layout import MANIFEST, RAW, describe, weight_lines, write_lines
from epc.records.recompute import load_manifest, manifest_path, recompute


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What recomputation gave, where it differs from the manifest, and what was written."""

    results: Json
    changed: list[str]
    findings: list[Finding]
    written: list[str]


def rewrite(path: Path, *, write: bool) -> Rewritten:
    """Recompute a run's results and, if asked to, write them.

    Nothing is written while a trial does not fit: the raw data are what everything rests on.

    Raises: MalformedError if the manifest or a seed cannot be read; WorldError if the disk fails.
    """
    file = manifest_path(path)
    manifest, folder = load_manifest(path), file.parent
    findings = Findings()
    results = recompute(manifest, folder, findings).results()
    changed = disagreements(results, manifest["results"])
    written: list[str] = []
    if write and not len(findings):
        write_lines(folder, "weights", weight_lines(results["per_seed"]))
        strict_json.write(file, {**manifest, "results": results, "raw": describe(folder)})
        written = [RAW["weights"], MANIFEST]
    return Rewritten(results=results, changed=changed, findings=findings.kept(), written=written)
