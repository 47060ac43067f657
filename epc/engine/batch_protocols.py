"""What a batch endpoint is asked: one interface, and OpenAI's protocol behind it.

A protocol says how a request stands in a batch, how a batch is ordered, found again and looked
at, and what its lines hold. When to do what is `epc.engine.batch`.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from msgspec import Struct

from epc.engine.asking import TransientError
from epc.engine.budget import Budget
from epc.engine.hosted import Hosted
from epc.engine.model import Completion
from epc.engine.remote import Remote
from epc.engine.replies import completion
from epc.engine.secrets import redact
from epc.engine.transport import File, NoReplyError, OversizedError, Reply, Transport
from epc.errors import WorldError
from epc.protocol.config import Decoding
from epc.protocol.results import Json
from epc.records.strict_json import dumps_line

MARK: Final = "epc_mark"  # the key of our mark in a batch's metadata
_DEADLINE_S: Final = 300.0
_LONGEST_FILE: Final = 2**30  # bytes: fifty thousand answers, each in its whole reply
_OK: Final = 200
_DONE: Final = (_OK, 201)
_REFUSED: Final = range(400, 500)
_PASSING: Final = (408, 425, 429, *range(500, 600))
_PAGE: Final = 100
_MOST_PAGES: Final = 100
_FULL: Final = ("token_limit_exceeded", "rate_limit_exceeded")  # there is room later


class RefusedError(WorldError):
    """The endpoint said no: whatever was asked for has not been done."""


class PassingError(WorldError):
    """The endpoint did not answer a question that may be put again."""


class UndecidedError(WorldError):
    """A batch that is under way may be the one that is looked for: it tells when it has ended."""


class Failure(Struct, frozen=True, kw_only=True):
    """Why a question has no answer. `remedy` is None where asking again may help."""

    reason: str
    remedy: str | None = None


class Order(Struct, frozen=True, kw_only=True):
    """A batch that is to be ordered, or may have been, under our mark.

    `count` is the number of its `requests`, `file` what they were uploaded as, if they were.
    """

    mark: str
    count: int
    file: str | None = None
    requests: Sequence[Json] = ()


class Standing(Struct, frozen=True, kw_only=True):
    """What an endpoint says of a batch.

    `done` of its requests have been worked on; once it has `ended`, no more will be. `unanswered`
    is why a request has no answer of which no line speaks; `said` is the endpoint's whole word.
    """

    batch: str
    status: str
    ended: bool
    done: int
    unanswered: Failure
    said: Json


class Batching(ABC):
    """How one protocol takes batches for a model.

    `most_requests` and `most_bytes` are what one batch may hold, `versions` the headers that choose
    a protocol's version.
    """

    versions: ClassVar[Mapping[str, str]] = {}

    most_requests: int
    most_bytes: int
    _key = "id"  # under which an object has its name

    def __init__(
        self, model: Remote, transport: Transport, headers: dict[str, str] | None = None
    ) -> None:
        self.model = model
        self.budget = Budget()  # whose time every request keeps to
        self._transport, self._headers = transport, headers or {}

    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse what a request in a batch cannot hold: nothing, if it is the body of a call.

        Raises: UsageError.
        """
        del decoding

    @abstractmethod
    def request(self, name: str, text: str, decoding: Decoding) -> Json:
        """Return how a question of that name stands in a batch."""

    async def upload(self, order: Order) -> str | None:  # noqa: ARG002  (for those that do)
        """Send the requests ahead and return the file they are, if the protocol wants that."""
        return None

    @abstractmethod
    async def place(self, order: Order) -> str:
        """Order a batch, and return the endpoint's name for it."""

    @abstractmethod
    async def find(self, order: Order) -> str | None:
        """Return the batch that was ordered under the mark, or None if none ever was.

        Raises: UndecidedError while that cannot be told; WorldError if it never can.
        """

    @abstractmethod
    async def standing(self, batch: str) -> Standing:
        """Return how far a batch is.

        Raises: WorldError if the endpoint does not say.
        """

    @abstractmethod
    async def lines(self, standing: Standing) -> Iterable[Any]:
        """Return the lines that have come of a batch; not all need hold an answer."""

    def name_of(self, line: Json) -> str:
        """Return the name of the question that a line is about.

        Raises: ValueError, TypeError or LookupError if it is about none.
        """
        name: str = line["custom_id"]
        return name

    @abstractmethod
    def answer(self, line: Json) -> Completion:
        """Return the answer that a line holds.

        Raises: TransientError if asking again may help, CallError if it cannot.
        """

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _object(self, method: str, path: str, **content: Any) -> Json:
        """Return an object of the endpoint's, which has an id."""
        body = (await self._reply(method, path, **content)).body
        try:
            value: Any = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not isinstance(value.get(self._key), str):
            raise WorldError(f"the endpoint's reply to {method} {path} is no object with an id")
        return value

    async def _named(self, method: str, path: str, **content: Any) -> str:
        """Return the id of an object of the endpoint's."""
        name: str = (await self._object(method, path, **content))[self._key]
        return name

    async def _file(self, path: str) -> Iterable[Any]:
        """Return the lines of a file that are JSON."""
        return _parsed((await self._reply("GET", path)).body)

    async def _pages(self, path: str) -> AsyncIterator[Any]:
        """Yield the batches that the endpoint lists, newest first, page after page.

        Raises: WorldError if it does not say which batches it has.
        """
        after = ""
        for _ in range(_MOST_PAGES):
            body = (await self._reply("GET", f"{path}{after}")).body
            try:
                batches, after = self._page(json.loads(body))
            except (ValueError, RecursionError):
                raise WorldError("the endpoint does not say which batches it has") from None
            for batch in batches:
                yield batch
            if not after:
                break

    @staticmethod
    @abstractmethod
    def _page(page: Any) -> tuple[list[Json], str]:
        """Return a page's batches, and what to add to the address for the next page.

        Raises: ValueError if it is no page.
        """

    async def _reply(self, method: str, path: str, **content: Any) -> Reply:
        left = self.budget.left_s()
        deadline_s = _DEADLINE_S if left is None else max(0.0, min(_DEADLINE_S, left))
        try:
            reply = await self._transport.request(
                method,
                path,
                deadline_s=deadline_s,
                most_bytes=_LONGEST_FILE,
                headers=self._headers,
                **content,
            )
        except OversizedError as failure:
            raise WorldError(f"{method} {path}: {failure}") from None
        except NoReplyError as failure:
            if deadline_s < _DEADLINE_S and (self.budget.left_s() or 0.0) <= 0:
                raise self.budget.too_late() from None
            raise PassingError(f"{method} {path}: {failure}") from None
        if reply.status not in _DONE:
            text = redact(reply.body[:300].decode("utf-8", "replace"))
            kind = RefusedError if reply.status in _REFUSED else WorldError
            kind = PassingError if reply.status in _PASSING else kind
            raise kind(f"{method} {path}: HTTP {reply.status}: {text}")
        return reply


class OpenAIBatching(Batching):
    """A file of requests, a batch over it, a file of answers and one of errors.

    Source: OpenAI's API reference, "Batch" and "Files"; Azure's "Getting started with Azure OpenAI
    global batch deployments", whose lines name the path without a version.
    """

    most_requests, most_bytes = 50_000, 200_000_000
    _UNDER_WAY = ("validating", "in_progress", "finalizing", "cancelling")
    _ENDED = ("completed", "expired", "cancelled", "failed")

    def __init__(self, model: Hosted) -> None:
        super().__init__(model, model.transport)
        self._body = model.body
        azure = model.identity.model.startswith("azure/")
        self._url = "/chat/completions" if azure else "/v1/chat/completions"

    def request(self, name: str, text: str, decoding: Decoding) -> Json:
        """Return a line of the file."""
        body = self._body(text, decoding)
        return {"custom_id": name, "method": "POST", "url": self._url, "body": body}

    async def upload(self, order: Order) -> str | None:
        """Send the file."""
        lines = "".join(map(dumps_line, order.requests)).encode()
        file = File(name="requests.jsonl", kind="application/jsonl", content=lines)
        return await self._named("POST", "/files", form={"purpose": "batch", "file": file})

    async def place(self, order: Order) -> str:
        """Order a batch over the file."""
        content = {
            "input_file_id": order.file,
            "endpoint": self._url,
            "completion_window": "24h",
            "metadata": {MARK: order.mark},
        }
        return await self._named("POST", "/batches", content=content)

    async def find(self, order: Order) -> str | None:
        """Return the batch that carries the mark, or that was made of the file."""
        async for batch in self._pages(f"/batches?limit={_PAGE}"):
            match batch:
                case {"id": str(batch_id), "metadata": {"epc_mark": str(mark)}}:
                    if mark == order.mark:
                        return batch_id
                case {"id": str(batch_id), "input_file_id": str(file)} if file == order.file:
                    return batch_id
        return None

    @staticmethod
    def _page(page: Any) -> tuple[list[Json], str]:
        match page:
            case {"data": [*batches, {"id": str(last)} as newest], "has_more": True}:
                return [*batches, newest], f"&after={last}"
            case {"data": list(batches)}:
                return batches, ""
        raise ValueError(page)

    async def standing(self, batch: str) -> Standing:
        """Return how far it is."""
        reply = await self._object("GET", f"/batches/{batch}")
        match reply:
            case {"status": str(status)} if status in (*self._UNDER_WAY, *self._ENDED):
                pass
            case _:
                raise unknown(batch, reply, "status")
        match reply:
            case {"request_counts": {"completed": int(done)}}:
                pass
            case _:
                done = 0
        return Standing(
            batch=batch,
            status=status,
            ended=status in self._ENDED,
            done=done,
            unanswered=self._unanswered(status, reply),
            said=reply,
        )

    async def lines(self, standing: Standing) -> Iterable[Any]:
        """Return the lines of both files."""
        files = (standing.said.get(key) for key in ("output_file_id", "error_file_id"))
        contents = [await self._file(f"/files/{file}/content") for file in files if file]
        return [line for lines in contents for line in lines]

    def answer(self, line: Json) -> Completion:
        """Return the answer in a line's response."""
        match line:
            case {"response": {"status_code": int(status), **more}}:
                body = json.dumps(more.get("body")).encode()
                if status == _OK:
                    return completion(body, latency_s=None, retries=0)
                return self.model.refused(status, body, {}, retries=0)
            case {"error": dict(error)}:
                raise TransientError(said_by(error) or "the line holds no answer")
        raise TransientError("the line holds no answer")

    @staticmethod
    def _unanswered(status: str, reply: Json) -> Failure:
        if status == "completed":
            return Failure(reason="no line came back")
        match reply:
            case {"errors": {"data": list(errors)}}:
                why = "; ".join(dict.fromkeys(filter(None, map(said_by, errors))))
                full = any(code in str(error) for error in errors for code in _FULL)
            case _:
                why, full = "", False
        return batch_failure(status, why, final=status == "failed" and not full)


def unknown(batch: str, reply: Json, key: str) -> WorldError:
    """Return what it ends in that nobody knows where a batch stands."""
    return WorldError(f"batch {batch} has the unknown status {reply.get(key)!r}")


def batch_failure(status: str, why: str, *, final: bool) -> Failure:
    """Return what became of a batch as a whole; `final`: ordering it again cannot help."""
    reason = f"the batch {status}: {why}" if why else f"the batch {status}"
    return Failure(reason=reason, remedy="see the message" if final else None)


def said_by(error: Any) -> str:
    """Return what an error object says, code and message."""
    if not isinstance(error, dict):
        return ""
    parts = [str(error[key])[:300] for key in ("code", "message") if error.get(key)]
    return redact(": ".join(parts))


def _parsed(body: bytes) -> Iterator[Any]:
    for line in body.splitlines():
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            continue
