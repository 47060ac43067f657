"""What `pip install epc-registry` brings, and what it answers outside of a clone."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from installed_support import CORE, UV, Installed, site_of, started
from registry_support import ROOT

from epc.extras import EXTRAS, install

MOST_BYTES = 17_000_000  # the promise of the installation page, byte code included
LOOK_UPS = (
    ("expiry", "gpt-4o"),
    ("expiry", "v1.0-gpt-4"),
    ("evaluators", "list"),
    ("admin", "evaluators", "show", "gpt-4o-2024-08-06"),
    ("evaluators", "card", "gpt-5.4-mini"),
    ("evaluators", "succeed", "gpt-4-0613"),
    ("snapshot", "list"),
    ("expiry", "--format", "ics"),
)
pytestmark = [pytest.mark.extra, pytest.mark.slow]


def test_a_plain_installation_is_under_17_mb_with_all_that_it_needs(installed: Installed) -> None:
    files = [path for path in site_of(installed.python).rglob("*") if path.is_file()]

    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    packages = {
        path.name.split("-")[0].lower() for path in site_of(installed.python).glob("*.dist-info")
    }
    assert packages == {"epc_registry", *CORE}


def test_the_lock_file_of_what_looks_up_lists_these_and_what_builds_the_package() -> None:
    lock = (ROOT / "requirements" / "core.lock").read_text("utf-8")

    listed = set(re.findall(r"^([a-z-]+)==", lock, re.MULTILINE))
    assert listed == {*CORE, "setuptools"}


@pytest.mark.parametrize("words", LOOK_UPS, ids=" ".join)
def test_a_look_up_outside_a_clone_answers_and_says_its_day(
    installed: Installed, words: tuple[str, ...]
) -> None:
    done = installed.run(*words, code=done_with(words))

    assert done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("registry of 2026-")


def done_with(words: tuple[str, ...]) -> int:
    """A published figure of 2023 is stale; everything else that is asked here holds or is told."""
    return 1 if words[0] == "expiry" and "gpt-4o" not in words else 0


def test_names_are_answered_as_the_clone_answers_them(installed: Installed) -> None:
    arguments = ("expiry", "gpt-4o", "claude-3-opus-20240229", "v1.0-CoinFlip", "no-such-model")
    expected_arguments = (*arguments, "--as-of", "2026-11-23", "--format", "json")

    result = subprocess.run(
        [sys.executable, "-m", "epc", *expected_arguments],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    remote_result = installed.run(*expected_arguments, code=result.returncode)

    assert json.loads(remote_result.stdout) == json.loads(result.stdout)
    assert {"current", "expired", "unknown"} <= {
        row["status"] for row in json.loads(remote_result.stdout)
    }


def test_reading_r53_what_the_copy_knows_is_unconfirmed_once_the_copy_is_old(
    installed: Installed,
) -> None:
    arguments = ("expiry", "v1.0-CoinFlip", "--format", "json", "--as-of")
    (fresh,) = json.loads(installed.run(*arguments, "2026-11-23").stdout)
    (old,) = json.loads(installed.run(*arguments, "2028-01-01").stdout)

    assert (fresh["status"], old["status"]) == ("current", "unconfirmed")
    assert "this registry ends on 2026-" in old["note"]


def test_no_look_up_loads_what_measures(installed: Installed) -> None:
    heavy = ("numpy", "pandas", "aiohttp", "sklearn", "xllamacpp", "vl_convert")
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
        (("admin", "site", "build"), "site"),
        (("design", "show", "reference-64"), "measure"),  # found out by the import
    ],
)
def test_a_missing_extra_exits_2_and_names_itself(
    installed: Installed, words: tuple[str, ...], extra: str
) -> None:
    done = installed.run(*words, code=2)

    assert f"epc: this needs the extra `{extra}`; not installed: " in done.stderr
    assert done.stderr.endswith(f"  fix: {install(extra)}\n")


def test_help_and_version_need_no_extra(installed: Installed) -> None:
    for arguments in (("--version",), ("--help",), ("run", "--help"), ("judge", "run", "--help")):
        assert installed.run(*arguments).stdout


def test_the_doctor_names_each_extra_that_is_missing(installed: Installed) -> None:
    output = installed.run("doctor", code=1).stdout

    for extra in EXTRAS:
        assert f" extra {extra}: not installed: " in output
        assert f"        fix: {install(extra)}\n" in output


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
    assert first == "gpt-4o (openai) expiring: will be retired on 2027-01-14"
