"""The loopback endpoint of a campaign, which fails as a scenario says.

It answers by the prompt alone, keeps a log of every request and of what became of it, and can be
shut to connections for a while. It runs in threads of its own, so that a run under test has its
event loop, its cancellation and its signals to itself.
"""

import hashlib
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

from endpoint_support import Endpoint as Loopback
from endpoint_support import Received, Reply, completion, refusal

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

SERVED = "judge-0806"
FINGERPRINT = "fp_44709d6fcb"
VERDICTS = ("A", "B", "B", "A", "**A**", "b.", "A or B?", "I cannot compare these.", "")
_UNANSWERED = {
    "slow": Reply(silent=True),
    "drip": Reply(drip=True),
    "refused": Reply(cut_head=0),
    "reset": Reply(cut_head=0),
    "reset_in_head": Reply(cut_head=9),
    "429": refusal(429, "Rate limit reached."),
    "429_seconds": refusal(429, "Rate limit reached.", Retry_After="0"),
    "429_ms": refusal(429, "Rate limit reached.", retry_after_ms="7"),
    "429_date": refusal(429, "Rate limit reached."),
    "500": refusal(500, "The server had an error."),
    "502": refusal(502, "Bad gateway."),
    "503": refusal(503, "Overloaded.", Retry_After="0.01"),
    "529": refusal(529, "Overloaded."),
    "garbage": Reply(body=b"\x00\xff<html>busy</html>"),
    "no_object": Reply(body=b"[]"),
    "null_content": Reply(body=b'{"choices":[{"message":{"content":null},"finish_reason":null}]}'),
    "empty_body": Reply(),
    "not_utf8": Reply(body=b'{"choices":[{"message":{"content":"\xff"}}]}'),
}
_LASTING = {
    "401": refusal(401, "Incorrect API key provided."),
    "402": refusal(402, "Insufficient Balance"),
    "403": refusal(403, "This project has no access to the model."),
    "404": refusal(404, "The model does not exist."),
    "insufficient_quota": refusal(429, "insufficient_quota: check your plan and billing details."),
    "redirect": refusal(302, "moved", Location="http://127.0.0.1:9/v1/chat/completions"),
}
TRANSIENT = (*_UNANSWERED, "late", "reset_in_body", "short_body", "truncated_json")
PERMANENT = tuple(_LASTING)
REPORTED = ("wrong_model", "changed_fingerprint")  # the answer is good, its sender is in doubt


@dataclass(kw_only=True)
class Log:
    """What was asked and what was sent, by prompt."""

    asked: list[str] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)  # whole answers: prompt, text


def digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Endpoint(Loopback):
    """The endpoint. `fault` says what becomes of the next request; None is a good answer."""

    def __init__(self) -> None:
        self.log = Log()
        self.fault: Callable[[str], str | None] = lambda _: None
        self.answered: Callable[[int], None] = lambda _: None  # called with the number sent so far
        self.filtered = 0  # one prompt in so many is withheld; 0 is none
        self.delays: random.Random | None = None
        self._reopening: threading.Thread | None = None
        super().__init__()

    def heal(self) -> None:
        """Serve well from now on, and forget what was seen."""
        self.fault, self.answered = lambda _: None, lambda _: None
        if self._reopening is not None:
            self._reopening.join()
        self.drop()
        self.log = Log()

    def text(self, prompt: str) -> str:
        """Return the one answer that a prompt has."""
        number = digest(prompt)
        if self.withheld(prompt):
            return ""
        if prompt.startswith("Evaluate."):
            return VERDICTS[number % len(VERDICTS)]
        return f"Answer {number:x}. \u00e9\u4e2d\U0001f600"

    def withheld(self, prompt: str) -> bool:
        return bool(self.filtered) and digest(f"filter|{prompt}") % self.filtered == 0

    def reply_to(self, received: Received) -> Reply:
        """Take note of a request and decide what becomes of it."""
        prompt = received.prompt
        with self.lock:
            log = self.log
            log.asked.append(prompt)
            fault = self.fault(prompt)
            delay = self.delays.random() * 0.004 if self.delays is not None else 0.0
            if fault == "refused" and not (self._reopening and self._reopening.is_alive()):
                self._reopening = threading.Thread(target=self.refuse, args=(0.03,))
                self._reopening.start()
        time.sleep(delay)
        if fault == "429_date":
            soon = format_datetime(datetime.now(UTC) - timedelta(seconds=1), usegmt=True)
            return replace(_UNANSWERED[fault], headers={"Retry-After": soon})
        if fault in _UNANSWERED or fault in _LASTING:
            return (_UNANSWERED | _LASTING)[fault]
        if fault == "late":  # within the deadline: slow, but an answer
            time.sleep(0.02)
        return self._answer(prompt, fault, log)

    def _answer(self, prompt: str, fault: str | None, log: Log) -> Reply:
        text, withheld = self.text(prompt), self.withheld(prompt)
        if withheld and digest(prompt) % 2 and fault is None:
            reply = refusal(400, "The response was filtered: content_filter")
        else:
            reply = self._completion(text, fault, withheld=withheld)
        half = len(reply.body) // 2
        if fault == "truncated_json":
            return replace(reply, body=reply.body[:half])
        if fault in ("reset_in_body", "short_body"):
            return replace(reply, cut=half, resets=fault == "reset_in_body")
        with self.lock:
            log.sent.append((prompt, text))
            self.answered(len(log.sent))
        return reply

    def _completion(self, text: str, fault: str | None, *, withheld: bool) -> Reply:
        message = {"role": "assistant", "content": None if withheld else text}
        finish = "content_filter" if withheld else "stop"
        return completion(
            text,
            model="judge-0901" if fault == "wrong_model" else SERVED,
            system_fingerprint="fp_new" if fault == "changed_fingerprint" else FINGERPRINT,
            choices=[{"message": message, "finish_reason": finish}],
        )
