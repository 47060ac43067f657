"""Serving a built site to readers who do not stay."""

import socket
import struct
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
    made = SiteServer(tmp_path, 0)
    made.daemon_threads = False  # so that closing waits for every answer
    Thread(target=made.serve_forever, daemon=True).start()

    with socket.create_connection(("127.0.0.1", made.server_port)) as reader:
        reader.sendall(b"GET /large.jsonl HTTP/1.0\r\n\r\n")
        assert b"200" in reader.recv(1024)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    made.shutdown()
    made.server_close()

    assert capfd.readouterr().err == ""


def test_a_fault_of_our_own_is_still_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    reader, own = socket.socketpair()
    with reader, own, SiteServer(tmp_path, 0) as made:
        try:
            int("ours")
        except ValueError:
            made.handle_error(own, ("127.0.0.1", 0))

    assert "ValueError: invalid literal" in capfd.readouterr().err
