"""The five steps of the paper's section 5.1, as README's table has them, with an embedded model.

The run is cut to one round of one seed and short answers; all else is as it stands there.
"""

import json
import re
import subprocess
import sys
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from engine_support import environment, epc
from registry_support import ROOT

README = (ROOT / "README.md").read_text("utf-8")
STEPS = dict(re.findall(r"^\| (?:5\.1 )?\((\d)\) [^|]*\| ([^\n]*) \|$", README, re.MULTILINE))


def typed(step: str) -> list[str]:
    """Return the words of the `epc` command of a step."""
    command = re.search(r"`epc ([^`]*)`", STEPS[step])
    assert command
    return command[1].split()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the third step was carried out, shortened."""
    folder = tmp_path_factory.mktemp("steps")
    short = [word for word in typed("3") if word != "--exhaustive"]
    few = ("--seeds", "0", "--rounds", "1", "--executor-max-tokens", "8")
    done = epc(*short, *few, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_epc_5_1_1_the_clone_installs_with_targets_that_exist() -> None:
    targets = re.search(r"`make ([\w ]+)`", STEPS["1"])

    assert targets
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in targets[1].split())


def test_epc_5_1_2_the_doctor_names_the_variable_that_holds_a_key() -> None:
    env = environment()
    env.pop("OPENAI_API_KEY", None)

    assert "set OPENAI_API_KEY to your key" in epc("doctor", env=env).stdout


@pytest.mark.own_process
def test_epc_5_1_3_one_command_measures_with_an_embedded_model(here: Path) -> None:
    assert (here / "runs" / "first" / "manifest.json").is_file()


@pytest.mark.own_process
def test_epc_5_1_3_the_paper_s_own_command_runs_in_a_clone(tmp_path: Path) -> None:
    typed_words = re.search(r"`(python epc_protocol\.py [^`]*)`", README)
    assert typed_words
    script, *words = re.sub(r"\bM\b", "mock/deterministic", typed_words[1]).split()[1:]
    few = ("--seeds", "0", "--rounds", "1", "--out", str(tmp_path / "run"))

    command = [sys.executable, str(ROOT / script), *words, *few]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "manifest.json").is_file()


@pytest.mark.own_process
def test_epc_5_1_4_the_manifest_conforms_to_the_paper_s_schema(here: Path) -> None:
    schema = files("epc.spec") / "schemas" / "v1" / "epc_manifest_schema.json"
    manifest = json.loads((here / "runs" / "first" / "manifest.json").read_text("utf-8"))

    jsonschema.validate(manifest, json.loads(schema.read_text("utf-8")))
    done = epc(*typed("4"), cwd=here)
    assert (done.returncode, done.stdout) == (0, "runs/first: ok, findings: 0\n")


@pytest.mark.own_process
def test_epc_5_1_5_the_run_stands_beside_the_reference_snapshot(here: Path) -> None:
    words = [str(here / word) if word.startswith("runs/") else word for word in typed("5")]

    done = epc(*words, cwd=ROOT)

    assert done.returncode == 1  # not like for like
    assert "v1.0-GPT4o-0806" in done.stdout


@pytest.mark.own_process
def test_epc_5_3_5_few_seeds_bear_no_claim(here: Path) -> None:
    done = epc("audit", "runs/first", cwd=here)

    assert "1 seed is too few for any claim: expected at least 10" in done.stdout


def test_judge_9_3_a_report_changes_nothing_of_the_archive(tmp_path: Path) -> None:
    archive = tmp_path / "judged"
    epc("snapshot", "fetch", "v1.0-DigestJudge", "--from", ROOT, "--out", archive)
    before = {p: sha256(p.read_bytes()).hexdigest() for p in archive.rglob("*") if p.is_file()}

    assert epc("judge", "report", archive).returncode == 0

    assert before == {
        p: sha256(p.read_bytes()).hexdigest() for p in archive.rglob("*") if p.is_file()
    }
    assert len(before) > 5
