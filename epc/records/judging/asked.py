"""The calls of an evaluation, as far as its records refer to them."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from epc.protocol.results import Json
from epc.records.judging.layout import CALLS, LONGEST_LINE, role_of
from epc.records.layout import CallNames
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import read_lines


@dataclass(frozen=True, slots=True)
class _Call:
    role: str
    answer: bytes  # its SHA-256: answers are long, and only compared


class Asked:
    """What calls.jsonl holds, of calls that carry their own name.

    A call's name is the digest of what was asked of whom, so a call that was edited is no call
    of the evaluation any more, and a record that refers to it is found.
    """

    def __init__(self, folder: Path, plan: Json) -> None:
        names = {
            role_of(judge["model"]): CallNames(
                role_of(judge["model"]), judge["identity"], judge["decoding"]
            )
            for judge in plan["judges"]
            if judge["identity"] is not None
        }
        self._calls: dict[str, _Call] = {}
        path = folder / CALLS
        if not path.is_file():
            return
        for _, call, problems in read_lines(path, "calls", longest=LONGEST_LINE):
            if problems or schema_findings("call", call) or call["role"] not in names:
                continue
            if names[call["role"]].name(call["prompt"], call["occasion"]) == call["id"]:
                self._calls[call["id"]] = _Call(call["role"], _digest(call["answer"]))

    def answered(self, record: Json) -> bool:
        """Return whether a record's calls are its judge's, and the last one gave its reply."""
        calls = [self._calls.get(name) for name in record["calls"]]
        role = role_of(record["sample"]["judge_model"])
        if any(call is None or call.role != role for call in calls):
            return False
        last = calls[-1]
        return last is not None and last.answer == _digest(record["raw"] or "")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
