"""An exhaustive run through batch endpoints: both waves are known in advance, at half the price.

A wave is uploaded as a file of requests, one a line; the provider answers within a day; the
answers are journalled like any others. `batch.json` in the run folder says what is under way. It
is written before anything is sent, with a mark that the batch carries too: a batch whose id was
lost on its way to us is found again among the provider's batches, and not paid twice.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn
from uuid import uuid4

from epc.engine.batch_results import Results, Why
from epc.engine.calls import Caller, Question
from epc.engine.hosted import Hosted
from epc.engine.measure import Measurement
from epc.engine.secrets import redact
from epc.engine.transport import NoReplyError, Reply, Transport
from epc.errors import StoppedError, UsageError, WorldError
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.strict_json import dumps_line

STATE: Final = "batch.json"
DEADLINE_S: Final = 300.0
MOST_ATTEMPTS: Final = 3  # batches for one wave: what comes back thrice without an answer stays so
_DONE: Final = (200, 201)
_PATH: Final = "/chat/completions"
_URL: Final = f"/v1{_PATH}"
_MARK: Final = "epc_mark"  # the key of our mark in a batch's metadata
_REFUSED: Final = range(400, 500)
_PAGE: Final = 100
_MOST_PAGES: Final = 100
_LONGEST_FILE: Final = 2**30  # bytes: fifty thousand answers, each in its whole reply
_WRITTEN: Final = {"stage", "requests", "mark", "file", "batch"}  # by every version
_UNDER_WAY: Final = ("validating", "in_progress", "finalizing", "cancelling")


class BatchPendingError(StoppedError):
    """A batch is under way; the run goes on when it is done."""


class _RefusedError(WorldError):
    """The endpoint said no: whatever was asked for has not been done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wave:
    """A batch: for which wave, with how many requests, under which mark of ours.

    `file` and `batch` are the provider's names for them; None until they are known. Without a
    mark nothing is under way. `attempt` counts the batches of this wave; `failed` says why there
    will be no more of them.
    """

    stage: str
    requests: int
    mark: str
    file: str | None = None
    batch: str | None = None
    attempt: int = 1
    failed: str | None = None


async def advance(measurement: Measurement, folder: Path) -> None:
    """Take an exhaustive run as far as its batches allow; return when every answer is there.

    Roles that are not hosted are asked directly.

    Raises: BatchPendingError while the provider works; StoppedError if what is left may be
    submitted again; WorldError if that cannot help, or as the provider fails.
    """
    for stage in ("answers", "comparisons"):
        questions = await _missing(measurement, stage)
        if not questions:
            continue
        model = questions[0].role.model
        if not isinstance(model, Hosted):
            await measurement.wave(stage, questions)
            continue
        caller, wave = measurement.caller, _load(folder)
        if wave is not None and not wave.mark and wave.stage != stage:
            wave = None  # of an earlier wave, which has its answers by now
        if wave is not None and wave.failed is not None:
            raise _given_up(folder, wave)
        attempt = 1 if wave is None else wave.attempt
        if wave is not None and wave.mark and wave.batch is None:
            wave = await _found_again(model.transport, folder, wave)
        if wave is None or not wave.mark:
            wave = await _submit(model, caller, folder, stage, questions, attempt=attempt)
            raise BatchPendingError(
                f"submitted {wave.requests} {stage} as batch {wave.batch}: collect them later"
            )
        wanted = {caller.name(question): question for question in questions}
        results = Results(model=model, caller=caller, wanted=wanted)
        batch = await _collect(model.transport, wave, results)
        left = await _missing(measurement, stage)
        if left:
            _leave(folder, wave, left, results.why(map(caller.name, left), batch))
        forget(folder)


def pending(folder: Path) -> bool:
    """Return whether a batch of this run is under way."""
    wave = _load(folder)
    return wave is not None and bool(wave.mark)


def forget(folder: Path) -> None:
    """Remove the note of a run's batches: what they were to answer is answered."""
    (folder / STATE).unlink(missing_ok=True)


def _leave(folder: Path, wave: Wave, left: list[Question], why: Why) -> NoReturn:
    """Note what a collected batch has left without an answer, and stop.

    Raises: WorldError if submitting it again cannot help, or has not; StoppedError if it may.
    """
    after = replace(
        wave, requests=len(left), mark="", file=None, batch=None, attempt=wave.attempt + 1
    )
    said = f"{len(left)} of {wave.requests} {wave.stage} came back without an answer"
    if not why.remedies and after.attempt <= MOST_ATTEMPTS:
        strict_json.write(folder / STATE, asdict(after))
        raise StoppedError(f"{said}; collecting again submits those{why}")
    tried = "" if why.remedies else f"; {wave.attempt} batches have tried"
    fix = "; ".join(why.remedies) or "see why before they are submitted again"
    after = replace(after, failed=f"{said}{tried}{why}\n  fix: {fix}")
    strict_json.write(folder / STATE, asdict(after))
    raise _given_up(folder, after)


def _given_up(folder: Path, wave: Wave) -> WorldError:
    return WorldError(
        f"{wave.failed}\n  next: `epc resume {folder}` asks those one by one, at the full price; "
        f"without {folder / STATE} collecting submits them again"
    )


async def _missing(measurement: Measurement, stage: str) -> list[Question]:
    """Return the distinct questions of a wave that have no answer yet, in the run or the cache."""
    questions = measurement.questions
    wave = (
        questions.answers() if stage == "answers" else questions.comparisons(measurement.answered)
    )
    caller = measurement.caller
    named = {caller.name(question): question for question in wave}
    unknown = [question for name, question in named.items() if caller.known(name) is None]
    return [question for question in unknown if not await caller.recall(question)]


async def _submit(
    model: Hosted,
    caller: Caller,
    folder: Path,
    stage: str,
    questions: list[Question],
    *,
    attempt: int,
) -> Wave:
    """Upload a wave and order its batch, noting each step before the next."""
    lines = [
        {
            "custom_id": caller.name(question),
            "method": "POST",
            "url": _URL,
            "body": model.body(question.text, question.role.decoding),
        }
        for question in questions
    ]
    for question in questions:
        most = question.role.decoding.max_tokens
        caller.budget.claim_batched(question.role.name, question.text, most)
    import aiohttp

    form = aiohttp.FormData()
    form.add_field("purpose", "batch")
    content = "".join(map(dumps_line, lines)).encode()
    form.add_field("file", content, filename="requests.jsonl", content_type="application/jsonl")
    wave = Wave(stage=stage, requests=len(questions), mark=uuid4().hex, attempt=attempt)
    strict_json.write(folder / STATE, asdict(wave))
    try:
        uploaded = await _json(model.transport, "POST", "/files", data=form)
        wave = replace(wave, file=uploaded["id"])
        strict_json.write(folder / STATE, asdict(wave))
        order = {
            "input_file_id": wave.file,
            "endpoint": _URL,
            "completion_window": "24h",
            "metadata": {_MARK: wave.mark},
        }
        batch = await _json(model.transport, "POST", "/batches", json=order)
    except _RefusedError:
        forget(folder)
        raise
    wave = replace(wave, batch=batch["id"])
    strict_json.write(folder / STATE, asdict(wave))
    return wave


async def _found_again(transport: Transport, folder: Path, wave: Wave) -> Wave | None:
    """Return a wave with the batch that was ordered for it, or None if none ever was.

    Raises: WorldError if the endpoint does not say which batches it has.
    """
    after, pages = "", 0
    while pages < _MOST_PAGES:
        body = (await _reply(transport, "GET", f"/batches?limit={_PAGE}{after}")).body
        batches, more = _page(body, folder)
        for batch in batches:
            mark = (batch.get("metadata") or {}).get(_MARK)
            by_file = wave.file is not None and batch.get("input_file_id") == wave.file
            if mark == wave.mark or (mark is None and by_file):
                wave = replace(wave, batch=batch["id"])
                strict_json.write(folder / STATE, asdict(wave))
                return wave
        if not more or not batches:
            break
        after, pages = f"&after={batches[-1]['id']}", pages + 1
    forget(folder)
    return None


def _page(body: bytes, folder: Path) -> tuple[list[Json], bool]:
    """Return one page of a provider's batches, and whether there are more."""
    try:
        value = json.loads(body)
        batches = [batch for batch in value["data"] if isinstance(batch["id"], str)]
    except (ValueError, LookupError, TypeError, RecursionError):
        message = (
            "the endpoint does not say which batches it has, and one may be under way: see "
            f"there, and delete {folder / STATE} to submit again (this may be paid twice)"
        )
        raise WorldError(message) from None
    return batches, bool(value.get("has_more"))


async def _collect(transport: Transport, wave: Wave, results: Results) -> Json:
    """Take what a batch has answered, and what it says of the rest; return the batch.

    Raises: BatchPendingError while it is under way; WorldError as the endpoint fails.
    """
    batch = await _json(transport, "GET", f"/batches/{wave.batch}")
    status = batch.get("status")
    if status in _UNDER_WAY:
        counts = batch.get("request_counts")
        done = counts.get("completed", 0) if isinstance(counts, dict) else 0
        raise BatchPendingError(f"batch {wave.batch} is {status}: {done} of {wave.requests} done")
    if status not in ("completed", "expired", "cancelled", "failed"):
        raise WorldError(f"batch {wave.batch} has the unknown status {status!r}")
    for file in ("output_file_id", "error_file_id"):
        if batch.get(file):
            path = f"/files/{batch[file]}/content"
            reply = await _reply(transport, "GET", path, most_bytes=_LONGEST_FILE)
            for line in reply.body.splitlines():
                await results.take(line)
    return batch


def _load(folder: Path) -> Wave | None:
    if not (folder / STATE).exists():
        return None
    value, problems = strict_json.read(folder / STATE)
    if problems or not _is_wave(value):
        message = f"{folder / STATE} is damaged: delete it to submit again (this is paid again)"
        raise UsageError(message)
    return Wave(**value)


def _is_wave(value: Any) -> bool:
    if not isinstance(value, dict) or not _WRITTEN <= set(value) <= set(Wave.__slots__):
        return False
    names = [value[key] or "" for key in ("file", "batch")]
    texts = [value["stage"], value["mark"], *names, value.get("failed") or ""]
    numbers = [value["requests"], value.get("attempt", 1)]
    return all(isinstance(text, str) for text in texts) and {type(n) for n in numbers} == {int}


async def _json(transport: Transport, method: str, path: str, **content: Any) -> Json:
    """Return an object of the endpoint's; each has an id."""
    body = (await _reply(transport, method, path, **content)).body
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise WorldError(f"the endpoint's reply to {method} {path} is no object with an id")
    return value


async def _reply(transport: Transport, method: str, path: str, **content: Any) -> Reply:
    try:
        reply = await transport.request(method, path, deadline_s=DEADLINE_S, **content)
    except NoReplyError as failure:
        raise WorldError(f"{method} {path}: {failure}") from None
    if not reply.whole:
        raise WorldError(f"{method} {path}: more than {len(reply.body):,} bytes")
    if reply.status not in _DONE:
        said = redact(reply.body[:300].decode("utf-8", "replace"))
        kind = _RefusedError if reply.status in _REFUSED else WorldError
        raise kind(f"{method} {path}: HTTP {reply.status}: {said}")
    return reply
