"""One HTTP client an endpoint: send a JSON body, get the reply's bytes, within a deadline.

aiohttp without an SDK on top: what the SDKs add (retries, types, streaming) is switched off or
done elsewhere here, and costs eight times the processor time of the request itself (ADR 7).
"""

import asyncio
import resource
import socket
from base64 import b64encode
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from epc.engine.secrets import redact

if TYPE_CHECKING:
    from aiohttp import ClientConnectorError, ClientSession

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
CONNECT_S: Final = 30.0
MAX_REPLY_BYTES: Final = 32 * 2**20
_MOST_CONNECTIONS: Final = 512
_OTHER_DESCRIPTORS: Final = 64  # for the run's own files, the loop and the libraries


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP reply: its status, the allowed headers in lower case, and its bytes.

    `whole` is false where it had more than the bytes that are taken.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True


class NoReplyError(Exception):
    """No whole reply came: refused, reset, cut short, too slow. Asking again may help.

    `sent`: the request may have arrived, and the endpoint may have acted on it.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class Transport:
    """The connections to one endpoint; opened at first need, closed with the run."""

    def __init__(self, base_url: str, *, key: str | None, bare_key: bool = False) -> None:
        parts = urlsplit(base_url)
        user_info, _, host = parts.netloc.rpartition("@")
        self._prefix = f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
        self._suffix = f"?{parts.query}" if parts.query else ""
        self._headers = _authorization(key, user_info, bare=bare_key)
        self._session: ClientSession | None = None

    async def request(
        self,
        method: str,
        path: str,
        *,
        deadline_s: float | None = None,
        most_bytes: int | None = None,
        **content: Any,
    ) -> Reply:
        """Send a request (`json=`, `data=`) and return the reply.

        Of its body the first bytes are taken, as many as `most_bytes` or `MAX_REPLY_BYTES`.

        Raises: NoReplyError if there is none within the deadline.
        """
        import aiohttp

        most = MAX_REPLY_BYTES if most_bytes is None else most_bytes
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers=self._headers,
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                auto_decompress=True,
            )
        try:
            async with (
                nullcontext() if deadline_s is None else asyncio.timeout(deadline_s),
                self._session.request(
                    method,
                    f"{self._prefix}{path}{self._suffix}",
                    allow_redirects=False,
                    **content,
                ) as reply,
            ):
                parts = [await reply.content.read(most + 1)]
                while not reply.content.at_eof() and (room := most + 1 - sum(map(len, parts))) > 0:
                    parts.append(await reply.content.read(room))
        except aiohttp.ConnectionTimeoutError:
            raise NoReplyError(f"no connection within {CONNECT_S:g} s", sent=False) from None
        except TimeoutError:
            raise NoReplyError(f"no whole reply within {deadline_s:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise NoReplyError(redact(_unconnected(error)), sent=False) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NoReplyError(redact(f"{type(error).__name__}: {error}")) from None
        body = b"".join(parts)
        kept = {name: reply.headers[name] for name in ALLOWED_HEADERS if name in reply.headers}
        return Reply(status=reply.status, headers=kept, body=body[:most], whole=len(body) <= most)

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _unconnected(error: "ClientConnectorError") -> str:
    """Return in words why there is no connection."""
    if isinstance(error.os_error, socket.gaierror):
        return f"there is no host {error.host}"
    if isinstance(error.os_error, ConnectionRefusedError):
        return "nothing listens there"
    return f"no connection: {error.os_error.strerror or error}"


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
