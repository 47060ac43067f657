"""Real run folders for the tests of records, made through the product, and hands to change them."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from program_support import PROGRAM, Done, run_program

from epc.audit.competence import summary
from epc.engine.budget import Limits
from epc.engine.plan import Reuse
from epc.engine.progress import Progress
from epc.engine.request import Request
from epc.engine.session import measure, start
from epc.errors import Finding
from epc.records.findings import Findings
from epc.records.layout import MANIFEST, RAW, describe
from epc.records.manifest import Manifest
from epc.records.probes import read_probes
from epc.records.recompute import load_manifest
from epc.records.strict_json import dumps, dumps_line
from epc.records.validate import Report, validate
from epc.spec.epc_v1 import ControlMethod

NOW = datetime(2026, 7, 2, 12, tzinfo=UTC)

# Two strategies, one task a domain: the smallest set that recorded verdicts can be about.
ONLY_TIES = "strategy,domain,task,verdict\n" + "".join(
    f"{strategy},{domain},one,tie\n" for strategy in ("x", "y") for domain in ("text", "visual")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run folder that a test owns."""

    folder: Path

    def manifest(self) -> Any:
        return json.loads((self.folder / MANIFEST).read_text("utf-8"))

    def parsed(self) -> Manifest:
        return Manifest.parse(self.manifest())

    def rows(self, name: str) -> list[Any]:
        text = (self.folder / RAW[name]).read_text("utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    def save(self, manifest: Any, *, described: bool = True) -> None:
        """Write a manifest; `described` makes it own up to the raw files as they now are."""
        if described and isinstance(manifest.get("raw"), dict):
            manifest = {**manifest, "raw": describe(self.folder)}
        (self.folder / MANIFEST).write_text(dumps(manifest), "utf-8")

    def save_rows(self, name: str, rows: list[Any]) -> None:
        """Write a raw file, and a manifest that owns up to it."""
        text = "".join(dumps_line(row) for row in rows)
        (self.folder / RAW[name]).write_text(text, "utf-8")
        self.save(self.manifest())

    def edit_row(self, name: str, index: int, **values: Any) -> None:
        rows = self.rows(name)
        rows[index].update(values)
        self.save_rows(name, rows)

    def edit(self, change: Callable[[Any], object]) -> None:
        """Change the manifest in place."""
        manifest = self.manifest()
        change(manifest)
        self.save(manifest)

    def validate(self) -> Report:
        return validate(self.folder)

    def without_raw(self) -> None:
        """Leave the manifest alone in the folder."""
        self.save({**self.manifest(), "raw": None})
        for name in RAW.values():
            (self.folder / name).unlink()


def make_run(
    folder: Path,
    *,
    evaluator: str = "mock/deterministic",
    executor: str | None = "mock/deterministic",
    seeds: int = 1,
    first: int = 0,
    rounds: int = 2,
    exhaustive: bool = False,
    reuse: Reuse | None = None,
    control: ControlMethod = "simulated",
) -> Run:
    """Measure, as `epc run` does."""
    request = Request(
        evaluator=evaluator,
        executor=executor,
        seeds=list(range(first, first + seeds)),
        rounds=rounds,
        reuse=reuse,
        exhaustive=exhaustive,
        control=control,
    )
    opened = start(request, folder, now=NOW)
    limits = Limits(cache=False)
    asyncio.run(measure(opened, folder, clock=lambda: NOW, watch=_unseen, limits=limits))
    return Run(folder=folder)


@asynccontextmanager
async def _unseen(_: Progress) -> AsyncIterator[None]:
    yield


def places(report: Report) -> set[tuple[str, str]]:
    """Return where a report found errors, and the clauses it cites there."""
    return {(f.where, f.clause) for f in report.findings if f.severity == "error"}


def epc(*args: str | Path, stdin: bytes = b"") -> Done:
    """Run the program to its end."""
    return run_program(*args, stdin=stdin)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Every run that the tests start from; no test changes these."""
    home = tmp_path_factory.mktemp("made")
    return {
        "flip": make_run(home / "flip", evaluator="mock/coin-flip", seeds=3, rounds=5),
        "exhaustive": make_run(home / "exhaustive", seeds=3, rounds=5, exhaustive=True),
        "tiny": make_run(home / "tiny", seeds=2, rounds=2),
        "single": make_run(home / "single", seeds=1, rounds=2),
    }


def _copied(name: str, made: dict[str, Run], tmp_path: Path) -> Run:
    folder = tmp_path / name
    shutil.copytree(made[name].folder, folder)
    return Run(folder=folder)


@pytest.fixture
def flip(made: dict[str, Run], tmp_path: Path) -> Run:
    """Return a coin-flip run: 3 seeds, 5 rounds, every round asked afresh."""
    return _copied("flip", made, tmp_path)


@pytest.fixture
def exhaustive(made: dict[str, Run], tmp_path: Path) -> Run:
    """Return an exhaustive deterministic run: 3 seeds, 5 rounds, answers reused."""
    return _copied("exhaustive", made, tmp_path)


@pytest.fixture
def tiny(made: dict[str, Run], tmp_path: Path) -> Run:
    """Return a deterministic run of 2 seeds and 2 rounds."""
    return _copied("tiny", made, tmp_path)


@pytest.fixture
def single(made: dict[str, Run], tmp_path: Path) -> Run:
    """Return a deterministic run of 1 seed and 2 rounds: no bootstrap, so quick to validate."""
    return _copied("single", made, tmp_path)


@pytest.fixture
def ties(tmp_path: Path) -> Run:
    """Return a run in which no verdict was ever counted: recorded ties, 2 seeds, 3 rounds."""
    table = tmp_path / "ties.csv"
    table.write_text(ONLY_TIES, "utf-8")
    folder = tmp_path / "ties"
    return make_run(folder, evaluator=f"recorded:{table}", executor=None, seeds=2, rounds=3)


@cache
def vega_lite() -> jsonschema.Draft7Validator:
    """Return a checker of Vega-Lite specifications."""
    schema = files("altair.vegalite.v6") / "schema" / "vega-lite-schema.json"
    return jsonschema.Draft7Validator(json.loads(schema.read_text("utf-8")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a process ended, the most memory that it held, and its seconds of processor time."""

    code: int
    stdout: str
    stderr: str
    megabytes: float
    seconds: float


# A process begins with the memory of the one that it was forked from, and a test process is large:
# so a small one stands between, and measures its child.
_MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=file)
sys.exit(done.returncode)
"""


def epc_measured(folder: Path, *args: str | Path) -> Finished:
    """Run the program and measure it; `folder` takes a note of memory and processor time."""
    usage = folder / "usage"
    program = [*PROGRAM, *map(str, args)]
    done = subprocess.run(
        [sys.executable, "-S", "-c", _MEASURE, str(usage), *program],
        capture_output=True,
        check=False,
    )
    kilobytes, seconds = usage.read_text("utf-8").split()
    return Finished(
        code=done.returncode,
        stdout=done.stdout.decode("utf-8"),
        stderr=done.stderr.decode("utf-8"),
        megabytes=int(kilobytes) / 1024,
        seconds=float(seconds),
    )


def probes_of(run: Path) -> tuple[dict[str, Any], list[Finding]]:
    """Return the summary of a run's probes, and everything that is wrong with them."""
    findings = Findings()
    actual_summary = summary(read_probes(load_manifest(run), run, findings))
    return actual_summary, findings.as_list()
