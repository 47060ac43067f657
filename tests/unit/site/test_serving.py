"""Serving a built site to readers who do not stay."""

import gzip
import socket
import struct
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest

from epc.site.serving import SiteServer

LARGE = 64 * 1024 * 1024  # more than any socket holds back
RESET = struct.pack("ii", 1, 0)  # closing at once, without a farewell


def test_a_reader_that_leaves_early_is_no_fault(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(LARGE)
    site_server = SiteServer(tmp_path, 0)
    site_server.daemon_threads = False  # so that closing waits for every answer
    Thread(target=site_server.serve_forever, daemon=True).start()

    with socket.create_connection(("127.0.0.1", site_server.server_port)) as reader:
        reader.sendall(b"GET /large.jsonl HTTP/1.0\r\n\r\n")
        assert b"200" in reader.recv(1024)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    site_server.shutdown()
    site_server.server_close()

    assert capfd.readouterr().err == ""


def test_a_fault_of_our_own_is_still_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    reader, own = socket.socketpair()
    with reader, own, SiteServer(tmp_path, 0) as site_server:
        try:
            int("ours")
        except ValueError:
            site_server.handle_error(own, ("127.0.0.1", 0))

    assert "ValueError: invalid literal" in capfd.readouterr().err


def test_texts_are_sent_compressed_to_who_takes_it_and_pictures_as_they_are(tmp_path: Path) -> None:
    content = b"<p>text</p>" * 100
    for name in ("page.html", "picture.png"):
        (tmp_path / name).write_bytes(content)
    site_server = SiteServer(tmp_path, 0)
    site_server.daemon_threads = False
    Thread(target=site_server.serve_forever, daemon=True).start()
    told = []
    for name, takes in (("page.html", "gzip"), ("page.html", ""), ("picture.png", "gzip")):
        asking = HTTPConnection("127.0.0.1", site_server.server_port, timeout=20)
        asking.request("GET", f"/{name}", headers={"Accept-Encoding": takes})
        reply = asking.getresponse()
        told.append((reply.status, reply.getheader("Content-Encoding"), reply.read()))
        asking.close()
    site_server.shutdown()
    site_server.server_close()

    assert [(status, coding) for status, coding, _ in told] == [
        (200, "gzip"),
        (200, None),
        (200, None),
    ]
    assert [gzip.decompress(told[0][2]), told[1][2], told[2][2]] == [content] * 3
