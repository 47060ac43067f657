"""What came of a batch, line by line: answers to keep, and why there is none for the others."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from epc.engine.asking import TransientError
from epc.engine.budget import BATCH_SHARE
from epc.engine.calls import Caller, Question
from epc.engine.hosted import Hosted
from epc.engine.model import CallError, Completion
from epc.engine.replies import completion
from epc.engine.secrets import redact
from epc.protocol.results import Json

_OK: Final = 200
_SHOWN: Final = 5  # reasons
_FIX: Final = "\n  fix: "
_FULL: Final = ("token_limit_exceeded", "rate_limit_exceeded")  # of a batch: there is room later


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a question has no answer. `remedy` is None where asking again may help."""

    reason: str
    remedy: str | None = None


@dataclass(kw_only=True)
class Results:
    """The lines of a batch, as they are read: its answers go to the caller, failures are kept."""

    model: Hosted
    caller: Caller
    wanted: dict[str, Question]
    _failures: dict[str, Failure] = field(default_factory=dict)

    async def take(self, line: bytes) -> None:
        """Journal an answered line, or note why it is none; what was not asked is left out."""
        try:
            result = json.loads(line)
            name = result["custom_id"]
            question = self.wanted.get(name)
        except (ValueError, KeyError, TypeError, RecursionError):
            return
        if question is None or self.caller.known(name) is not None:
            return
        try:
            answer = _answer(result, self.model)
        except TransientError as failure:
            self._failures[name] = Failure(reason=str(failure))
        except CallError as failure:
            reason, _, remedy = str(failure).partition(_FIX)
            self._failures[name] = Failure(reason=reason, remedy=remedy)
        else:
            call = self.caller.row(name, question, answer)
            await self.caller.take(call, share=BATCH_SHARE)

    def why(self, left: Iterable[str], batch: Json) -> "Why":
        """Return why these questions are left, after what became of their batch as a whole."""
        whole = _of_whole(batch)
        return Why(failures=Counter(self._failures.get(name, whole) for name in left))


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why questions of a batch have no answer, and how many for each reason."""

    failures: Counter[Failure]

    @property
    def remedies(self) -> list[str]:
        """What must be done before asking again can help; nothing where it may at once."""
        return list(dict.fromkeys(f.remedy for f in self.failures if f.remedy is not None))

    def __str__(self) -> str:
        common = self.failures.most_common()
        shown = [f"\n  {count} x {failure.reason}" for failure, count in common[:_SHOWN]]
        more = len(common) - _SHOWN
        return "".join(shown) + (f"\n  and {more} more reasons" if more > 0 else "")


def _answer(result: Json, model: Hosted) -> Completion:
    """Return the answer that a line holds.

    Raises: TransientError if asking again may help, CallError if it cannot.
    """
    response = result.get("response")
    if not isinstance(response, dict) or type(response.get("status_code")) is not int:
        raise TransientError(_said(result.get("error")) or "the line holds no answer")
    status, body = response["status_code"], json.dumps(response.get("body")).encode()
    if status == _OK:
        return completion(body, latency_s=None, retries=0)
    return model.refused(status, body, {}, retries=0)


def _of_whole(batch: Json) -> Failure:
    """Return why a question has no answer of which no line says anything."""
    status = batch["status"]
    if status == "completed":
        return Failure(reason="no line came back")
    try:
        errors = batch["errors"]["data"]
        said = "; ".join(dict.fromkeys(filter(None, map(_said, errors))))
        full = any(error.get("code") in _FULL for error in errors)
    except (LookupError, TypeError, AttributeError):
        said, full = "", False
    reason = f"the batch {status}: {said}" if said else f"the batch {status}"
    final = status == "failed" and not full
    return Failure(reason=reason, remedy="see the message" if final else None)


def _said(error: Any) -> str:
    """Return what an error object says, code and message."""
    if not isinstance(error, dict):
        return ""
    parts = [str(error[key])[:300] for key in ("code", "message") if error.get(key)]
    return redact(": ".join(parts))
