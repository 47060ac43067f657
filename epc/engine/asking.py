"""Asking an endpoint until it answers, or until asking again cannot help (Reading R4).

A failure that may pass is tried again, after a pause that grows and is spread at random; one that
cannot pass stops the run at once and says what to do. A failure is never a verdict.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from msgspec import Struct, field

from epc.engine.limits import Gate, Ticket, retry_after, usual_tokens
from epc.engine.model import CallError, Completion, Prompt, Setting
from epc.engine.secrets import redact
from epc.protocol.config import Decoding

ATTEMPTS: Final = 8
DEADLINE_S: Final = 120.0  # for one reply
FIRST_DEADLINE_S: Final = 60.0  # for an endpoint that has answered nothing yet; it is asked once
OWN_DEADLINE_S: Final = 600.0  # for a server of the user's, which may load, or compute for others
PATIENCE_S: Final = 600.0  # for one answer, pauses included
_SLICES: Final = 10  # of which what this program itself loads meanwhile uses up one at most
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
_BAD_REQUEST: Final = 400
_WITHHOLDING: Final = frozenset({_BAD_REQUEST, 403})  # by which prompts are refused
_MOVES, _SERVER = 300, 500  # from where statuses tell of redirects, and of the server's failures
_TOO_MANY: Final = 429
_UNUSABLE: Final = frozenset({_BAD_REQUEST, 422})
_REASONING: Final = ("reasoning", "thinking", "chat_template_kwargs")
_TRANSIENT: Final = frozenset({408, 409, 425, _TOO_MANY})
_ARREARS: Final = ("quota", "billing", "arrear", "balance", "credit", "payment", "spending")
# Such replies may advise on billing as well; the last two are Gemini's, for a limit of a minute.
_TOO_FAST: Final = ("rate limit", "rate_limit", "resource has been exhausted", "perminute")
# Where Gemini says when to ask again.
_RETRY_DELAY: Final = re.compile(r'"retryDelay":\s*"(\d+(?:\.\d+)?)s"')
# What no waiting mends, whatever the status and whatever else the reply says.
_EMPTY_ACCOUNT: Final = (
    "insufficient_quota",
    "credit balance is too low",  # Anthropic, as 400
    "arrearage",  # Qwen, as 400
    "enforced_spend_limit_reached",  # Anthropic, as a rate limit
)
_WRONG_KEY: Final = ("incorrect api key", "api key not valid")  # xAI and Gemini, as 400
_FILTERED: Final = (
    "content_filter",
    "content_policy_violation",
    "contentpolicyviolation",  # LiteLLM, of whatever is behind it
    "content filtering",  # Anthropic
    "data_inspection_failed",  # Qwen
    "datainspectionfailed",
    "responsibleaipolicyviolation",  # Azure
    "flagged as potentially violating",  # OpenAI's reasoning models: code invalid_prompt
    "content exists risk",  # DeepSeek
    "content violates usage guidelines",  # xAI, as 403
    "your input was flagged",  # OpenRouter, as 403
    '"1301"',  # Zhipu GLM's code, as its words are Chinese
)
_MOVED: Final = "the address sends elsewhere, and no key is sent on: set {base} to where it leads"
_REMEDIES: Final = {
    301: _MOVED,
    302: _MOVED,
    303: _MOVED,
    307: _MOVED,
    308: _MOVED,
    400: "check the model's name and what it accepts",
    401: "check the key in {key}",
    402: "settle the account, or use another key in {key}",
    403: "the key in {key} may not use this model: use another key or model",
    404: "there is no such model or path at this endpoint: check its name and {base}",
}
_NO_TEMPERATURE: Final = (
    "this model decodes as it likes: `--temperature none` (or `--executor-temperature none`) "
    "sends none, and the record says so"
)
_NO_SUCH_REASONING: Final = (
    "this model takes another `--reasoning` (or `--executor-reasoning`), or none at all: see the "
    "message, or leave the option out"
)


class TransientError(Exception):
    """A failure after which the same request may succeed.

    `wait_s` is what the reply asked for. `billed`: the provider may have answered, and may bill
    it, though no answer reached us. `unreached`: there was no connection to send it over.
    """

    def __init__(
        self,
        message: str,
        *,
        wait_s: float | None = None,
        billed: bool = False,
        unreached: bool = False,
    ) -> None:
        super().__init__(message)
        self.wait_s, self.billed, self.unreached = wait_s, billed, unreached


class _Wait(Struct, eq=False, kw_only=True):
    """Wait of one call for its reply: for how long its endpoint has been silent meanwhile."""

    task: "asyncio.Task[Any]"
    heard_at: float
    silent_s: float
    given_up: bool = False


class Watch:
    """Ends the waits for replies whose endpoint has been silent for too long.

    It looks ten times, and each look counts for its part of the time, however late it comes: what
    this program itself loads meanwhile is no silence. A server of the user's that answers other
    calls is not silent. All waits have the same looks, so a wait's first one counts for nothing.
    """

    def __init__(self) -> None:
        self._waits: set[_Wait] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self, line: "Line") -> _Wait:
        """Watch the wait that the current task begins."""
        if not self._waits:
            self._loop = asyncio.get_running_loop()  # which asks the system each time
        task = asyncio.current_task(self._loop)
        assert task is not None
        heard_at, step_s = line.gate.heard_at, line.allowed_s / _SLICES
        wait = _Wait(task=task, heard_at=heard_at, silent_s=-step_s)
        self._waits.add(wait)
        if self._timer is None:
            self._look_later(line, step_s)
        return wait

    def end(self, wait: _Wait) -> None:
        """Watch it no more."""
        self._waits.discard(wait)
        if not self._waits and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_later(self, line: "Line", step_s: float) -> None:
        assert self._loop is not None
        self._timer = self._loop.call_later(step_s, self._look, line, step_s)

    def _look(self, line: "Line", step_s: float) -> None:
        for wait in self._waits:
            wait.silent_s += step_s
            if line.is_own_server and line.gate.heard_at > wait.heard_at:
                wait.silent_s, wait.heard_at = 0.0, line.gate.heard_at
            if not wait.given_up and wait.silent_s > line.allowed_s - step_s / 2:
                wait.given_up = True
                wait.task.cancel()
        self._look_later(line, line.allowed_s / _SLICES)


class Line(Struct, frozen=True, kw_only=True):
    """The way to one model at one endpoint, and what to call it all in messages.

    `key` and `base` name the environment variables of key and address. `is_own_server`: it is a
    server of the user's, which puts calls into a queue and answers them as it can. `deadline_s` is
    the user's.
    """

    name: str
    endpoint: str
    key: str
    base: str
    gate: Gate
    is_own_server: bool = False
    deadline_s: float | None = None
    watch: Watch = field(default_factory=Watch)

    async def answer(
        self,
        prompt: Prompt,
        decoding: Decoding,
        once: Callable[[str, Decoding, Ticket, int], Coroutine[Any, Any, Completion]],
    ) -> Completion:
        """Ask once, and again after a failure that may pass; `once` is told the retries so far.

        Raises: CallError once asking again cannot help, or has not within the budget of tries;
        whatever `prompt.lost` raises if a lost attempt leaves no room for another.
        """
        began = time.monotonic()
        tokens = usual_tokens(prompt.text, decoding.max_tokens)
        for attempt in range(ATTEMPTS):
            ticket = await self.gate.passage(self.name, tokens)
            try:
                request = once(prompt.text, decoding, ticket, attempt)
                answer = await self._in_time(request, prompt.cut)
            except TransientError as failure:
                # While it is waited, no frame may hold on to a body that was no answer.
                last = failure.with_traceback(None)
                last.__context__ = None
            else:
                self.gate.heard_at = time.monotonic()
                return answer
            if last.unreached and not self.gate.answered:
                raise CallError(
                    f"{self.name}: {last}: {self.endpoint}\n"
                    f"  fix: start the server, or set {self.base} to its address"
                )
            if prompt.failed is not None:
                prompt.failed(str(last))
            if last.billed and prompt.lost is not None:
                waits = time.monotonic()
                await prompt.lost()
                began += time.monotonic() - waits  # for room in a budget: no fault of the endpoint
            ceiling = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**attempt)
            pause = last.wait_s if last.wait_s is not None else random.uniform(ceiling / 2, ceiling)  # noqa: S311  (spreads load, hides nothing)
            since = max(began, self.gate.heard_at) if self.is_own_server else began
            patience_s = max(PATIENCE_S, 2 * self.allowed_s)
            if pause > PATIENCE_S or time.monotonic() - since + pause > patience_s:
                last = TransientError(f"{last}; it is to be asked again in {pause:,.0f} s")
                break
            if attempt + 1 < ATTEMPTS:
                await asyncio.sleep(pause)
        message = f"{self.name}: {last} ({attempt + 1} attempts)"
        raise CallError(f"{message}\n  fix: see whether {self.endpoint} is well") from None

    @property
    def allowed_s(self) -> float:
        """How long the endpoint may take for one reply, as far as is known of it by now."""
        if self.deadline_s is not None:
            return self.deadline_s
        if self.is_own_server:
            return OWN_DEADLINE_S
        return DEADLINE_S if self.gate.answered else FIRST_DEADLINE_S

    async def _in_time(
        self, coroutine: Coroutine[Any, Any, Completion], cut: Callable[[], None] | None
    ) -> Completion:
        """Await an answer, as long as the endpoint may take.

        Raises: CallError if an endpoint that has answered nothing yet keeps silent; TransientError
        if one that has answered does.
        """
        wait = self.watch.begin(self)
        try:
            return await coroutine
        except asyncio.CancelledError:
            if not wait.given_up or wait.task.uncancel():
                if cut is not None:
                    cut()
                raise
        finally:
            self.watch.end(wait)
        if self.gate.answered:
            raise TransientError(f"no whole reply within {self.allowed_s:g} s", billed=True)
        if cut is not None:
            cut()  # it was sent, and perhaps worked at
        raise CallError(
            f"{self.name}: connected, no answer within {self.allowed_s:g} s: {self.endpoint}\n"
            "  fix: see whether the server is well; `--timeout S` waits S seconds for a slow one"
        )

    def refused(
        self, status: int, body: str, headers: Mapping[str, str], *, retries: int
    ) -> Completion:
        """Return what an HTTP status means: an answer that was withheld, or a failure.

        Raises: TransientError if asking again may help, CallError if it cannot.
        """
        body = redact(body)
        lower = body.lower()
        if status in _WITHHOLDING and any(mark in lower for mark in _FILTERED):
            return Completion(text="", finish_reason="content_filter", retries=retries)
        problem = f"HTTP {status}: {_message(body)}"
        too_fast = any(mark in lower for mark in _TOO_FAST)
        owing = status in (402, 403, 412, _TOO_MANY) and any(mark in lower for mark in _ARREARS)
        in_arrears = any(mark in lower for mark in _EMPTY_ACCOUNT) or (owing and not too_fast)
        # Also what a server puts down to itself, and a success that brings nothing, such as 204.
        passing = status in _TRANSIENT or status < _MOVES or status >= _SERVER
        if passing and not in_arrears:
            wait_s = retry_after(headers)
            if wait_s is None and (delay := _RETRY_DELAY.search(body)):
                wait_s = float(delay[1])
            if status == _TOO_MANY and wait_s is not None and wait_s <= PATIENCE_S:
                self.gate.hold(wait_s)
            raise TransientError(problem, wait_s=wait_s)
        remedy = _REMEDIES[402] if in_arrears else _REMEDIES.get(status, "see the message")
        setting: Setting | None = None
        if status == _BAD_REQUEST and any(mark in lower for mark in _WRONG_KEY):
            remedy = _REMEDIES[401]
        elif status == _BAD_REQUEST and "temperature" in lower:
            remedy, setting = _NO_TEMPERATURE, "temperature"
        elif status in _UNUSABLE and any(mark in lower for mark in _REASONING):
            remedy, setting = _NO_SUCH_REASONING, "reasoning"
        remedy = remedy.format(key=self.key, base=self.base)
        raise CallError(f"{self.name}: {problem}\n  fix: {remedy}", setting=setting)


def _message(body: str) -> str:
    """Return the message inside an error body, or the start of the body.

    A gateway's own message may say nothing; what it was told stands beside it. Cloudflare has
    errors in a list, NVIDIA what is wrong in `detail`.
    """
    try:
        value = json.loads(body)
        error = value.get("error") or next(iter(value.get("errors") or ()), value)
        if not isinstance(error, dict):
            return str(error)[:300]
        metadata = error.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, dict) else None
        messages = [str(error["message" if "message" in error else "detail"]), raw]
        return ": ".join(word for word in messages if isinstance(word, str))[:300]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return start_of(body)


def start_of(text: str) -> str:
    """Return enough of a body to tell what it is."""
    return " ".join(text[:200].split()) or "an empty body"
