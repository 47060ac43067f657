"""Taking over the answers of runs that the user names: `--reuse-answers-of RUN` (Reading R76)."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from epc.analysis.sharing import origin_of_run, with_origin
from epc.engine.calls import Caller, Question, Role
from epc.engine.model import Occasion
from epc.errors import EpcError, UsageError, refuse
from epc.protocol.results import Json
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
    findings = Findings()
    calls = [row for _, row in read_rows(folder, "calls", findings, clause="EPC-2.5(d)")]
    refuse(findings.kept())
    return manifest, sha256, calls


class SharedAnswers(Struct, kw_only=True):
    """One executor's answers, asked once for all runs of a campaign (Reading R76).

    `caller` asks, and keeps them in a journal of the campaign's; each run then keeps its own
    copy. Once every run of `runs` has stopped for an error, nothing more is asked.
    """

    caller: Caller
    runs: int
    _under_way: dict[str, "asyncio.Task[Json]"] = field(default_factory=dict)
    _left: set[int] = field(default_factory=set)

    async def ask(self, question: Question, occasion: Occasion | None) -> Json:
        """Return the call that answers a question; a run that stops takes it from no other.

        Raises: as `Caller.ask`.
        """
        name = self.caller.name(question, self.caller.place(question, occasion))
        task = self._under_way.get(name)
        if task is None:
            task = asyncio.create_task(self.caller.ask(question, occasion))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._end(name, done))
        return await asyncio.shield(task)

    def leave(self, run: object, error: EpcError) -> None:
        """Note that a run wants no more, because of an error."""
        self._left.add(id(run))
        if len(self._left) == self.runs:
            self.caller.stop(error)

    async def close(self) -> None:
        """Give up what is still under way, and see what was answered onto the disk."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.caller.close()

    def _end(self, name: str, task: "asyncio.Task[Json]") -> None:
        del self._under_way[name]
        if not task.cancelled():
            task.exception()  # whoever waits gets it; nobody waiting is no second error
