"""The log of an evaluation: who judged, how, when, and how much came of it (JUDGE-8)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.canary import Canary
from epc.records.judging.documents import DescribedFile, Plan, RunLog, Totals
from epc.records.judging.layout import RUN_LOG, SAMPLES, load, records_path, role_of
from epc.records.layout import CALLS, digest
from epc.records.typed import as_json, parse
from epc.records.usage import Spent
from epc.spec.judge_v1 import METHODS, PROTOCOL, Method
from epc.version import __version__

NO_TOOLS: Final = "none: the judge sees its prompt only"
UNKNOWN_TOOLS: Final = "unknown: the replies were imported"


def begin(folder: Path, *, origin: str, now: str, canary: bool = False) -> None:
    """Note when an evaluation began, and whether judges are asked a canary beside it.

    It does nothing if that was noted in an earlier sitting.
    """
    if (folder / RUN_LOG).is_file():
        return
    log = {**_head(origin), "state": "running", "time": {"from": now, "to": None}}
    strict_json.write(folder / RUN_LOG, {**log, "canary": {}} if canary else log)


def is_watched(folder: Path) -> bool | None:
    """Return whether judges are asked a canary; None if the evaluation has not begun."""
    if not (folder / RUN_LOG).is_file():
        return None
    return load(folder, RUN_LOG, "judge_run_log", RunLog).canary is not None


def complete(
    folder: Path,
    plan: Plan,
    *,
    totals: Mapping[Method, Totals],
    spent: Mapping[str, Spent],
    malformed: Iterable[int],
    canary: Mapping[str, Canary] | None = None,
    now: str | None,
) -> RunLog:
    """Write the log of a complete evaluation and return it.

    `spent` is by the judges' roles; `malformed` are two counts: replies that were asked again,
    and those mended by it; `canary` is by judge.
    """
    began = parse(strict_json.read(folder / RUN_LOG)[0], RunLog)
    asked_again, mended = malformed
    log = {
        **_head(began.origin),
        "state": "complete",
        "time": {"from": began.time["from"], "to": now},
        "judges": [
            {**as_json(judge), **spent.get(role_of(judge.model), Spent()).as_json()}
            for judge in plan.judges
        ],
        "tools": NO_TOOLS if began.origin == "run" else UNKNOWN_TOOLS,
        "samples": plan.samples.rows,
        "malformed": {
            "retries_allowed": plan.retry_malformed,
            "asked_again": asked_again,
            "mended": mended,
        },
        "totals": as_json(totals),
        "files": as_json(described(folder)),
        **({"canary": as_json(canary)} if canary else {}),
    }
    strict_json.write(folder / RUN_LOG, log)
    return parse(log, RunLog)


def described(folder: Path) -> dict[str, DescribedFile]:
    """Return SHA-256, bytes and rows of every file whose content the log vouches for."""
    paths = [
        records_path(folder, valid=valid, method=method)
        for valid in (True, False)
        for method in METHODS
    ]
    paths += [folder / SAMPLES, folder / CALLS]
    return {
        path.relative_to(folder).as_posix(): parse(digest(path), DescribedFile)
        for path in paths
        if path.is_file()
    }


def _head(origin: str) -> Json:
    return {"protocol": PROTOCOL, "epc_version": __version__, "origin": origin}
