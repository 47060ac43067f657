"""Reading calls.jsonl: every answer a run got, indexed for the trials that refer to it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.layout import CallNames
from epc.records.manifest import Head, RoleName
from epc.records.row_types import Call
from epc.records.rows import read_rows
from epc.records.typed import parse
from epc.records.usage import Usage

_CLAUSE = "EPC-2.5(d)"
_VERBATIM = frozenset({"reply", "headers"})


def read_calls(folder: Path, manifest: Head, usage: Usage, findings: Findings) -> dict[str, Call]:
    """Return the run's calls by id, counting them and noting what is wrong with the file.

    Raises: WorldError if the file cannot be read.
    """

    def counted() -> Iterator[tuple[int, Call]]:
        for index, row in read_rows(folder, "calls", findings, clause=_CLAUSE):
            call = without_reply(row)
            usage.add(call)
            yield index, call

    return index_calls(counted(), manifest, findings)


def index_calls(
    rows: Iterable[tuple[int, Call]], manifest: Head, findings: Findings
) -> dict[str, Call]:
    """Return calls by id, given with their places in the file, noting what is wrong with them.

    An id must be the digest of what was asked, so a call that was edited or moved from another
    run no longer carries its own name. Either every call states its origin, or, in records that
    were written before any did, none (Reading R76).
    """
    names = call_names(manifest)
    calls: dict[str, Call] = {}
    silent: list[int] = []
    for index, call in rows:
        where = f"/calls/{index}"
        _check_identity(call, manifest, names, where, findings)
        if call.id in calls:
            findings.add(_CLAUSE, f"{where}/id", f"{call.id} stands twice", "keep each answer once")
        if call.origin is None:
            silent.append(index)
        calls[call.id] = call if call.reasoning is None else replace(call, reasoning=None)
    # Reading R76:
    if silent and (len(silent) < len(calls) or manifest.provenance.origins is not None):
        found = f"{len(silent)} calls do not state when and how they were answered, as others do"
        findings.add("Reading R76", f"/calls/{silent[0]}/origin", found, "restore the calls")
    return calls


def call_names(manifest: Head) -> dict[RoleName, CallNames]:
    """Return how the answers of each role of a run are named."""
    documents = {role: manifest.document[role] for role in manifest.asked}
    return {role: CallNames(role, model, model["decoding"]) for role, model in documents.items()}


def call_of(row: Json) -> Call:
    """Return the call that a row of valid shape holds."""
    return parse(row, Call)


def without_reply(row: Json) -> Call:
    """Return the call that a row of valid shape holds, as far as any figure rests on it."""
    return parse({key: value for key, value in row.items() if key not in _VERBATIM}, Call)


def _check_identity(
    call: Call,
    manifest: Head,
    names: Mapping[RoleName, CallNames],
    where: str,
    findings: Findings,
) -> None:
    role = next((role for role in names if role == call.role), None)
    if role is None:
        problem = f"the manifest names no {call.role}"
        findings.add(_CLAUSE, f"{where}/role", problem, "remove the call")
        return
    model = manifest.asked[role].model
    if call.model != model:
        found = f"says {call.model!r}, the manifest's {role} is {model!r}"
        findings.add("EPC-2.2", f"{where}/model", found, "keep one model a role")
    expected = names[role].name(call.prompt, call.occasion)
    if call.id != expected:
        found = f"says {call.id}, what was asked gives {expected}"
        findings.add(_CLAUSE, f"{where}/id", found, "restore the call as it was answered")
