"""A loopback provider with a batch endpoint: files, batches, and chat completions beside them."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from endpoint_support import Loopback, LoopbackHandler, Received, Reply, answering
from engine_support import PATIENCE_S

Json = dict[str, Any]


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

    def __init__(self) -> None:
        self.files: dict[str, list[Json]] = {}
        self.batches: dict[str, Json] = {}
        self.chats = 0
        self.authorizations: set[str | None] = set()
        self.status: Json = {"status": "completed"}
        self.output: Callable[[list[Json]], bytes] = lambda lines: b"".join(
            map(answered_line, lines)
        )
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
            return {**batch, **files, **self.status}
        kind, name = parts[1].split("-", 1)
        content = {"output": self.output, "error": self.errors}[kind]
        return content(self.files[self.batches[name]["input_file_id"]])

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
                provider.authorizations.add(self.headers["Authorization"])
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


@contextmanager
def batch_provider() -> Iterator[BatchProvider]:
    """Serve for the length of a block."""
    provider = BatchProvider()
    try:
        yield provider
    finally:
        provider.close()
