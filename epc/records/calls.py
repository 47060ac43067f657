"""Reading calls.jsonl: every answer a run got, indexed for the trials that refer to it."""

from dataclasses import dataclass
from pathlib import Path

from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.layout import CallNames
from epc.records.manifest import Head
from epc.records.rows import read_rows
from epc.records.usage import Usage

_CLAUSE = "EPC-2.5(d)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a trial may refer to."""

    role: str
    prompt: str
    answer: str
    finish_reason: str | None
    occasion: str | None


def read_calls(folder: Path, manifest: Head, usage: Usage, findings: Findings) -> dict[str, Call]:
    """Return the run's calls by id, counting them and noting what is wrong with the file.

    An id must be the digest of what was asked, so a call that was edited or moved from another
    run no longer carries its own name. Either every call states its origin, or, in records that
    were written before any did, none (Reading R76).
    """
    asked = {
        role: manifest.document[role]
        for role in ("executor", "evaluator")
        if manifest.document[role] is not None
    }
    names = {role: CallNames(role, model, model["decoding"]) for role, model in asked.items()}
    calls: dict[str, Call] = {}
    silent: list[int] = []
    for index, row in read_rows(folder, "calls", findings, clause=_CLAUSE):
        where = f"/calls/{index}"
        _check_identity(row, asked, names, where, findings)
        if row["id"] in calls:
            findings.add(
                _CLAUSE, f"{where}/id", f"{row['id']} stands twice", "keep each answer once"
            )
        if "origin" not in row:
            silent.append(index)
        usage.count(row)
        calls[row["id"]] = call_of(row)
    # Reading R76:
    if silent and (len(silent) < len(calls) or manifest.provenance.origins is not None):
        found = f"{len(silent)} calls do not state when and how they were answered, as others do"
        findings.add("Reading R76", f"/calls/{silent[0]}/origin", found, "restore the calls")
    return calls


def call_of(row: Json) -> Call:
    """Return what a row of calls.jsonl says to those that refer to it."""
    return Call(
        role=row["role"],
        prompt=row["prompt"],
        answer=row["answer"],
        finish_reason=row["finish_reason"],
        occasion=row["occasion"],
    )


def _check_identity(
    row: Json,
    asked: dict[str, Json],
    names: dict[str, CallNames],
    where: str,
    findings: Findings,
) -> None:
    role = row["role"]
    if role not in asked:
        findings.add(_CLAUSE, f"{where}/role", f"the manifest names no {role}", "remove the call")
        return
    model = asked[role]
    if row["model"] != model["model"]:
        found = f"says {row['model']!r}, the manifest's {role} is {model['model']!r}"
        findings.add("EPC-2.2", f"{where}/model", found, "keep one model a role")
    expected = names[role].name(row["prompt"], row["occasion"])
    if row["id"] != expected:
        found = f"says {row['id']}, what was asked gives {expected}"
        findings.add(_CLAUSE, f"{where}/id", found, "restore the call as it was answered")
