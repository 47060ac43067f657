"""A whole measurement through a server that others wrote, in a process of its own.

    python tests/studies/third_party_server.py build/third-party

llama.cpp's HTTP server comes with the package that the embedded models use. Here it listens on
loopback, has the embedded weights, and answers as any `llama-server` does: HTTP, JSON, queue, chat
template, tokens and errors are its own. `epc run` asks it as evaluator and executor, with the
probe: once for free text, where it stops the run and `epc resume` goes on, and once for a letter,
by a grammar of the server's. Then the embedded models are asked the very same questions in this
process, and answers and verdicts are held against each other.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from epc.engine.catalog import open_model
from epc.engine.local.weights import BASE
from epc.engine.model import Prompt
from epc.protocol.verdict import parse_verdict

MODEL: Final = f"llamacpp/{BASE.file}"
A_LETTER: Final = ("--body", 'grammar="root ::= \\"A\\" | \\"B\\""')
_EMBEDDED: Final = "local/smollm2-135m"
# So many tokens an embedded executor writes: the same answers are then to be expected.
_DESIGN: Final = ("--exhaustive", "--seeds", "0-9", "--executor-max-tokens", "80")
_LONGEST_S: Final = 120
# A thread more than free cores makes it many times slower: they wait for one another.
_SERVER: Final = """
import signal, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
params.n_parallel, params.n_ctx = 4, 4096
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_gpu_layers, params.ui, params.verbosity = 0, False, -1
server = xllamacpp.Server(params)
signal.pause()
"""


@contextmanager
def serving_weights() -> Iterator[str]:
    """Yield the address of a llama.cpp server with the embedded weights, once it is loaded."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [sys.executable, "-c", _SERVER, str(BASE.path()), str(port)]
    server = subprocess.Popen(arguments)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int) -> None:
    ends = time.monotonic() + _LONGEST_S
    while time.monotonic() < ends:
        with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            try:
                connection.request("GET", "/health")
                if connection.getresponse().status == HTTPStatus.OK:
                    return
            except (OSError, HTTPException):
                pass
        time.sleep(0.2)
    raise SystemExit("the server does not answer")


def main(out: Path) -> None:
    """Measure through the server and without it, and print what came out."""
    server = f"llama.cpp's server in xllamacpp {version('xllamacpp')}"
    began = time.monotonic()
    with serving_weights() as os.environ["LLAMACPP_BASE_URL"]:
        both_options = ("--executor", MODEL, *_DESIGN)
        _epc("run", "--evaluator", MODEL, *both_options, "--out", out / "served-text", ends=1)
        _epc("resume", out / "served-text")
        letter = (*A_LETTER, *_answers_of(out / "served-text"), "--out", out / "served-letter")
        _epc("run", "--evaluator", MODEL, *both_options, *letter)
    print(f"{server}: {time.monotonic() - began:.0f} s")
    for run, evaluator in (("text", _EMBEDDED), ("letter", f"{_EMBEDDED}-constrained")):
        _epc("validate", out / f"served-{run}")
        _report(out / f"served-{run}")
        asyncio.run(_compare(out / f"served-{run}", "evaluator", evaluator))
    asyncio.run(_compare(out / "served-text", "executor", _EMBEDDED))


def _answers_of(run: Path) -> tuple[str | Path, ...]:
    return ("--reuse-answers-of", run)


def _epc(*arguments: str | Path, ends: int = 0) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "epc", *map(str, arguments)], check=False
    ).returncode
    if ended != ends:
        raise SystemExit(f"epc {arguments[0]} exits {ended}, not {ends}")


def _report(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_bytes())
    provenance, calls = manifest["provenance"], _calls(run)
    print(f"\n{run.name}: calls {provenance['calls']}, retries {provenance['retries']}")
    print("served models:", {call["served_model"] for call in calls})
    print("fingerprints:", {call["system_fingerprint"] for call in calls})
    print("answers:", manifest["results"]["summary"]["diagnostics"]["answers"])


async def _compare(run: Path, role: str, embedded: str) -> None:
    """Ask an embedded model what a role was asked, and print how often both said the same."""
    model, calls = open_model(embedded), [row for row in _calls(run) if row["role"] == role]
    decoding = model.default_decoding(role)
    places = asyncio.Semaphore(model.concurrency)

    async def ask(text: str) -> str:
        async with places:
            return (await model.complete(Prompt(text=text), decoding)).text

    try:
        again = await asyncio.gather(*(ask(call["prompt"]) for call in calls))
    finally:
        await model.close()
    pairs = [(call["answer"], said) for call, said in zip(calls, again, strict=True)]
    texts = sum(served == said for served, said in pairs)
    verdicts = sum(parse_verdict(served) == parse_verdict(said) for served, said in pairs)
    of = f"{role}, {len(pairs)} questions to {embedded} too: {texts} got the same text"
    print(f"{of}, {verdicts} the same verdict" if role == "evaluator" else of)


def _calls(run: Path) -> list[Any]:
    return [json.loads(line) for line in (run / "calls.jsonl").read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
