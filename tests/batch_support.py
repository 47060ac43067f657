"""A loopback provider with a batch endpoint: files, batches, and chat completions beside them."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from typing import Any

from engine_support import Received, Reply, Server, answering

Json = dict[str, Any]


def answered_line(line: Json) -> bytes:
    """Return the output line of one request, answered as it would be live."""
    reply = answering(Received(path="", headers={}, body=line["body"]))
    response = {"status_code": 200, "request_id": "r", "body": json.loads(reply.body)}
    result = {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
    return json.dumps(result).encode() + b"\n"


class BatchProvider:
    """Speaks /files, /batches, /batches/{id}, /files/{id}/content and /chat/completions.

    `status` is what every batch is in; `output` turns a batch's requests into its output file.
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
        self.instead: dict[str, Reply] = {}  # a path's beginning: what it replies for once
        self._server = Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def sizes(self) -> list[int]:
        """How many requests each batch had."""
        return [len(self.files[batch["input_file_id"]]) for batch in self.batches.values()]

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def post(self, path: str, kind: str, content: bytes) -> Any:
        """Reply to a POST."""
        if path == "/v1/files":
            head = f"Content-Type: {kind}\r\n\r\n".encode()
            parts = BytesParser().parsebytes(head + content).get_payload()
            fields = {p.get_param("name", header="content-disposition"): p for p in parts}  # type: ignore[union-attr]
            assert fields["purpose"].get_payload(decode=True) == b"batch"  # type: ignore[union-attr]
            lines = fields["file"].get_payload(decode=True).splitlines()  # type: ignore[union-attr]
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
        if parts[0] == "batches":
            batch = self.batches[parts[1]]
            return {**batch, "output_file_id": f"out-{batch['id']}", **self.status}
        batch = self.batches[parts[1].removeprefix("out-")]
        return self.output(self.files[batch["input_file_id"]])

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

            def do_GET(self) -> None:
                self._reply(lambda: provider.get(self.path))

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                kind = self.headers["Content-Type"]
                self._reply(lambda: provider.post(self.path, kind, content))

            def _reply(self, answer: Callable[[], Any]) -> None:
                provider.authorizations.add(self.headers["Authorization"])
                once = next((p for p in provider.instead if self.path.startswith(p)), None)
                if once is not None:
                    reply = provider.instead.pop(once)
                else:
                    said = answer()
                    body = said if isinstance(said, bytes) else json.dumps(said).encode()
                    reply = Reply(body=body)
                self.send_response(reply.status)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
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
