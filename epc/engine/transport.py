"""One HTTP client an endpoint: send a body, get the reply's bytes, within a deadline.

libcurl without an SDK on top: what the SDKs add (retries, types, streaming) is switched off or
done elsewhere here, and costs many times the processor time of the request itself (ADR 7).
"""

import asyncio
import errno
import json
import os
import resource
from base64 import b64encode
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from epc.engine.secrets import redact
from epc.engine.transfers import TransferError, Transfers

if TYPE_CHECKING:
    from pycurl import Curl

# Reply headers that may be kept; anything else could carry a secret or a cookie.
ALLOWED_HEADERS: Final = (
    "content-type",
    "openai-processing-ms",
    "openai-version",
    "retry-after",
    "retry-after-ms",
    "request-id",
    "x-request-id",
    "x-ratelimit-limit-requests",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
)
_ALLOWED: Final = frozenset(name.encode() for name in ALLOWED_HEADERS)
CONNECT_S: Final = 30.0
MAX_REPLY_BYTES: Final = 32 * 2**20
_MOST_CONNECTIONS: Final = 512
_OTHER_DESCRIPTORS: Final = 64  # for the run's own files, the loop and the libraries
# Where systems keep the certificates of authorities (Debian, Fedora, openSUSE, NixOS, and Alpine
# and macOS): the libcurl that pycurl brings knows of no place.
_CERTIFICATES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
_NO_CERTIFICATES: Final = (
    "this system has no certificates of authorities: install ca-certificates, or name a file of "
    "them in SSL_CERT_FILE"
)


_Headers = tuple[tuple[str, str], ...]
_Kind = tuple[str, str, _Headers, bool]  # method, path, headers of its own, without JSON


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP reply: its status, the allowed headers in lower case, and its bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file in a form: its name, its media type, and what it holds."""

    name: str
    kind: str
    content: bytes


class NoReplyError(Exception):
    """No whole reply came: refused, reset, cut short, too slow. Asking again may help.

    `sent`: the request may have arrived, and the endpoint may have acted on it.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class OversizedError(NoReplyError):
    """A reply had a larger body than is taken."""


class Transport:
    """The connections to one endpoint; opened at first need, closed with the run."""

    def __init__(self, base_url: str, *, key: str | None, bare_key: bool = False) -> None:
        parts = urlsplit(base_url)
        user_info, _, host = parts.netloc.rpartition("@")
        self._host = parts.hostname
        self._prefix = f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
        self._suffix = f"?{parts.query}" if parts.query else ""
        self._headers = _authorization(key, user_info, bare=bare_key)
        self._encrypted = parts.scheme == "https"
        self._authorities: Mapping[int, str] = {}
        self._client: Transfers | None = None
        self._idle: dict[_Kind, list[_Exchange]] = {}

    async def request(
        self,
        method: str,
        path: str,
        *,
        content: Any = None,
        form: Mapping[str, str | File] | None = None,
        headers: Mapping[str, str] | None = None,
        deadline_s: float | None = None,
        most_bytes: int | None = None,
    ) -> Reply:
        """Send a request, with `content` as JSON or a form, and return the reply.

        Raises: NoReplyError if there is none within the deadline; OversizedError if its body is
        larger than `most_bytes` or `MAX_REPLY_BYTES`.
        """
        if self._client is None:
            self._authorities = _certificates() if self._encrypted else {}
            self._client = Transfers(most_connections=most_connections())
        own = tuple((headers or {}).items())
        idle = self._idle.setdefault((method, path, own, content is None), [])
        exchange = idle.pop() if idle else self._exchange(method, path, own, content)
        most = MAX_REPLY_BYTES if most_bytes is None else most_bytes
        exchange.begin(most)
        if content is not None:
            exchange.carry(_encoded(content))
        if form is not None:
            exchange.fill_in(form)
        reply = None
        try:
            performing = self._client.perform(exchange.handle)
            await (performing if deadline_s is None else asyncio.wait_for(performing, deadline_s))
            reply = exchange.reply()
        except TimeoutError:
            raise NoReplyError(f"no whole reply within {deadline_s:g} s") from None
        except TransferError as error:
            if exchange.oversized:
                raise OversizedError(f"the reply has more than {most:,} bytes") from None
            raise self._failure(exchange.handle, error.code, error.message) from None
        finally:
            if reply is not None and form is None:
                idle.append(exchange)
            else:
                exchange.close()
        return reply

    async def close(self) -> None:
        """Close every connection."""
        if self._client is not None:
            self._client.close()
            self._client = None
            self._idle.clear()

    def _exchange(self, method: str, path: str, own: _Headers, content: Any) -> "_Exchange":
        """Return a handle for requests of one kind."""
        kind = {} if content is None else {"Content-Type": "application/json"}
        sent = {**self._headers, **dict(own), **kind}
        lines = [*(f"{name}: {value}" for name, value in sent.items()), "Expect:"]
        url = f"{self._prefix}{path}{self._suffix}"
        return _Exchange(method, url, lines, self._authorities)

    def _failure(self, handle: "Curl", code: int, message: str) -> NoReplyError:
        """Return why a request failed, and whether it may have arrived."""
        import pycurl

        match code:
            case pycurl.E_COULDNT_RESOLVE_HOST:
                return NoReplyError(f"there is no host {self._host}", sent=False)
            case pycurl.E_OPERATION_TIMEDOUT:
                return NoReplyError(f"no connection within {CONNECT_S:g} s", sent=False)
            case pycurl.E_SSL_CACERT_BADFILE:
                return NoReplyError(_NO_CERTIFICATES, sent=False)
            case pycurl.E_COULDNT_CONNECT:
                if handle.getinfo(pycurl.OS_ERRNO) == errno.ECONNREFUSED:
                    return NoReplyError("nothing listens there", sent=False)
            case pycurl.E_SSL_CONNECT_ERROR | pycurl.E_PEER_FAILED_VERIFICATION:
                pass
            case _:
                return NoReplyError(redact(message))
        return NoReplyError(redact(f"no connection: {message}"), sent=False)


class _Exchange:
    """A handle that is prepared for requests of one kind, and what has come of the last reply.

    No redirect is followed, no cookie kept, no proxy known.
    """

    def __init__(
        self, method: str, url: str, headers: list[str], authorities: Mapping[int, str]
    ) -> None:
        import pycurl

        self._libcurl = pycurl  # to import it for each call, by its name, takes a microsecond
        self._lines: list[bytes] = []
        self._parts: list[bytes] = []
        self._room, self.oversized = 0, False
        self.handle = handle = pycurl.Curl()
        handle.setopt(pycurl.URL, url)
        handle.setopt(pycurl.CUSTOMREQUEST, method)
        handle.setopt(pycurl.HTTPHEADER, headers)
        handle.setopt(pycurl.USERAGENT, "epc-registry")
        handle.setopt(pycurl.NOSIGNAL, 1)
        handle.setopt(pycurl.PROXY, "")
        handle.setopt(pycurl.ACCEPT_ENCODING, "")  # every one that libcurl can unpack
        handle.setopt(pycurl.CONNECTTIMEOUT_MS, round(CONNECT_S * 1000))
        handle.setopt(pycurl.HEADERFUNCTION, self._lines.append)
        handle.setopt(pycurl.WRITEFUNCTION, self._take)
        for option, place in authorities.items():
            handle.setopt(option, place)

    def begin(self, most: int) -> None:
        """Let a new reply come, of whose body so many bytes are taken."""
        self._lines.clear()
        self._room, self.oversized = most, False

    def carry(self, body: bytes) -> None:
        """Give the request its body, which is sent once.

        By default libcurl sends a request again, without a word, over a connection that broke
        before any byte of the reply, though it may have been answered, and billed. A stream is
        read once.
        """
        self.handle.setopt(self._libcurl.POST, 1)
        self.handle.setopt(self._libcurl.POSTFIELDSIZE_LARGE, len(body))
        self.handle.setopt(self._libcurl.READFUNCTION, BytesIO(body).read)

    def fill_in(self, form: Mapping[str, str | File]) -> None:
        """Give the request a form as its body."""
        mime = self._libcurl.CurlMime(self.handle)
        for name, value in form.items():
            part = mime.addpart()
            part.name(name)
            if isinstance(value, File):
                part.filename(value.name)
                part.type(value.kind)
            part.data(value.content if isinstance(value, File) else value.encode())
        self.handle.setopt(self._libcurl.MIMEPOST, mime)

    def close(self) -> None:
        """Give the memory back now: the handle and this hold on to one another."""
        self.handle.close()
        self._parts.clear()

    def reply(self) -> Reply:
        """Return what has come, and keep nothing. Of several heads, the last counts."""
        headers: dict[str, str] = {}
        for line in self._lines:
            name, colon, value = line.partition(b":")
            if not colon:
                headers = {} if line.startswith(b"HTTP/") else headers
            elif (lower := name.lower()) in _ALLOWED and value.isascii():
                headers.setdefault(lower.decode(), value.decode().strip())
        status = self.handle.getinfo(self._libcurl.RESPONSE_CODE)
        body = b"".join(self._parts)
        self._parts.clear()
        return Reply(status=status, headers=headers, body=body)

    def _take(self, part: bytes) -> int:
        """Take a part of the body. Another number than its length ends the transfer."""
        self._room -= len(part)
        self.oversized = self._room < 0
        if self.oversized:
            return -1
        self._parts.append(part)
        return len(part)


def _certificates() -> dict[int, str]:
    """Return where the certificates of authorities are, as options of libcurl.

    Raises: NoReplyError if there are none.
    """
    import pycurl

    own = {"SSL_CERT_FILE": pycurl.CAINFO, "SSL_CERT_DIR": pycurl.CAPATH}
    if named := {kind: os.environ[name] for name, kind in own.items() if os.environ.get(name)}:
        return named
    for path in _CERTIFICATES:
        if Path(path).exists():
            return {pycurl.CAINFO: path}
    raise NoReplyError(_NO_CERTIFICATES, sent=False)


def _encoded(content: Any) -> bytes:
    """Return a value as JSON; only Python writes the half of a surrogate pair, as an escape."""
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        return json.dumps(content).encode()


def most_connections() -> int:
    """Return how many connections one of two endpoints may hold within this process's limits."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(1, min(_MOST_CONNECTIONS, (soft - _OTHER_DESCRIPTORS) // 2))


def _authorization(key: str | None, user_info: str, *, bare: bool) -> dict[str, str]:
    """Return the header for a key or, without one, for the address's user and password.

    `bare`: the key stands by itself in a header of its own, as Azure wants it.
    """
    if key and bare:
        return {"api-key": key}
    if key:
        return {"Authorization": f"Bearer {key}"}
    if user_info:
        plain = unquote(user_info)
        plain = plain if ":" in plain else f"{plain}:"  # RFC 7617: there is always a colon
        return {"Authorization": f"Basic {b64encode(plain.encode()).decode()}"}
    return {}
