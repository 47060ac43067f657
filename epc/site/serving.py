"""The built site on this machine alone, as a web server would publish it."""

import gzip
import re
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from epc.site.with_mkdocs import MARK

_COMPRESSED: Final = (".html", ".css", ".js", ".json", ".svg", ".xml", ".csv", ".txt", ".ics")
_RANGE: Final = re.compile(r"bytes=(\d*)-(\d*)")  # one; of several the whole file is sent
_TYPES: Final = {
    ".ics": "text/calendar; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".parquet": "application/vnd.apache.parquet",
    ".jsonl": "application/jsonl",
}


class _Handler(SimpleHTTPRequestHandler):
    """Files, compressed for whoever takes them so; a missing one answers with the site's page."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | _TYPES

    def __init__(self, *args: Any, home: str, **options: Any) -> None:
        self._home = home
        super().__init__(*args, **options)

    def translate_path(self, path: str) -> str:
        """Return the file of an address, in the folder that the site was built for or at the root.

        404.html, which answers at any depth, refers to everything from the root of its host.
        """
        inside = path.removeprefix(self._home)
        return super().translate_path(path if inside == path else f"/{inside}")

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = (
            path / "index.html" if path.is_dir() and self.path.split("?")[0].endswith("/") else path
        )
        if path.is_file() and (byte_range := _RANGE.fullmatch(self.headers.get("Range", ""))):
            self._send_part(path, *byte_range.groups())
            return
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        if takes and path.suffix in _COMPRESSED and path.is_file():
            self._send_compressed(path)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        """Say of every answer that a part of it can be asked for, as published sites do."""
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def _send_part(self, path: Path, first: str, last: str) -> None:
        """Send one range of a file (RFC 9110, 14.1.2): from a byte on, up to one, or its end."""
        size = path.stat().st_size
        begin = int(first) if first else max(0, size - int(last or 0))
        end = min(size, int(last) + 1) if first and last else size
        if begin >= end:
            self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            self.send_header("Content-Range", f"bytes */{size}")
            self._send(b"")
            return
        self.send_response(HTTPStatus.PARTIAL_CONTENT)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        with path.open("rb") as file:
            file.seek(begin)
            self.wfile.write(file.read(end - begin))

    def _send_compressed(self, path: Path) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self._send(gzip.compress(path.read_bytes(), mtime=0))

    def _send(self, content: bytes) -> None:
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self._send(page.read_bytes())

    def log_message(self, *_: Any) -> None:
        """Say nothing: what is asked for is nobody's news."""


class SiteServer(ThreadingHTTPServer):
    """A server of a built site on 127.0.0.1, to whom a reader that went away is no fault.

    Port 0 takes a free one. `home` is the path that the site was built for.
    """

    def __init__(self, folder: Path, port: int) -> None:
        mark = folder / MARK
        address = mark.read_text("utf-8") if mark.is_file() else ""
        self.home = urlsplit(address).path or "/"
        handler = partial(_Handler, directory=str(folder), home=self.home)
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of what failed, but for a reader that went away."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
