"""One HTTP client an endpoint: send a body, get the reply's bytes, within a deadline.

reqwest without an SDK on top: what the SDKs add (retries, types, streaming) is switched off or
done elsewhere here, and costs many times the processor time of the request itself (ADR 7).
"""

import asyncio
import json
import resource
from base64 import b64encode
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from epc.engine.secrets import redact

if TYPE_CHECKING:
    from pyreqwest.client import Client
    from pyreqwest.exceptions import RequestError
    from pyreqwest.multipart import FormBuilder
    from pyreqwest.response import Response

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
# How hyper and the system call what went wrong.
_CONNECTING: Final = "client error (Connect)"
_NO_ADDRESS: Final = "dns error"
_REFUSED: Final = "refused"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
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
        self._host = parts.hostname
        self._prefix = f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
        self._suffix = f"?{parts.query}" if parts.query else ""
        self._headers = _authorization(key, user_info, bare=bare_key)
        self._client: Client | None = None

    async def request(
        self,
        method: str,
        path: str,
        *,
        content: Any = None,
        form: "FormBuilder | None" = None,
        headers: Mapping[str, str] | None = None,
        deadline_s: float | None = None,
        most_bytes: int | None = None,
    ) -> Reply:
        """Send a request, with `content` as JSON or a form, and return the reply.

        Of its body the first bytes are taken, as many as `most_bytes` or `MAX_REPLY_BYTES`.

        Raises: NoReplyError if there is none within the deadline.
        """
        from pyreqwest.exceptions import ConnectTimeoutError, RequestError

        most = MAX_REPLY_BYTES if most_bytes is None else most_bytes
        if self._client is None:
            self._client = _client(self._headers, encrypted=self._prefix.startswith("https:"))
        request = self._client.request(method, f"{self._prefix}{path}{self._suffix}")
        if headers:
            request = request.headers(headers)
        if content is not None:
            request = request.header("Content-Type", "application/json")
            request = request.body_bytes(_encoded(content))
        if form is not None:
            request = request.multipart(form)
        try:
            async with (
                nullcontext() if deadline_s is None else asyncio.timeout(deadline_s),
                request.build_streamed() as reply,
            ):
                taken = await _body(reply, most + 1)
                return Reply(
                    status=reply.status,
                    headers=_kept(reply),
                    body=taken[:most],
                    whole=len(taken) <= most,
                )
        except ConnectTimeoutError:
            raise NoReplyError(f"no connection within {CONNECT_S:g} s", sent=False) from None
        except RequestError as error:
            sent, message = self._failure(error)
            raise NoReplyError(redact(message), sent=sent) from None
        except TimeoutError:
            raise NoReplyError(f"no whole reply within {deadline_s:g} s") from None

    async def close(self) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _failure(self, error: "RequestError") -> tuple[bool, str]:
        """Return whether a request that failed may have arrived, and in words why it failed."""
        match error.details:
            case {"causes": list(stated)}:
                causes = [str(text) for cause in stated for text in cause.values()]
            case _:
                causes = []
        last = causes[-1] if causes else str(error)
        if _CONNECTING not in causes:
            return True, last
        if _NO_ADDRESS in causes:
            return False, f"there is no host {self._host}"
        if _REFUSED in last.lower():
            return False, "nothing listens there"
        return False, f"no connection: {last}"


def _client(headers: Mapping[str, str], *, encrypted: bool) -> "Client":
    """Return a client that follows no redirect, keeps no cookie and knows no proxy.

    Raises: NoReplyError if the system has no certificates to check an encrypted endpoint by.
    """
    from pyreqwest.client import ClientBuilder
    from pyreqwest.exceptions import BuilderError

    builder = ClientBuilder().no_proxy().follow_redirects(enable=False)
    builder = builder.default_headers(dict(headers))
    if not encrypted:  # there is no certificate to check, so the system's are not read
        builder = builder.danger_accept_invalid_certs(enable=True)
    try:
        return builder.connect_timeout(timedelta(seconds=CONNECT_S)).build()
    except BuilderError:
        missing = "this system has no certificates of authorities: install ca-certificates"
        raise NoReplyError(missing, sent=False) from None


def _encoded(content: Any) -> bytes:
    """Return a value as JSON; only Python writes the half of a surrogate pair, as an escape."""
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        return json.dumps(content).encode()


async def _body(reply: "Response", most: int) -> bytes:
    """Read a reply's body to its end, or as many bytes of it."""
    taken = bytearray()
    while len(taken) < most and (part := await reply.body_reader.read(most - len(taken))):
        taken += part
    return bytes(taken)


def _kept(reply: "Response") -> dict[str, str]:
    """Return the headers that may be kept, but for what is no text."""
    kept = {}
    for name in ALLOWED_HEADERS:
        try:
            value = reply.get_header(name)
        except ValueError:
            continue
        if value is not None:
            kept[name] = value
    return kept


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
