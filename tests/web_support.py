"""Servers on loopback: a folder over plain HTTP, or whatever a handler answers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], **known_fields: Any) -> Iterator[str]:
    """Yield the address at which a handler answers; `known` are attributes of its class."""
    known_fields["log_message"] = lambda *_: None
    made = type("Handler", (handler,), known_fields)
    with ThreadingHTTPServer(("127.0.0.1", 0), made) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Files(SimpleHTTPRequestHandler):
    folder: Path

    def __init__(self, *given: Any) -> None:
        super().__init__(*given, directory=str(self.folder))


@contextmanager
def folder_served(folder: Path) -> Iterator[str]:
    """Yield the address of a folder, as any web server publishes it."""
    with listening(_Files, folder=folder) as address:
        yield address
