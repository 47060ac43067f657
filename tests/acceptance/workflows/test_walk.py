"""Every workflow walked: the commands in YAML are run, in order, in a clean clone."""

import json
import re
import ssl
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from engine_support import epc
from registry_support import git
from workflow_support import (
    ELSEWHERE,
    ROOT,
    Forge,
    Json,
    Runner,
    all_workflows,
    ended,
    github_says,
    steps,
    workflow,
    zipped,
)

from epc.registry.reading import of_folder
from epc.registry.upkeep.links import addresses


def test_nothing_is_left_out_that_no_workflow_runs() -> None:
    commands = {step.get("run") for name in all_workflows() for _, step in steps(workflow(name))}

    assert set(ELSEWHERE) <= commands


@pytest.mark.parametrize("job", workflow("ci.yml")["jobs"])
def test_ci_passes_in_a_clean_clone(origin: Path, evidence: Path, tmp_path: Path, job: str) -> None:
    runner = Runner(home=tmp_path, origin=origin, evidence=evidence)

    runner.walk("ci.yml", only=job)

    assert runner.failed == [], runner.said
    mine = [step.get("run") for name, step in steps(workflow("ci.yml")) if name == job]
    assert runner.ran == list(filter(None, mine))


GONE = "arxiv.org"


class _Web(BaseHTTPRequestHandler):
    """The whole web, as a proxy on loopback that speaks for every host."""

    certificate: Path

    def do_CONNECT(self) -> None:
        self.send_response(200)
        self.end_headers()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.certificate.with_suffix(".key"))
        host = self.path.partition(":")[0]
        with context.wrap_socket(self.connection, server_side=True) as inner:
            inner.recv(65_536)
            word = b"404 Not Found" if host == GONE else b"200 OK"
            inner.sendall(b"HTTP/1.1 " + word + b"\r\nContent-Length: 0\r\n\r\n")

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Yield the variables by which a program sees the web of this test and no other."""
    known = addresses(ROOT, of_folder(ROOT))
    hosts = sorted({urlsplit(address).hostname or "" for address in known})
    made = tmp_path / "web.pem"
    names = ",".join(f"DNS:{host}" for host in hosts)
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    own = ["-nodes", "-days", "36500", "-subj", "/CN=test", "-addext", f"subjectAltName={names}"]
    files = ["-keyout", str(made.with_suffix(".key")), "-out", str(made)]
    subprocess.run([*request, *own, *files], check=True, capture_output=True)
    handler = type("Web", (_Web,), {"certificate": made})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        proxy = f"http://127.0.0.1:{server.server_port}"
        yield {"http_proxy": proxy, "https_proxy": proxy, "SSL_CERT_FILE": str(made)}
        server.shutdown()


@pytest.fixture
def index(tmp_path: Path) -> dict[str, str]:
    """Return the variables by which pip finds a newer list than the installed one."""
    told = {
        "provider": "OpenAI",
        "model_id": "gpt-4o-2024-08-06",
        "shutdown_date": "2027-03-01",
        "replacement_models": [],
        "url": "https://list.example/`-```` </pre> @everyone",
        "last_observed": "2026-11-20",
    }
    about = "Metadata-Version: 2.1\nName: llm-sunset\nVersion: 99.0\n"
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / "llm_sunset-99.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("llm_sunset/snapshot.json", json.dumps([told]))
        wheel.writestr("llm_sunset/__init__.py", "raise SystemExit('it was imported')")
        wheel.writestr("llm_sunset-99.0.dist-info/METADATA", about)
        wheel.writestr("llm_sunset-99.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("llm_sunset-99.0.dist-info/RECORD", "")
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}


def test_the_daily_issue_is_opened_then_changed(
    origin: Path, tmp_path: Path, web: dict[str, str], index: dict[str, str]
) -> None:
    """On the day of the tests' clock, 2026-11-22."""
    answers: Json = {"issues?state=open&per_page=100&page=1": []}
    runner = Runner(home=tmp_path / "a", origin=origin, answers=answers, more=web | index)

    runner.walk("expiry.yml")

    assert runner.failed == [], runner.said
    (opened,) = runner.calls("POST")
    assert (opened["path"], opened["body"]["title"]) == ("issues", "What the registry needs")
    text = opened["body"]["body"]
    assert text.startswith("<!-- epc-upkeep -->\n")
    assert "v1.0-GPT4o-0806 2026-11-23 (stale)" in text
    assert '+        "date": "2027-03-01"' in text
    assert f"https://{GONE}/" in text
    assert "</pre> @everyone" in fenced(text)

    before = {"number": 7, "body": "<!-- epc-upkeep -->\nyesterday", "user": {"login": BOT}}
    answers = {"issues?state=open&per_page=100&page=1": [before]}
    again = Runner(home=tmp_path / "b", origin=origin, answers=answers, more=web | index)
    again.walk("expiry.yml")

    (changed,) = again.calls("PATCH", "POST")
    assert (changed["method"], changed["path"]) == ("PATCH", "issues/7")
    assert changed["body"] == {"body": text}


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a measurement by mock models, of seeds that nothing published has."""
    folder = tmp_path_factory.mktemp("run") / "run"
    models = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
    done = epc("run", *models, "--seeds", "100-119", "--rounds", "12", "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def submit(forge: Forge, run: Path) -> str:
    """Make a submission in the contributor's clone as the guide says, and return its slug."""
    who = (
        "--contributor",
        "A. Name",
        "--login",
        "a-name",
        "--licence",
        "CC-BY-4.0",
        "--conflicts",
        "none",
    )
    words = ("submission", "new", run, *who, "--endpoint", "direct")
    done = epc(*words, cwd=forge.work)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()).name


def test_a_submission_is_checked_without_a_token_and_commented_on(
    origin: Path, tmp_path: Path, run: Path
) -> None:
    forge = Forge(origin, tmp_path)
    slug = submit(forge, run)
    event = forge.offer(7)

    checked = Runner(home=tmp_path / "checked", origin=forge.origin, event=event)
    checked.walk("submission.yml")

    assert checked.failed == [], checked.said
    report = json.loads(checked.artifacts["submission-report"].read_text())
    assert (report["ok"], report["submissions"][0]["slug"]) == (True, slug)
    assert checked.calls() == [], "it asks nothing of GitHub that needs a token"

    content = checked.artifacts["submission-report"].read_bytes()
    archive = zipped(tmp_path / "upload.zip", {"report.json": content})
    offered = forge.work / "submissions" / slug
    files = [path.relative_to(forge.work).as_posix() for path in offered.iterdir()]
    reported = Runner(
        home=tmp_path / "reported",
        origin=forge.origin,
        event=ended(event),
        answers=github_says(event, files, archive),
    )
    reported.walk("report.yml")

    assert reported.failed == [], reported.said
    (comment,) = reported.calls("POST", "PATCH")
    assert comment["path"] == "issues/7/comments"
    assert comment["body"]["body"].startswith("<!-- epc-submission-report -->\n")
    assert slug in comment["body"]["body"]


def test_a_pull_request_of_anything_else_passes_the_check_that_main_requires(
    origin: Path, tmp_path: Path
) -> None:
    """A check that a filter of paths keeps from starting is waited for until somebody gives up."""
    forge = Forge(origin, tmp_path)
    (forge.work / "README.md").write_text("# Another beginning\n")
    runner = Runner(home=tmp_path / "run", origin=forge.origin, event=forge.offer(7))

    runner.walk("submission.yml")

    assert workflow("submission.yml")["on"] == {"pull_request": {"branches": ["main"]}}
    assert runner.failed == [], runner.said
    report = json.loads(runner.artifacts["submission-report"].read_text())
    assert (report["ok"], report["submissions"], report["findings"]) == (True, [], [])


def test_a_merged_submission_is_published_pushed_and_deployed(
    origin: Path, evidence: Path, tmp_path: Path, run: Path
) -> None:
    forge = Forge(origin, tmp_path)
    submit(forge, run)
    forge.offer(7)
    forge.merge(7)
    published = Runner(
        home=tmp_path / "published",
        origin=forge.origin,
        evidence=evidence,
        more={"SOURCE_DATE_EPOCH": day_of_the_last_event()},
    )

    published.walk("publish.yml")

    assert published.failed == [], published.said
    assert git(forge.origin, "cat-file", "-t", "v1.1-CoinFlip") == "tag\n"
    made = {path.name for path in (ROOT / "snapshots").glob("v*")} | {"v1.1-CoinFlip"}
    assert set(git(forge.origin, "tag", "--list").split()) == made, "those it lacked, too"
    tree = git(forge.origin, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert "snapshots/v1.1-CoinFlip/SHA256SUMS" in tree
    assert [name for name in tree if "submissions/" in name[:12]] == ["submissions/README.md"]


def day_of_the_last_event() -> str:
    """Return the day on which the registry stands: no event may come before it."""
    last = json.loads((ROOT / "snapshots" / "events.jsonl").read_text().splitlines()[-1])
    return str(int(datetime.fromisoformat(f"{last['date']}T00:00:00+00:00").timestamp()))


BOT = "github-actions[bot]"


def fenced(text: str) -> str:
    """Return what stands in fenced blocks, as CommonMark ends them."""
    kept, fence = [], ""
    for line in text.splitlines():
        match = re.fullmatch(r"(`{3,})(\w*)", line)
        if fence and match and len(match[1]) >= len(fence) and not match[2]:
            fence = ""
        elif not fence and match:
            fence = match[1]
        elif fence:
            kept.append(line)
    assert not fence
    return "\n".join(kept)
