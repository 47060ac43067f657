"""What `pip install epc-registry` brings, and what it answers outside of a clone.

The wheel is built through the source archive, as a package index would get it, and installed with
what its own metadata asks for. Nothing leaves the machine: the dependencies' wheels are made again
of what is installed here, and there are no others to choose from.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from registry_support import ROOT
from shared_support import shared

from epc.extras import EXTRAS, install

CORE = ("click", "msgspec", "pyyaml")
MOST_BYTES = 15_000_000  # the promise of the installation page, byte code included
MOST_SECONDS = 1.0  # of processor time, so that a busy machine is no slow program
UV = str(Path(sys.executable).with_name("uv"))
LOOK_UPS = (
    ("expiry", "gpt-4o"),
    ("expiry", "v1.0-GPT4o-0806"),
    ("evaluators", "list"),
    ("evaluators", "show", "gpt-4o-2024-08-06"),
    ("snapshot", "list"),
    ("expiry", "--format", "ics"),
)
pytestmark = [pytest.mark.extra, pytest.mark.slow]


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An environment with the wheel in it, and the wheels that it was made of."""

    wheel: Path
    wheels: Path
    python: Path

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return started((str(self.python.with_name("epc")), *words), self.wheels, code)


def started(
    words: tuple[str, ...], folder: Path, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a program as somebody does who has never heard of this repository."""
    kept = {key: value for key, value in os.environ.items() if key in {"PATH", "HOME", "LANG"}}
    env = {**kept, "UV_OFFLINE": "1", "UV_NO_CONFIG": "1", "UV_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done


def sources(folder: Path) -> Path:
    """Return a copy of what a source archive is made of, so that nothing is built in this clone."""
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "params.yaml"):
        shutil.copy(ROOT / name, folder)
    for licence in ROOT.glob("LICENSE*"):
        shutil.copy(licence, folder)
    leave = shutil.ignore_patterns("__pycache__", ".*", "raw", "raw.dvc", "*.md")
    for name in ("epc", "snapshots"):
        shutil.copytree(ROOT / name, folder / name, ignore=leave, copy_function=os.link)
    return folder


def again(package: Distribution, folder: Path) -> None:
    """Make a wheel of an installed package."""
    tag = next(
        line.removeprefix("Tag: ")
        for line in (package.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    )
    name = package.metadata["Name"].replace("-", "_")
    made = folder / f"{name}-{package.version}-{tag}.whl"
    with zipfile.ZipFile(made, "w") as wheel:
        for path in package.files or ():
            if ".." not in path.parts and path.suffix != ".pyc":
                wheel.write(path.locate(), str(path))


def made(folder: Path) -> Installed:
    wheels, source = folder / "wheels", folder / "source"
    wheels.mkdir()
    source.mkdir()
    build = (UV, "build", "--quiet", "--no-build-isolation", "--python", sys.executable)
    started((*build, "--out-dir", str(wheels), str(sources(source))), folder)
    for name in CORE:
        again(distribution(name), wheels)
    started((UV, "venv", "--quiet", "--python", sys.executable, str(folder / "clean")), folder)
    python, (wheel,) = folder / "clean" / "bin" / "python", wheels.glob("epc_registry-*.whl")
    choose = ("--no-index", "--find-links", str(wheels), "--python", str(python))
    started((UV, "pip", "install", "--quiet", *choose, "epc-registry"), folder)
    started((str(python), "-m", "compileall", "-q", str(site_of(python))), folder)  # as pip does
    return Installed(wheel=wheel, wheels=wheels, python=python)


def site_of(python: Path) -> Path:
    (found,) = (python.parent.parent / "lib").glob("python3*/site-packages")
    return found


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return shared(tmp_path_factory, "small-install", made)


def test_a_plain_installation_is_under_15_mb_with_all_that_it_needs(installed: Installed) -> None:
    files = [path for path in site_of(installed.python).rglob("*") if path.is_file()]

    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    packages = {
        path.name.split("-")[0].lower() for path in site_of(installed.python).glob("*.dist-info")
    }
    assert packages == {"epc_registry", *CORE}


@pytest.mark.parametrize("words", LOOK_UPS, ids=" ".join)
def test_a_look_up_outside_a_clone_takes_under_a_second_and_says_its_day(
    installed: Installed, words: tuple[str, ...]
) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = installed.run(*words, code=done_with(words))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MOST_SECONDS
    assert done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("registry of 2026-")


def done_with(words: tuple[str, ...]) -> int:
    """A published figure of 2024 is stale; everything else that is asked here holds or is told."""
    return 1 if words[0] == "expiry" and "gpt-4o" not in words else 0


def test_names_are_answered_as_the_clone_answers_them(installed: Installed) -> None:
    asked = ("expiry", "gpt-4o", "claude-3-opus-20240229", "v1.0-CoinFlip", "no-such-model")
    words = (*asked, "--as-of", "2026-11-23", "--format", "json")

    here = subprocess.run(
        [sys.executable, "-m", "epc", *words], cwd=ROOT, capture_output=True, check=False
    )
    there = installed.run(*words, code=here.returncode)

    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert {"current", "expired", "unknown"} <= {row["status"] for row in json.loads(there.stdout)}


def test_reading_r53_what_the_copy_knows_is_unconfirmed_once_the_copy_is_old(
    installed: Installed,
) -> None:
    words = ("expiry", "v1.0-CoinFlip", "--format", "json", "--as-of")
    (fresh,) = json.loads(installed.run(*words, "2026-11-23").stdout)
    (old,) = json.loads(installed.run(*words, "2028-01-01").stdout)

    assert (fresh["status"], old["status"]) == ("current", "unconfirmed")
    assert "this registry ends on 2026-" in old["note"]


def test_no_look_up_loads_what_measures(installed: Installed) -> None:
    heavy = ("numpy", "pandas", "aiohttp", "joblib", "sklearn", "xllamacpp", "vl_convert")
    code = (
        "import sys; from epc.cli import main\n"
        "try: main(['snapshot', 'list'])\n"
        f"except SystemExit: print([m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    )
    # In the environment of this clone, where all of them could be loaded.
    for python, folder in ((installed.python, installed.wheels), (Path(sys.executable), ROOT)):
        assert started((str(python), "-c", code), folder).stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("run", "--evaluator", "mock/deterministic"), "measure"),
        (("judge", "report"), "judge"),
        (("site", "build"), "site"),
        (("evaluators", "card", "gpt-4o-2024-08-06"), "measure"),  # found out by the import
    ],
)
def test_a_missing_extra_exits_2_and_names_itself(
    installed: Installed, words: tuple[str, ...], extra: str
) -> None:
    done = installed.run(*words, code=2)

    assert f"epc: this needs the extra `{extra}`; not installed: " in done.stderr
    assert done.stderr.endswith(f"  fix: {install(extra)}\n")


def test_help_and_version_need_no_extra(installed: Installed) -> None:
    for words in (("--version",), ("--help",), ("run", "--help"), ("judge", "run", "--help")):
        assert installed.run(*words).stdout


def test_the_doctor_names_each_extra_that_is_missing(installed: Installed) -> None:
    told = installed.run("doctor", code=1).stdout

    for extra in EXTRAS:
        assert f" extra {extra}: not installed: " in told
        assert f"        fix: {install(extra)}\n" in told


def test_uvx_answers_from_the_wheel_alone(installed: Installed) -> None:
    choose = ("--no-index", "--find-links", str(installed.wheels), "--python", sys.executable)

    done = started(
        (
            UV,
            "tool",
            "run",
            *choose,
            "--from",
            str(installed.wheel),
            "epc",
            "expiry",
            "gpt-4o",
            "--as-of",
            "2026-11-23",
        ),
        installed.wheels,
    )

    first = " ".join(done.stdout.splitlines()[0].split())
    assert first == "gpt-4o (openai) expiring until 2027-01-14 (retired)"
