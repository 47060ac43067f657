"""A measurement of an evaluator that the registry does not know: one pull request, walked whole."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from attack_support import attack
from program_support import as_text, run_program
from records_support import Run
from registry_support import AS_TEST, ROOT, commit, git
from submissions_support import EXECUTOR, OPENAI, Offered, rename
from workflow_support import Forge

from epc.registry.reading import of_folder

NAME = "gpt-5.9-2026-06-01"
RECORD = f"snapshots/evaluators/{NAME}.json"
SOURCE = "https://developers.openai.com/api/docs/models"
NEW = ("evaluators", "new", NAME, "--platform", "openai", "--released", "2026-06-01")
WHO = (
    *("--contributor", "A. Name", "--login", "a-name"),
    *("--licence", "CC-BY-4.0", "--conflicts", "none"),
)
DAY = {"SOURCE_DATE_EPOCH": "1783684800"}  # 2026-07-10


@pytest.fixture
def run(honest: Offered, tmp_path: Path) -> Path:
    """A run of a model that has no record; the registry offers nothing."""
    folder = tmp_path / "run"
    shutil.move(honest.folder, folder)
    (folder / "submission.json").unlink()
    names = {"model": f"openai/{NAME}", "version": NAME}
    rename(Run(folder=folder), "evaluator", **(OPENAI | names))
    rename(Run(folder=folder), "executor", **EXECUTOR)
    return folder


@pytest.fixture
def forge(run: Path, honest: Offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Forge:
    """The registry on a forge, and an outsider's fresh clone of it."""
    for name, value in (AS_TEST | DAY).items():
        monkeypatch.setenv(name, value)
    shutil.copy(ROOT / ".gitignore", honest.checkout / ".gitignore")
    (honest.checkout / ".gitattributes").write_text("snapshots/** -text\nsubmissions/** -text\n")
    git(honest.checkout, "init", "--quiet", "--initial-branch", "main")
    commit(honest.checkout, "begin")
    return Forge(honest.checkout, tmp_path)


def typed(folder: Path, *words: str | Path) -> tuple[int, str]:
    """Return the exit code of a command and all that it prints."""
    done = as_text(run_program(*words, cwd=folder))
    return done.returncode, done.stdout + done.stderr


def checked(forge: Forge, event: Mapping[str, object], tmp_path: Path) -> tuple[int, str]:
    """Check a pull request in a clone of main, as the workflow does."""
    main, out = tmp_path / "main", tmp_path / "offered"
    git(tmp_path, "clone", "--quiet", str(forge.origin), str(main))
    (tmp_path / "event.json").write_text(json.dumps(event))
    code, said = typed(
        main, "admin", "github", "fetch", "--event", tmp_path / "event.json", "--out", out
    )
    assert code == 0, said
    merge = (out / "merge").read_text()
    offered = ("--changed", out / "changed", "--merge", merge, "--author", "a-name")
    return typed(main, "submission", "check", out / "submissions", "--base", ".", *offered)


def test_a_measurement_of_a_new_evaluator_is_one_pull_request(
    forge: Forge, run: Path, tmp_path: Path
) -> None:
    """From a finished run: two commands of ours, one line of git, one pull request."""
    code, said = typed(forge.work, *NEW, "--source", SOURCE)
    assert (code, RECORD in said) == (0, True), said
    code, said = typed(forge.work, "submission", "new", run, *WHO)
    assert code == 0, said
    folder = f"submissions/{next((forge.work / 'submissions').iterdir()).name}"
    assert f"git add {folder} {RECORD} && git commit" in said
    assert f"as v1.0-{NAME} today" in said

    code, said = checked(forge, forge.offer(7), tmp_path)

    assert code == 0, said
    assert "This submission can be published." in said
    dated = f"{RECORD}: warning: openai/{NAME} released exact 2026-06-01, by {SOURCE}"
    assert dated in said
    forge.merge(7)
    publisher = tmp_path / "publisher"
    git(tmp_path, "clone", "--quiet", str(forge.origin), str(publisher))
    code, said = typed(publisher, "admin", "submission", "publish")
    assert (code, said.splitlines()[0]) == (0, f"v1.0-{NAME}"), said
    assert git(publisher, "tag", "--list").split() == [f"v1.0-{NAME}"]
    code, said = typed(publisher, "snapshot", "verify")
    assert code == 0, said
    life = of_folder(publisher).life(NAME, "openai")
    assert life
    assert life.released
    assert life.released.date.isoformat() == "2026-06-01"


def test_what_check_would_refuse_new_refuses_at_once_and_writes_nothing(
    forge: Forge, run: Path
) -> None:
    code, said = typed(
        forge.work, "submission", "new", run, *WHO, "--generation", NAME, "--platform", "openai"
    )

    assert code == 2
    assert f"nothing is known of {NAME} on openai [Submission S13]" in said
    assert "epc evaluators new" in said
    assert list((forge.work / "submissions").glob("*")) == []


@attack("outside")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"generation": "GPT9-x"}, "the file is called"),
        ({"maker": ""}, "is shorter than 1 character"),
        ({"source": "https://x.example/<script>"}, "which is no plain address"),
        ({"source": 'https://x.example/"onload='}, "which is no plain address"),
        ({"model": "gpt-9"}, "openai/gpt-9 has 2 records"),
    ],
)
def test_a_record_that_is_brought_is_data_of_a_stranger(
    change: dict[str, str], problem: str, forge: Forge, run: Path, tmp_path: Path
) -> None:
    assert typed(forge.work, *NEW, "--source", SOURCE)[0] == 0
    assert typed(forge.work, "submission", "new", run, *WHO)[0] == 0
    path = forge.work / RECORD
    record = json.loads(path.read_text())
    (life,) = record["platforms"]
    for key, value in change.items():
        if key == "source":
            life["checked"]["source"] = value
        else:
            (life if key in life else record)[key] = value
    path.write_text(json.dumps(record))

    code, said = checked(forge, forge.offer(7), tmp_path)

    assert code == 1
    assert RECORD in said
    assert problem in said, said


@attack("outside")
def test_a_second_record_or_a_known_one_is_not_brought_along(
    forge: Forge, run: Path, tmp_path: Path
) -> None:
    assert typed(forge.work, *NEW, "--source", SOURCE)[0] == 0
    assert typed(forge.work, "submission", "new", run, *WHO)[0] == 0
    beside = ("evaluators", "new", "gpt-8", "--platform", "openai", "--released", "2026-06-01")
    assert typed(forge.work, *beside, "--source", SOURCE)[0] == 0
    known = forge.work / "snapshots" / "evaluators" / "GPT9.json"
    known.write_text(known.read_text().replace("2026-07-05", "2026-07-06"))

    code, said = checked(forge, forge.offer(7), tmp_path)

    assert code == 1
    assert "gpt-8.json: brings the record of gpt-8, which nothing here measures" in said
    assert "GPT9.json: changes snapshots/evaluators/GPT9.json, which is no file of a" in said
    assert "openai/gpt-9 released exact 2026-07-06" in said


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("gpt-9", "--platform", "openai"), "openai/gpt-9 has a record already, GPT9"),
        (("GPT4o-O806", "--platform", "openai"), "looks like GPT4o-0806"),
        (("a b", "--platform", "openai"), "expected letters, digits and dots"),
        (("gpt-8", "--platform", "opena"), "no platform that is known here\n  fix: try openai"),
        (("llama-9", "--platform", "self-hosted"), "--maker is missing"),
        (("gpt-8", "--platform", "openai", "--released", "2027-01-01"), "after today, 2026-07-10"),
        (("gpt-8", "--platform", "openai", "--source", "ftp://x"), "expected an address, http://"),
        (("gpt-8", "--platform", "openai", "--source", 'https://x/"'), "without quotes"),
    ],
)
def test_a_record_that_nobody_could_take_is_refused_where_it_is_typed(
    words: tuple[str, ...], problem: str, forge: Forge
) -> None:
    name, *options = words
    sound = ("--released", "2026-06-01", "--source", SOURCE)  # of two, the later counts

    code, said = typed(forge.work, "evaluators", "new", name, *sound, *options)

    assert (code, problem in said) == (2, True), said
    assert git(forge.work, "status", "--porcelain") == ""


PUBLISHED = "v1.0-CoinFlip"


def test_what_no_program_makes_is_named_for_the_maintainer(forge: Forge, tmp_path: Path) -> None:
    """A pull request of a maintainer: an event by the command, and a date that a platform moved."""
    words = ("admin", "snapshot", "withdraw", PUBLISHED, "--reason", "its seeds were chosen")
    code, said = typed(forge.work, *words)
    assert code == 0, said
    life = forge.work / "snapshots" / "evaluators" / "GPT9.json"
    life.write_text(life.read_text().replace("2026-07-05", "2026-07-06"))

    code, said = checked(forge, forge.offer(7), tmp_path)

    assert code == 0, said
    assert f"events.jsonl: warning: {PUBLISHED} withdrawn on 2026-07-10: its seeds were" in said
    assert "GPT9.json: warning: openai/gpt-9 released exact 2026-07-06, by " in said
    last = said.splitlines()[-1]
    assert last.startswith("There is no submission to check; a maintainer looks at the 2 changes")


@attack("outside")
@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("gammas.json", "is not what the program makes of what is published"),
        (f"dvc/{PUBLISHED}.json", "is not what the program makes of what is published"),
        ("choices.json", "cannot be made again"),
        ("bank.parquet", "cannot be made again"),
        (f"{PUBLISHED}/metrics.json", "published files stay as they are"),
    ],
)
def test_a_generated_file_that_is_changed_by_hand_is_refused(
    path: str, problem: str, forge: Forge, tmp_path: Path
) -> None:
    changed = forge.work / "snapshots" / path
    changed.write_text((changed.read_text() if changed.exists() else "{}") + " ")

    code, said = checked(forge, forge.offer(7), tmp_path)

    assert code == 1
    assert f"snapshots/{path}: {problem}" in said
