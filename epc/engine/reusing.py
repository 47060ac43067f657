"""Taking over the answers of runs that the user names: `--reuse-answers-of RUN` (Reading R76)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from epc.analysis.sharing import origin_of_run, with_origin
from epc.engine.roles import Role
from epc.errors import UsageError, refuse
from epc.protocol.results import Json
from epc.records.calls import call_of, check_reply
from epc.records.findings import Findings
from epc.records.layout import CALLS, digest
from epc.records.manifest import Manifest
from epc.records.recompute import load_manifest, manifest_path
from epc.records.rows import read_rows


class ReusableAnswers(Struct, frozen=True, kw_only=True):
    """What can be taken over from the named runs.

    `since` is the day of the earliest measurement that gives an answer of the evaluator's: what
    rests on these is no measurement of today.
    """

    sums: list[str]
    calls: list[Json]
    since: str | None


def reusable_answers(runs: Sequence[Path], roles: Iterable[Role]) -> ReusableAnswers:
    """Return the calls of finished runs that answer what these roles may be asked.

    Raises: UsageError if a run has none, or is not as it was measured; MalformedError if it is
    damaged.
    """
    names = [role.names for role in roles]
    calls: dict[str, Json] = {}
    sums: list[str] = []
    days: list[str] = []
    for run in runs:
        manifest, sha256, own = _reusable(run)
        sums.append(sha256)
        answers = {
            call["id"]: {**with_origin(call), "origin": origin_of_run(sums[-1])}
            for call in own
            if "votes" not in call  # composed again of what is taken over
            and call["occasion"] is None
            and any(each.name(call["prompt"], None) == call["id"] for each in names)
        }
        if not answers:
            raise UsageError(
                f"{run} holds no answer for this run: other models, other decoding, or asked "
                "afresh every round\n  fix: leave --reuse-answers-of out, or name another run"
            )
        if any(call["role"] != "executor" for call in answers.values()):
            days.append(manifest.evaluator.measurement_date)
        calls = answers | calls  # the run that was named first goes first
    return ReusableAnswers(sums=sums, calls=list(calls.values()), since=min(days, default=None))


def _reusable(run: Path) -> tuple[Manifest, str, list[Json]]:
    """Return a run's manifest, and its calls with their digest, which must be the manifest's."""
    manifest, folder = load_manifest(run), manifest_path(run).parent
    path = folder / CALLS
    if manifest.raw is None or not path.exists():
        raise UsageError(f"{run} holds no answers: name the run folder, not a manifest")
    sha256 = manifest.raw["calls"].sha256
    if digest(path)["sha256"] != sha256:
        raise UsageError(f"{run} is not as it was measured: see `epc validate {run}`")
    calls, findings = [], Findings()
    for index, row in read_rows(folder, "calls", findings, clause="EPC-2.5(d)"):
        check_reply(call_of(row), f"/calls/{index}", findings)
        calls.append(row)
    refuse(findings.kept())
    return manifest, sha256, calls
