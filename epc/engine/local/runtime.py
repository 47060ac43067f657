"""llama.cpp, embedded: one single-threaded server a core, several slots each, no TCP port.

Why this shape (measured on two cores, see ADR 4): a second server uses the second core without
the barriers that make a second thread slower than one beside a busy neighbour, and slots answer
several prompts at the price of reading the weights once. Micro-batches stay under 64 tokens,
because from there on the runtime takes another numeric path and the same prompt could get
another answer next to other prompts.
"""

import asyncio
import http.client
import json
import os
import socket
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from epc.engine.local.weights import Weights, weights_of
from epc.engine.model import Completion, Identity
from epc.errors import WorldError
from epc.protocol.results import Json

_MICRO_BATCH: Final = 32
_BATCH: Final = 512
SERVERS_VARIABLE: Final = "EPC_LOCAL_SERVERS"


class Stopped(Exception):  # noqa: N818  (a signal between threads, never shown)
    """The runtime was closed while a call was under way."""


class Runtime:
    """The loaded weights. They are loaded at first need, and again if used after closing."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._loaded: _Loaded | None = None

    def messages(self, prompt: str) -> list[Json]:
        """Return a prompt as the weights' chat template wants it."""
        return [
            {"role": "system", "content": self._weights.system_prompt},
            {"role": "user", "content": prompt},
        ]

    @property
    def places(self) -> int:
        """How many prompts are answered at once."""
        return server_count() * self._weights.slots

    async def stream(self, body: Json, *, chat: bool) -> list[Json]:
        """Return the chunks of one answer.

        Raises: WorldError if the runtime refuses; Stopped if it was closed meanwhile.
        """
        loaded = self._load()
        server = loaded.next_server()
        return await asyncio.get_running_loop().run_in_executor(
            loaded.pool, lambda: server.stream(body, chat=chat, stopping=loaded.stopping)
        )

    async def post(self, path: str, body: Json) -> Json:
        """Ask one of the runtime's own services, such as its tokeniser."""
        loaded = self._load()
        server = loaded.next_server()
        return await asyncio.get_running_loop().run_in_executor(
            loaded.pool, lambda: server.post(path, body)
        )

    def close(self) -> None:
        """Stop what is under way and unload; leaving a call running would crash at exit."""
        if self._loaded is not None:
            loaded, self._loaded = self._loaded, None
            loaded.close()

    def _load(self) -> "_Loaded":
        if self._loaded is None:
            self._loaded = _Loaded(self._weights)
        return self._loaded


class _Loaded:
    """The servers and the threads that wait for them."""

    def __init__(self, weights: Weights) -> None:
        self._servers = [_Server(weights) for _ in range(server_count())]
        self._turn = cycle(self._servers)
        self.stopping = threading.Event()
        places = server_count() * weights.slots
        self.pool = ThreadPoolExecutor(places, thread_name_prefix="local-model")

    def next_server(self) -> "_Server":
        """Return the servers in turn."""
        return next(self._turn)

    def close(self) -> None:
        self.stopping.set()
        self.pool.shutdown(wait=True, cancel_futures=True)
        for server in self._servers:
            server.close()


def server_count() -> int:
    """Return how many cores to use: all that this process may, unless told otherwise."""
    value = os.environ.get(SERVERS_VARIABLE, "")
    return max(1, int(value)) if value.isdecimal() else len(os.sched_getaffinity(0))


def describe() -> Json:
    """Return what identifies the runtime: other builds may give other answers (EPC-2.2)."""
    import xllamacpp

    return {
        "name": "xllamacpp",
        "version": xllamacpp.__version__,
        "processor": " ".join(xllamacpp.get_system_info().split()),
        "micro_batch": _MICRO_BATCH,
    }


class _Server:
    """llama.cpp server inside this process, listening on a private Unix socket only."""

    def __init__(self, weights: Weights) -> None:
        import xllamacpp

        self._folder = tempfile.TemporaryDirectory(prefix="epc-")
        self._socket = str(Path(self._folder.name) / "http.sock")  # .sock makes it no TCP address
        params = xllamacpp.CommonParams()
        params.model.path = str(weights.path())
        params.n_parallel, params.kv_unified = weights.slots, False
        params.n_ctx = weights.slots * weights.slot_tokens
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.n_ubatch, params.n_batch = _MICRO_BATCH, _BATCH
        params.cache_prompt, params.cache_ram_mib = False, 0
        params.verbosity, params.warmup, params.n_gpu_layers = -1, False, 0
        params.fit_params, params.offline, params.ui = False, True, False
        params.endpoint_slots, params.n_threads_http = False, 1
        params.hostnames = [self._socket]
        try:
            self._server: Any = xllamacpp.Server(params)
        except RuntimeError as error:
            self._folder.cleanup()
            raise WorldError(f"cannot load {weights.file}: {error}") from error

    def stream(self, body: Json, *, chat: bool, stopping: threading.Event) -> list[Json]:
        chunks: list[Json] = []

        def take(chunk: Json) -> bool:
            chunks.append(chunk)
            return stopping.is_set()

        if stopping.is_set():
            raise Stopped
        handle = self._server.handle_chat_completions if chat else self._server.handle_completions
        handle({**body, "stream": True, "cache_prompt": False}, take)
        refused = [chunk["error"] for chunk in chunks if "error" in chunk]
        if refused:
            raise WorldError(f"the embedded model refuses: {refused[0].get('message')}")
        if stopping.is_set():
            raise Stopped
        return chunks

    def post(self, path: str, body: Json) -> Json:
        connection = _UnixConnection(self._socket)
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer: Json = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise WorldError(f"the embedded runtime does not answer {path}: {error}") from error
        finally:
            connection.close()
        return answer

    def close(self) -> None:
        self._server = None
        self._folder.cleanup()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)


def identity_of(name: str, **details: object) -> Identity:
    """Return who answers: these weights under this runtime, and what more decides the answers."""
    weights = weights_of(name)
    return Identity(
        model=f"local/{name}",
        version=f"{weights.file} {weights.sha256[:12]}",
        endpoint="embedded",
        details={
            "weights": weights.described(),
            "runtime": describe(),
            "system_prompt": weights.system_prompt,
            **details,
        },
    )


@cache
def loaded(weights: Weights) -> Runtime:
    """Return the one runtime that every role with the weights shares."""
    return Runtime(weights)


def text(chunks: list[Json]) -> str:
    """Return what was written."""
    return "".join(choice["delta"].get("content") or "" for choice in _choices(chunks))


def ending(chunks: list[Json]) -> str | None:
    """Return why it ended there."""
    return next((c["finish_reason"] for c in _choices(chunks) if c["finish_reason"]), None)


def completion(model: str, chunks: list[Json], began: float, text: str) -> Completion:
    """Return what the weights answered, begun at a time of `time.monotonic`."""
    usage: Json = next((chunk["usage"] for chunk in chunks if "usage" in chunk), {})
    return Completion(
        text=text,
        served_model=model,
        finish_reason=ending(chunks),
        tokens_in=usage.get("prompt_tokens"),
        tokens_out=usage.get("completion_tokens"),
        latency_s=round(time.monotonic() - began, 6),
    )


def steps(chunks: list[Json]) -> list[Json]:
    """Return the tokens of an answer with what the model thought of each."""
    return [
        step
        for choice in _choices(chunks)
        for step in (choice.get("logprobs") or {}).get("content") or []
    ]


def _choices(chunks: list[Json]) -> list[Json]:
    return [choice for chunk in chunks for choice in chunk["choices"]]
