"""HTTP client of an endpoint: send a body, get the reply's bytes, within a deadline.

aiohttp without an SDK on top: what the SDKs add (retries, types, streaming) is done elsewhere here,
and costs many times the processor time of the request itself (ADR 7).
"""

import json
import resource
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from epc.engine.secrets import redact

if TYPE_CHECKING:
    from aiohttp import ClientConnectorError, ClientSession, StreamReader

# Reply headers that may be kept; anything else could carry a secret or a cookie.
ALLOWED_HEADERS: Final = (
    "anthropic-ratelimit-requests-limit",
    "anthropic-ratelimit-requests-remaining",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-limit",
    "anthropic-ratelimit-tokens-remaining",
    "anthropic-ratelimit-tokens-reset",
    "content-type",
    "openai-processing-ms",
    "openai-version",
    "retry-after",
    "retry-after-ms",
    "request-id",
    "x-amzn-requestid",
    "x-request-id",
    "x-ratelimit-limit-requests",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
)
CONNECT_S: Final = 30.0
MAX_REPLY_BYTES: Final = 32 * 2**20
_LONGEST_HEADER: Final = 2**16
_MOST_CONNECTIONS: Final = 512
_OTHER_DESCRIPTORS: Final = 64  # for the run's own files, the loop and the libraries
_AUTHORITIES: Final = "install ca-certificates, or name a file of authorities in SSL_CERT_FILE"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP reply: its status, the allowed headers in lower case, and its bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NoReplyError(Exception):
    """No whole reply came: refused, reset, cut short, too slow. Asking again may help.

    `sent`: the request may have arrived, and the endpoint may have acted on it.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class Transport:
    """The connections to one endpoint; opened at first need, closed with the run.

    No redirect is followed, no cookie kept, no proxy known, and no POST sent twice.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None,
        key_header: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        parts = urlsplit(base_url)
        user_info, _, host = parts.netloc.rpartition("@")
        self._host = parts.hostname
        self._prefix = f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
        self._suffix = f"?{parts.query}" if parts.query else ""
        self._headers = {**(headers or {}), **_authorization(key, user_info, key_header)}
        self._session: ClientSession | None = None

    async def post(self, path: str, content: Any) -> Reply:
        """Send `content` as JSON, and return the reply.

        Raises: NoReplyError if there is none, or its body is larger than `MAX_REPLY_BYTES`.
        """
        import aiohttp

        if self._session is None:
            self._session = _session(self._headers)
        exchange = self._session.post(
            f"{self._prefix}{path}{self._suffix}",
            data=_encoded(content),
            allow_redirects=False,
        )
        try:
            async with exchange as reply:
                body = await _body(reply.content)
        except aiohttp.ConnectionTimeoutError:
            raise NoReplyError(f"no connection within {CONNECT_S:g} s", sent=False) from None
        except aiohttp.ClientConnectorError as error:
            raise self._unconnected(error) from None
        except aiohttp.ClientError as error:
            message = " ".join(str(error).split()) or type(error).__name__
            raise NoReplyError(redact(message)) from None
        headers_to_keep = {
            n: v for n in ALLOWED_HEADERS if (v := reply.headers.get(n, "")) and v.isascii()
        }
        return Reply(status=reply.status, headers=headers_to_keep, body=body)

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _unconnected(self, error: "ClientConnectorError") -> NoReplyError:
        """Return why there was no connection to send a request over."""
        from aiohttp import ClientConnectorCertificateError, ClientConnectorDNSError

        match error:
            case ClientConnectorDNSError():
                message = f"there is no host {self._host}"
            case ClientConnectorCertificateError():
                message = f"no trusted certificate: {error.certificate_error} ({_AUTHORITIES})"
            case _ if isinstance(error.os_error, ConnectionRefusedError):
                message = "nothing listens there"
            case _:
                message = f"no connection: {error.os_error}"
        return NoReplyError(redact(message), sent=False)


def _session(headers: Mapping[str, str]) -> "ClientSession":
    from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

    return ClientSession(
        connector=TCPConnector(limit=most_connections()),
        cookie_jar=DummyCookieJar(),
        headers={"User-Agent": "epc-registry", "Content-Type": "application/json", **headers},
        max_field_size=_LONGEST_HEADER,
        timeout=ClientTimeout(total=None, sock_connect=CONNECT_S),
    )


async def _body(stream: "StreamReader") -> bytes:
    """Return a reply's body.

    Raises: NoReplyError if it has more bytes than are taken.
    """
    parts: list[bytes] = []
    left = MAX_REPLY_BYTES
    while part := await stream.readany():
        parts.append(part)
        left -= len(part)
        if left < 0:
            raise NoReplyError(f"the reply has more than {MAX_REPLY_BYTES:,} bytes")
    return b"".join(parts)


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


def _authorization(key: str | None, user_info: str, key_header: str | None) -> dict[str, str]:
    """Return the header for a key or, without one, for the address's user and password.

    The key stands by itself in the `key_header`, where a provider has one.
    """
    if key and key_header:
        return {key_header: key}
    if key:
        return {"Authorization": f"Bearer {key}"}
    if user_info:
        plain = unquote(user_info)
        plain = plain if ":" in plain else f"{plain}:"  # RFC 7617: there is always a colon
        return {"Authorization": f"Basic {b64encode(plain.encode()).decode()}"}
    return {}
