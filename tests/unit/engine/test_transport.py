"""Tests of one HTTP client an endpoint: what it sends, what it keeps, and when it gives up."""

import asyncio
import os
import resource
import socket
import ssl
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from gzip import compress
from pathlib import Path
from threading import Thread

import pytest
from endpoint_support import Endpoint, Reply, completion, serving

from epc.engine import transport
from epc.engine.transport import NoReplyError, Transport

CANARY = "sk-canary-0123456789abcdef"
BODY = {"messages": [{"content": "x"}]}


def sent(url: str, *, key: str | None = None) -> transport.Reply:
    async def sending() -> transport.Reply:
        client = Transport(url, key=key)
        try:
            return await client.post("/ask", BODY)
        finally:
            await client.close()

    return asyncio.run(sending())


def test_a_reply_is_its_status_its_bytes_and_its_allowed_headers(endpoint: Endpoint) -> None:
    allowed = {"X-Request-Id": "r-1", "X-RateLimit-Remaining-Tokens": "5", "Retry-After": "2"}
    endpoint.script = [
        Reply(
            status=503,
            body=b"\x00\xff",
            headers={**allowed, "Set-Cookie": CANARY, "X-Api-Key": CANARY, "Server-Timing": "x"},
        )
    ]

    reply = sent(endpoint.url)

    assert (reply.status, reply.body) == (503, b"\x00\xff")
    assert dict(reply.headers) == {
        "content-type": "application/json",
        "x-request-id": "r-1",
        "x-ratelimit-remaining-tokens": "5",
        "retry-after": "2",
    }


def test_a_cookie_is_not_sent_back(endpoint: Endpoint) -> None:
    endpoint.script = [Reply(body=b"{}", headers={"Set-Cookie": "a=b"})]

    async def twice() -> None:
        client = Transport(endpoint.url, key=None)
        for _ in range(2):
            await client.post("/ask", BODY)
        await client.close()

    asyncio.run(twice())

    assert len(endpoint.received) == 2
    assert not any("cookie" in request.headers for request in endpoint.received)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_with_the_key(endpoint: Endpoint, status: int) -> None:
    with serving() as elsewhere:
        endpoint.script = [Reply(status=status, headers={"Location": f"{elsewhere.url}/ask"})]

        reply = sent(endpoint.url, key=CANARY)

        assert reply.status == status
        assert elsewhere.received == []
    assert len(endpoint.received) == 1


@pytest.mark.parametrize(
    ("user_info", "key", "authorization"),
    [
        ("", CANARY, f"Bearer {CANARY}"),
        ("", None, None),
        ("", "", None),
        ("user:p%40ss@", None, f"Basic {b64encode(b'user:p@ss').decode()}"),
        ("token@", None, f"Basic {b64encode(b'token:').decode()}"),
        ("user:p%40ss@", CANARY, f"Bearer {CANARY}"),
    ],
)
def test_a_key_wins_over_the_address_s_user(
    endpoint: Endpoint, user_info: str, key: str | None, authorization: str | None
) -> None:
    sent(endpoint.url.replace("://", f"://{user_info}"), key=key)

    assert endpoint.received[0].headers.get("authorization") == authorization
    assert endpoint.received[0].headers["host"] == endpoint.url.split("/")[2]


@pytest.mark.parametrize(
    ("end", "path"),
    [
        ("", "/v1/ask"),
        ("/", "/v1/ask"),
        ("?api-version=2024-06-01&x=%20", "/v1/ask?api-version=2024-06-01&x=%20"),
        ("/?key=1#part", "/v1/ask?key=1"),
    ],
)
def test_a_query_of_the_address_goes_with_every_request(
    endpoint: Endpoint, end: str, path: str
) -> None:
    sent(endpoint.url + end)

    assert endpoint.received[0].path in (path, path.replace("%20", "+"))


def test_proxies_of_the_environment_are_not_used(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert sent(endpoint.url).status == 200


def test_a_body_of_more_bytes_than_are_taken_is_no_reply(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MAX_REPLY_BYTES", 1000)
    packed = {"Content-Encoding": "gzip"}
    endpoint.script = [
        Reply(body=b"x" * 1000),
        Reply(body=b"x" * 1001),
        Reply(body=compress(b"x" * 1001), headers=packed),
    ]

    assert len(sent(endpoint.url).body) == 1000
    for _ in range(2):
        with pytest.raises(NoReplyError, match="the reply has more than 1,000 bytes"):
            sent(endpoint.url)


@pytest.mark.parametrize("cut", [0, 10])
def test_a_connection_that_is_reset_is_no_reply(endpoint: Endpoint, cut: int) -> None:
    endpoint.script = [Reply(body=completion("A").body, cut=cut)]

    with pytest.raises(NoReplyError) as broken:
        sent(endpoint.url)

    assert broken.value.sent, "it may have been"


def test_no_reply_names_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", f"http://user:{CANARY}@127.0.0.1:9/v1")

    with pytest.raises(NoReplyError) as failed:
        sent(f"http://user:{CANARY}@127.0.0.1:9/v1?key={CANARY}", key=CANARY)

    assert CANARY not in str(failed.value)


def test_a_client_opens_at_need_and_again_after_it_was_closed(endpoint: Endpoint) -> None:
    async def closing() -> None:
        client = Transport(endpoint.url, key=None)
        await client.close()  # never opened
        for _ in range(2):
            await client.post("/ask", BODY)
            await client.close()
            await client.close()

    asyncio.run(closing())

    assert len(endpoint.received) == 2


def test_what_a_kept_connection_swallowed_is_not_sent_again_unasked() -> None:
    requests: list[bytes] = []

    def answering(server: socket.socket) -> None:
        with suppress(OSError):  # what ends the waiting for another connection
            while True:
                connection, _ = server.accept()
                with connection:
                    for reply in (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", b""):
                        requests.append(connection.recv(10_000))
                        connection.sendall(reply)

    async def twice(url: str) -> None:
        client = Transport(url, key=None)
        await client.post("/ask", {})
        with pytest.raises(NoReplyError) as swallowed:
            await client.post("/ask", {})
        assert swallowed.value.sent
        await client.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=answering, args=(server,))
        thread.start()
        asyncio.run(twice(f"http://127.0.0.1:{server.getsockname()[1]}"))
        server.shutdown(socket.SHUT_RDWR)
        thread.join()

    assert len(requests) == 2


def test_what_was_never_connected_was_not_sent() -> None:
    with pytest.raises(NoReplyError, match=r"^nothing listens there$") as refused:
        sent("http://127.0.0.1:9")
    with pytest.raises(NoReplyError, match=r"^there is no host nobody\.invalid$") as nowhere:
        sent("http://nobody.invalid")

    assert not refused.value.sent
    assert not nowhere.value.sent


def test_a_header_that_is_no_text_is_left_out(endpoint: Endpoint) -> None:
    endpoint.script = [Reply(body=b"{}", headers={"X-Request-Id": "é", "Retry-After": "2"})]

    assert dict(sent(endpoint.url).headers) == {
        "content-type": "application/json",
        "retry-after": "2",
    }


def test_a_body_that_cannot_be_unpacked_is_no_reply(endpoint: Endpoint) -> None:
    endpoint.script = [Reply(body=b"no gzip", headers={"Content-Encoding": "gzip"})]

    with pytest.raises(NoReplyError, match="decode content-encoding: gzip"):
        sent(endpoint.url)


def test_a_packed_body_is_unpacked(endpoint: Endpoint) -> None:
    endpoint.script = [Reply(body=compress(b"{}"), headers={"Content-Encoding": "gzip"})]

    assert sent(endpoint.url).body == b"{}"


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[tuple[Endpoint, Path]]:
    """Yield a server with a certificate that no authority has signed, and that certificate."""
    path = tmp_path / "own.pem"
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    about = ["-nodes", "-days", "2", "-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(path.with_suffix(".key")), "-out", str(path)]
    subprocess.run([*request, *about, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, path.with_suffix(".key"))
    with serving() as server:
        server.encrypt(context)
        yield server, path


def test_a_server_with_a_certificate_of_the_user_s_is_trusted_where_it_is_named(
    encrypted: tuple[Endpoint, Path],
) -> None:
    server, certificate = encrypted
    address = server.url.replace("http:", "https:")

    with pytest.raises(NoReplyError, match=r"no trusted certificate: .* SSL_CERT_FILE") as refused:
        sent(address, key=CANARY)
    assert not refused.value.sent
    assert server.received == []
    script = (
        "import asyncio, sys; from epc.engine.transport import Transport\n"
        "client = Transport(sys.argv[1], key=None)\n"
        f"print(asyncio.run(client.post('/ask', {BODY})).status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, address],
        env={**os.environ, "SSL_CERT_FILE": str(certificate)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "200\n", done.stderr
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("descriptors", "most"),
    [
        (264, 100),  # of 264 descriptors 64 are kept for the rest, and two endpoints share
        (265, 100),
        (65, 1),
        (10, 1),
        (1_000_000, 512),
        (resource.RLIM_INFINITY, 512),
    ],
)
def test_connections_leave_room_for_a_run_s_own_files_and_another_endpoint(
    descriptors: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (descriptors, descriptors))

    assert transport.most_connections() == most


def test_a_connection_that_nobody_takes_is_given_up_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each request's time is its own: neither an earlier one's that went well, nor a spent one."""
    monkeypatch.setattr(transport, "CONNECT_S", 1.0)

    async def twice(url: str, server: socket.socket) -> float:
        client = Transport(url, key=None)
        await client.post("/ask", {})
        await asyncio.sleep(0.5)
        address = server.getsockname()
        with ExitStack() as waiting:  # what the system takes for a server that takes nothing
            for _ in range(3):
                one = waiting.enter_context(socket.socket())
                one.settimeout(0)
                one.connect_ex(address)
            began = time.monotonic()
            for _ in range(2):
                with pytest.raises(NoReplyError, match="no connection within 1 s") as failed:
                    await client.post("/ask", {})
                assert not failed.value.sent
        await client.close()
        return time.monotonic() - began

    def answering(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
            )

    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        thread = Thread(target=answering, args=(server,))
        thread.start()
        took = asyncio.run(twice(f"http://127.0.0.1:{server.getsockname()[1]}", server))
        thread.join()

    assert took > 1.9
