"""Every workflow walked: the commands in YAML are run, in order, in a clean clone."""

import json
import os
import re
import ssl
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from endpoint_support import serving
from program_support import as_text, run_program
from registry_support import git
from web_support import listening
from workflow_support import (
    ELSEWHERE,
    ROOT,
    Forge,
    Json,
    Runner,
    all_workflows,
    steps,
    workflow,
)

from epc.registry.reading import of_folder
from epc.registry.upkeep.links import addresses


def test_nothing_is_left_out_that_no_workflow_runs() -> None:
    commands = {step.get("run") for name in all_workflows() for _, step in steps(workflow(name))}

    assert set(ELSEWHERE) <= commands


def passed(runner: Runner, job: str) -> None:
    """Walk a job of CI, of which every step passes."""
    runner.walk("ci.yml", job)

    assert runner.failed == [], runner.said
    mine = [step.get("run") for name, step in steps(workflow("ci.yml")) if name == job]
    assert runner.ran == list(filter(None, mine))


@pytest.mark.slow
@pytest.mark.parametrize("job", [job for job in workflow("ci.yml")["jobs"] if job != "published"])
def test_ci_passes_in_a_clean_clone(origin: Path, tmp_path: Path, job: str) -> None:
    passed(Runner(home=tmp_path, origin=origin), job)


@pytest.mark.slow
@pytest.mark.nightly("test_dvc_measures_as_params_say_and_gives_the_run_back_byte_for_byte")
def test_ci_reproduces_what_is_published_and_dvc_then_has_nothing_to_do(
    origin: Path, tmp_path: Path
) -> None:
    """The whole pipeline, once: it recomputes a snapshot of each kind and builds the site."""
    runner = Runner(home=tmp_path, origin=origin)

    passed(runner, "published")

    clone = tmp_path / "published" / "clone"
    pipeline = clone / "pipeline"

    def dvc(*arguments: str) -> str:
        done = subprocess.run(
            [clone / ".venv" / "bin" / "dvc", "--cd", pipeline, *arguments],
            env=os.environ | {"DVC_NO_ANALYTICS": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert json.loads((pipeline / "findings.json").read_text())["ok"] is True
    assert (clone / "public" / "index.html").is_file()
    assert git(clone, "status", "--porcelain") == ""
    assert "Data and pipelines are up to date." in dvc("repro")

    store = clone / "snapshots" / ".store"
    raw = min(path for path in store.rglob("*") if path.is_file())
    raw.chmod(0o644)
    raw.write_bytes(raw.read_bytes() + b"\n")
    assert {"recompute", "site"} <= json.loads(dvc("status", "--json")).keys()


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


@pytest.fixture
def web(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Yield the variables by which a program sees the web of this test and no other."""
    known = addresses(ROOT, of_folder(ROOT))
    hosts = sorted({urlsplit(address).hostname or "" for address in known})
    path = tmp_path / "web.pem"
    names = ",".join(f"DNS:{host}" for host in hosts)
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    own_options = [
        "-nodes",
        "-days",
        "36500",
        "-subj",
        "/CN=test",
        "-addext",
        f"subjectAltName={names}",
    ]
    files = ["-keyout", str(path.with_suffix(".key")), "-out", str(path)]
    subprocess.run([*request, *own_options, *files], check=True, capture_output=True)
    with listening(_Web, certificate=path) as proxy:
        yield {"http_proxy": proxy, "https_proxy": proxy, "SSL_CERT_FILE": str(path)}


@pytest.fixture
def index(tmp_path: Path) -> dict[str, str]:
    """Return the variables by which pip finds newer lists, and npm none; one package is gone."""
    listed_model = {
        "provider": "OpenAI",
        "model_id": "gpt-4o-2024-08-06",
        "shutdown_date": "2027-03-01",
        "replacement_models": [],
        "url": "https://list.example/`-```` </pre> @everyone",
        "last_observed": "2026-11-20",
    }
    chat = {"mode": "chat", "litellm_provider": "openai"}
    prices = {"commit": "0" * 40, "committed_at": "2026-11-20", "source": "https://prices.example"}
    lists: dict[str, tuple[str, object]] = {
        "llm_sunset": ("llm_sunset/snapshot.json", [listed_model]),
        "bydtech_model_retire": ("model_retire/models.json", {"models": []}),
        "model_prices": ("model_prices/snapshot.json", {"models_dev": prices, "prices": {}}),
        "litellm": (
            "litellm/model_prices_and_context_window_backup.json",
            {"gpt-4o": chat, "nobody/knows-1": chat},
        ),
    }
    folder = tmp_path / "index"
    folder.mkdir()
    for name, (place, content) in lists.items():
        about = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 99.0\n"
        kind = "Wheel-Version: 1.0\nTag: py3-none-any\n"
        with zipfile.ZipFile(folder / f"{name}-99.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(place, json.dumps(content))
            wheel.writestr(f"{name}/__init__.py", "raise SystemExit('it was imported')")
            wheel.writestr(f"{name}-99.0.dist-info/METADATA", about)
            wheel.writestr(f"{name}-99.0.dist-info/WHEEL", kind)
            wheel.writestr(f"{name}-99.0.dist-info/RECORD", "")
    # Where there is no network, npm would wait for it for 70 s each time.
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder),
        "npm_config_fetch_retries": "0",
    }


def test_the_daily_issue_is_opened(
    origin: Path, tmp_path: Path, web: dict[str, str], index: dict[str, str]
) -> None:
    """On the day of the tests' clock, 2026-11-22."""
    answers: Json = {"issues?state=open&per_page=100&page=1": []}
    runner = Runner(home=tmp_path, origin=origin, answers=answers, more=web | index)

    runner.walk("expiry.yml")

    assert runner.failed == [], runner.said
    (opened,) = runner.calls("POST")
    assert (opened["path"], opened["body"]["title"]) == ("issues", "What the registry needs")
    text = opened["body"]["body"]
    assert text.startswith("<!-- epc-upkeep -->\n")
    # Reading R103: last measured on 2026-06-27, and good for 180 days.
    assert "v1.0-GPT4o-0806 2026-12-24 (stale)" in text
    assert '+        "date": "2027-03-01"' in text
    assert f"https://{GONE}/" in text
    assert "</pre> @everyone" in fenced(text)
    assert "ids of litellm 99.0 that can judge text: 2; with a state: 1 (50.0%)" in text
    assert "1 nothing is known by that name: nobody/knows-1" in fenced(text)


@pytest.mark.nightly("test_the_open_one_is_changed_once")
def test_the_daily_issue_is_changed(
    origin: Path, tmp_path: Path, web: dict[str, str], index: dict[str, str]
) -> None:
    before = {"number": 7, "body": "<!-- epc-upkeep -->\nyesterday", "user": {"login": BOT}}
    answers: Json = {"issues?state=open&per_page=100&page=1": [before]}
    runner = Runner(home=tmp_path, origin=origin, answers=answers, more=web | index)

    runner.walk("expiry.yml")

    (changed,) = runner.calls("PATCH", "POST")
    assert (changed["method"], changed["path"]) == ("PATCH", "issues/7")
    assert "v1.0-GPT4o-0806 2026-12-24 (stale)" in changed["body"]["body"]


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
    assert runner.summary.startswith("### There is no submission to check.\n")
    assert runner.artifacts == {}


def test_a_fork_measures_attests_and_offers(origin: Path, tmp_path: Path) -> None:
    """What a contributor downloads from the run is what `submission new` takes."""
    mock = "mock/deterministic"
    inputs = {"evaluators": mock, "executor": mock, "seeds": "0-29", "max-cost": "1"}
    key = "sk-" + "test-Ab3dEf6hIj9kLm2nOp5qRs8t"
    runner = Runner(
        home=tmp_path, origin=origin, event={"inputs": inputs}, secrets={"OPENAI_API_KEY": key}
    )

    runner.walk("measure.yml")

    assert runner.failed == [], runner.said
    run, fork = runner.artifacts["run"], tmp_path / "measure" / "clone"
    assert not any(key in path.read_text() for path in run.iterdir())
    record = ("manifest.json", "calls.jsonl", "trials.jsonl", "weights.jsonl")
    assert {f"build/run/{name}" for name in record} <= set(runner.attested)
    options = ("--contributor", "A. Name", "--login", "a-name", "--conflicts", "none")
    new = run_program("submission", "new", run, *options, "--licence", "CC-BY-4.0", cwd=fork)
    assert new.returncode == 0, new.stderr
    folder = Path(new.stdout.decode().strip())
    done = as_text(run_program("submission", "check", folder, cwd=fork))
    assert done.returncode == 0, done.stdout
    assert "This submission can be published." in done.stdout


@pytest.mark.slow
@pytest.mark.nightly("test_a_fork_measures_attests_and_offers")
def test_once_a_month_the_listed_judges_are_forecast_then_measured_within_the_budget(
    origin: Path, tmp_path: Path
) -> None:
    """Two judges of one executor, over HTTP; the executor is asked once for both."""
    judges = "openai/gpt-4o-mini-2024-07-18 openai/gpt-4o-2024-08-06"
    named = {"EVALUATORS": judges, "EXECUTOR": "openai/gpt-4o-mini-2024-07-18", "MAX_COST": "5"}
    with serving() as endpoint:
        runner = Runner(
            home=tmp_path,
            origin=origin,
            secrets={"OPENAI_API_KEY": "sk-test"},
            variables={f"MEASURE_{name}": value for name, value in named.items()},
            more={"OPENAI_BASE_URL": endpoint.url},
        )
        runner.walk("measure.yml")

    assert runner.failed == [], runner.said
    forecast, _, _ = runner.said.partition("--max-cost")
    assert all(f"{model} calls" in forecast for model in judges.split())
    runs = sorted(path.parent.name for path in runner.artifacts["run"].glob("*/manifest.json"))
    assert len(runs) == 2
    asked = Counter(request.body["model"] for request in endpoint.received)
    answers, verdicts = 176, 176  # 11 strategies and 8 tasks in each of two domains
    assert asked["gpt-4o-2024-08-06"] >= verdicts
    assert asked["gpt-4o-mini-2024-07-18"] - asked["gpt-4o-2024-08-06"] == answers


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
