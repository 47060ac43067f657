"""A loopback provider with a batch endpoint: files, batches, and chat completions beside them."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from endpoint_support import Loopback, LoopbackHandler, Received, Reply, answering
from engine_support import PATIENCE_S
from native_support import native, says

Json = dict[str, Any]


Served = TypeVar("Served", bound="BatchProvider")


def answered_line(line: Json) -> bytes:
    """Return the output line of one request, answered as it would be live."""
    reply = answering(Received(path="", headers={}, body=line["body"]))
    response = {"status_code": 200, "request_id": "r", "body": json.loads(reply.body)}
    result = {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
    return json.dumps(result).encode() + b"\n"


class BatchProvider(Loopback):
    """Speaks /files, /batches, /batches/{id}, /files/{id}/content and /chat/completions.

    `status` is what every batch is in; `output` turns a batch's requests into its output
    file, `errors` into its error file. Batches are listed newest first, `page` at a time; `lost`
    replies are acted on and never sent.
    """

    key_header = "Authorization"

    def __init__(self) -> None:
        self.files: dict[str, list[Json]] = {}
        self.batches: dict[str, Json] = {}
        self.chats = 0
        self.authorizations: set[str | None] = set()
        self.status: Json = {"status": "completed"}
        self.standings: list[Json] = []  # those that are told first, one a look
        self.output: Callable[[list[Json]], bytes] = lambda lines: b"".join(
            map(answered_line, lines)
        )
        self.outputs: list[Callable[[list[Json]], bytes]] = []  # those of the first batches
        self.errors: Callable[[list[Json]], bytes] = lambda _: b""
        self.page = 100
        self.hung, self.let_go = threading.Event(), threading.Event()
        self.hang: str | None = None  # a path whose POST is done, and not replied to
        self.lost: list[str] = []  # paths whose next POST is done, and the connection cut
        self.instead: dict[str, Reply] = {}  # a path's beginning: what it replies for once
        super().__init__(self._handler())

    @property
    def sizes(self) -> list[int]:
        """How many requests each batch had."""
        return [len(self.files[batch["input_file_id"]]) for batch in self.batches.values()]

    def post(self, path: str, kind: str, content: bytes) -> Any:
        """Reply to a POST."""
        if path == "/v1/files":
            head = f"Content-Type: {kind}\r\n\r\n".encode()
            parts = BytesParser().parsebytes(head + content).get_payload()
            fields = {p.get_param("name", header="content-disposition"): p for p in parts}  # type: ignore[union-attr]  # a multipart body, so its parts are messages
            assert fields["purpose"].get_payload(decode=True) == b"batch"  # type: ignore[union-attr]  # a multipart body, so its parts are messages
            lines = fields["file"].get_payload(decode=True).splitlines()  # type: ignore[union-attr]  # a multipart body, so its parts are messages
            name = f"file-{len(self.files)}"
            self.files[name] = [json.loads(line) for line in lines]
            return {"id": name, "object": "file", "purpose": "batch"}
        asked = json.loads(content)
        if path == "/v1/batches":
            assert asked["endpoint"] == "/v1/chat/completions"
            assert asked["completion_window"] == "24h"
            name = f"batch-{len(self.batches)}"
            self.batches[name] = {"id": name, "object": "batch", **asked}
            return {**self.batches[name], "status": "validating"}
        assert path == "/v1/chat/completions"
        self.chats += 1
        return json.loads(answering(Received(path=path, headers={}, body=asked)).body)

    def get(self, path: str) -> Any:
        """Reply to a GET."""
        parts = path.split("/")[2:]
        if parts[0].startswith("batches?"):
            names = list(reversed(self.batches))
            after = parse_qs(urlsplit(path).query).get("after", [""])[0]
            names = names[names.index(after) + 1 :] if after else names
            shown = [self.batches[name] for name in names[: self.page]]
            return {"object": "list", "data": shown, "has_more": len(names) > self.page}
        if parts[0] == "batches":
            batch = self.batches[parts[1]]
            files = {f"{kind}_file_id": f"{kind}-{batch['id']}" for kind in ("output", "error")}
            return {**batch, **files, **self.standing()}
        kind, name = parts[1].split("-", 1)
        content = {"output": self.output, "error": self.errors}[kind]
        if kind == "output" and self.outputs:
            content = self.outputs.pop(0)
        return content(self.files[self.batches[name]["input_file_id"]])

    def standing(self) -> Json:
        """Return what a batch is in now."""
        return self.standings.pop(0) if self.standings else self.status

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(LoopbackHandler):
            def do_GET(self) -> None:  # noqa: N802  (the name that http.server calls)
                self._reply(lambda: provider.get(self.path))

            def do_POST(self) -> None:  # noqa: N802  (the name that http.server calls)
                content = self.content()
                kind = self.headers["Content-Type"]
                self._reply(lambda: provider.post(self.path, kind, content))

            def _reply(self, answer: Callable[[], Any]) -> None:
                provider.authorizations.add(self.headers[provider.key_header])
                once = next((p for p in provider.instead if self.path.startswith(p)), None)
                if once is not None:
                    reply = provider.instead.pop(once)
                else:
                    said = answer()
                    if self.command == "POST" and self.path == provider.hang:
                        provider.hung.set()
                        provider.let_go.wait(PATIENCE_S)
                    if self.command == "POST" and self.path in provider.lost:
                        provider.lost.remove(self.path)
                        self.close_connection = True
                        return
                    body = said if isinstance(said, bytes) else json.dumps(said).encode()
                    reply = Reply(body=body)
                self.begin(reply.status, len(reply.body), reply.headers)
                self.wfile.write(reply.body)

        return Handler


class AnthropicBatches(BatchProvider):
    """Speaks /v1/messages/batches, {id}, {id}/results, and /v1/messages beside them.

    `status` is what every batch says beside its name; `outcome` makes a line's `result` of a
    request's `params`.
    """

    key_header = "x-api-key"

    def __init__(self) -> None:
        super().__init__()
        self.status = {"processing_status": "ended"}
        self.output = lambda requests: b"".join(
            json.dumps({"custom_id": r["custom_id"], "result": self.outcome(r["params"])}).encode()
            + b"\n"
            for r in reversed(requests)  # in any order
        )
        self.outcome: Callable[[Json], Json] = succeeded

    @property
    def sizes(self) -> list[int]:
        return [len(requests) for requests in self.files.values()]

    def post(self, path: str, kind: str, content: bytes) -> Any:
        asked = json.loads(content)
        if path == "/v1/messages/batches":
            name = f"msgbatch_{len(self.files)}"
            self.files[name] = asked["requests"]
            for request in asked["requests"]:
                assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", request["custom_id"])
            return self._batch(name, {"processing_status": "in_progress"})
        assert path == "/v1/messages"
        self.chats += 1
        return message_to(asked)

    def get(self, path: str) -> Any:
        parts = urlsplit(path).path.split("/")[4:]
        if not parts:
            names = list(reversed(self.files))
            after = parse_qs(urlsplit(path).query).get("after_id", [""])[0]
            names = names[names.index(after) + 1 :] if after else names
            shown = [self._batch(name, self.standing()) for name in names[: self.page]]
            last = shown[-1]["id"] if shown else None
            return {"data": shown, "has_more": len(names) > self.page, "last_id": last}
        if len(parts) > 1:
            output = self.outputs.pop(0) if self.outputs else self.output
            return output(self.files[parts[0]])
        return self._batch(parts[0], self.standing())

    def _batch(self, name: str, standing: Json) -> Json:
        ended = standing["processing_status"] == "ended"
        worked, waiting = (len(self.files[name]), 0) if ended else (0, len(self.files[name]))
        none = dict.fromkeys(("errored", "canceled", "expired"), 0)
        counts = {"processing": waiting, "succeeded": worked, **none}
        return {"id": name, "type": "message_batch", "request_counts": counts, **standing}


class GoogleBatches(BatchProvider):
    """Speaks :batchGenerateContent, /v1beta/batches, and :generateContent beside them.

    `outcome` makes a response (or an error) of a request; with `as_file` they come as a file.
    """

    key_header = "x-goog-api-key"

    def __init__(self) -> None:
        super().__init__()
        self.status = {"state": "BATCH_STATE_SUCCEEDED"}
        self.names: dict[str, str] = {}
        self.outcome: Callable[[Json], Json] = lambda asked: {"response": response_to(asked)}
        self.as_file = False
        self.error: Json | None = None

    @property
    def sizes(self) -> list[int]:
        return [len(requests) for requests in self.files.values()]

    def post(self, path: str, kind: str, content: bytes) -> Any:
        asked = json.loads(content)
        if path.endswith(":batchGenerateContent"):
            name = f"batches/{len(self.files)}"
            self.files[name] = asked["batch"]["input_config"]["requests"]["requests"]
            self.names[name] = asked["batch"]["display_name"]
            return self._operation(name, {"state": "BATCH_STATE_PENDING"})
        self.chats += 1
        return response_to(asked)

    def get(self, path: str) -> Any:
        place = urlsplit(path).path
        if place == "/v1beta/batches":
            names = list(reversed(self.files))
            start = int(parse_qs(urlsplit(path).query).get("pageToken", ["0"])[0])
            shown = names[start : start + self.page]
            more = {"nextPageToken": str(start + self.page)} if names[start + self.page :] else {}
            return {"operations": [self._operation(n, self.standing()) for n in shown], **more}
        if place.startswith("/download/"):
            name = place.removeprefix("/download/v1beta/files/").removesuffix(":download")
            rows = self._lines(f"batches/{name}")
            return b"".join(
                json.dumps({"key": row.pop("metadata")["key"], **row}).encode() + b"\n"
                for row in rows
            )
        return self._operation(place.removeprefix("/v1beta/"), self.standing())

    def _lines(self, name: str) -> list[Json]:
        return [
            {"metadata": request["metadata"], **self.outcome(request["request"])}
            for request in self.files[name]
        ]

    def _operation(self, name: str, standing: Json) -> Json:
        ended = standing["state"] == "BATCH_STATE_SUCCEEDED"
        done = len(self.files[name]) if ended else 0
        stats = {"requestCount": str(len(self.files[name])), "successfulRequestCount": str(done)}
        about = {"displayName": self.names[name], "batchStats": stats, **standing}
        operation: Json = {"name": name, "metadata": about}
        if self.error is not None:
            operation |= {"done": True, "error": self.error}
        elif ended and self.as_file:
            file = name.replace("batches/", "files/")
            operation |= {"done": True, "response": {"responsesFile": file}}
        elif ended:
            lines = {"inlinedResponses": {"inlinedResponses": self._lines(name)}}
            operation |= {"done": True, "response": lines}
        return operation


def succeeded(asked: Json) -> Json:
    """Return the result of a request of Anthropic's that was answered."""
    return {"type": "succeeded", "message": message_to(asked)}


def message_to(asked: Json) -> Json:
    """Return Anthropic's answer to a request."""
    received = Received(path="/v1/messages", headers={}, body=asked)
    answer: Json = json.loads(native(says(received), received).body)
    return answer


def response_to(asked: Json) -> Json:
    """Return Google's answer to a request."""
    received = Received(path=":generateContent", headers={}, body=asked)
    answer: Json = json.loads(native(says(received), received).body)
    return answer


@contextmanager
def served_by(kind: Callable[[], Served]) -> Iterator[Served]:
    """Serve a provider for the length of a block."""
    provider = kind()
    try:
        yield provider
    finally:
        provider.close()


def batch_provider() -> AbstractContextManager[BatchProvider]:
    """Serve OpenAI's protocol for the length of a block."""
    return served_by(BatchProvider)
