"""What a newcomer has in a fresh clone without git tags: git and DVC.

The clone is of the committed tree, with the real git and the real DVC. Nothing leaves the machine.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_support import environment
from pages_folder_support import cloned, taken_back
from registry_support import ROOT, git
from vl_convert import vegalite_to_svg

NOBODY = {  # git has no name for whoever types, and looks for none
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "user.useConfigOnly",
    "GIT_CONFIG_VALUE_0": "true",
    "DVC_NO_ANALYTICS": "1",
    "NO_PROXY": "127.0.0.1",
}
TYPED = {  # from the paper's tables, by hand
    "v1.0-GPT4o-0806": {"n": 8, "gamma": 1.176, "stands": True},
    "v1.1-Qwen3.7-0526": {"n": 5, "gamma": 0.987, "stands": True},
    "v1.2-DeepSeekChat-0526": {"n": 10, "stands": True},
    "v1.0-QwenPlus-0626": {"n": 30, "stands": True},  # 25 of its 30 seeds counted no verdict
}
FAILED = {"v1.0-QwenPlus-0626", "v1.0-DeepSeekChat-0526"}
STAGES = ("measure", "check", "recompute", "headlines", "tables", "site")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cloned(tmp_path_factory.mktemp("fresh"))


@pytest.fixture
def clone(made: Path) -> Iterator[Path]:
    """Yield the clone as it came, but for what Python compiled; then take all of a test back."""
    assert git(made, "tag", "--list") == ""
    with taken_back(made):
        yield made


def run(
    clone: Path, *arguments: str, code: int = 0, further_environment: dict[str, str] | None = None
) -> str:
    path = f"{clone / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        arguments,
        cwd=clone,
        env={
            **environment(),
            **NOBODY,
            "PATH": path,
            "PYTHONPATH": str(clone),
            **(further_environment or {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done.stdout


def tags(clone: Path) -> list[str]:
    return sorted(path.name for path in (clone / "snapshots").glob("v*"))


def test_dvc_metrics_show_has_the_published_figures_of_every_snapshot(clone: Path) -> None:
    document = json.loads(run(clone, "dvc", "metrics", "show", "--json"))
    shown = {Path(path).stem: found["data"] for path, found in document[""]["data"].items()}

    assert sorted(shown) == tags(clone)
    for tag, expected in TYPED.items():
        assert expected == shown[tag]
    for tag, row in shown.items():
        published = json.loads((clone / "snapshots" / tag / "metrics.json").read_text())["figures"]
        gammas = [gamma["mean"] for gamma in published.get("gamma", {}).values()]
        assert len(row) <= 6
        if "gamma" in row:
            assert row["gamma"] == round(max(gammas), 3)
        elif gammas:
            assert tag in FAILED
    assert not shown["v1.0-SmolLM2-135M-Likelihood"]["stands"], "it was superseded"


def test_dvc_metrics_show_fits_a_hundred_columns(clone: Path) -> None:
    lines = run(clone, "dvc", "metrics", "show").splitlines()

    assert max(map(len, lines)) <= 100
    assert len(lines) == len(tags(clone)) + 1


def test_dvc_repro_at_the_root_runs_the_pipeline(clone: Path) -> None:
    """A bare `dvc pull` exits 0 beside it, as another test shows: the stage has no outputs."""
    planned = run(clone, "dvc", "repro", "--dry", "--force")
    inner = run(clone, "dvc", "--cd", "pipeline", "stage", "list", "--name-only")

    assert "> dvc --cd pipeline repro" in planned
    assert inner.split() == [*STAGES]


def test_dvc_status_is_clean_in_a_fresh_clone_and_after_repro(clone: Path) -> None:
    """Data that nobody has pulled is named; no stage is."""
    clean = "Data and pipelines are up to date.\n"

    assert "pipeline" not in json.loads(run(clone, "dvc", "status", "--json"))
    assert run(clone, "dvc", "status", "dvc.yaml") == clean
    run(clone, "dvc", "pull")
    assert run(clone, "dvc", "status") == clean
    assert run(clone, "dvc", "repro").endswith(clean)
    assert run(clone, "dvc", "status") == clean
    assert git(clone, "status", "--porcelain") == ""


def test_the_first_command_that_needs_a_tag_makes_all_of_them(clone: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "--quiet", "--no-tags", str(clone), str(bare))
    at = ("data", "--tables", "snapshots", "--at", "v1.0-CoinFlip", "--out", "then")

    run(bare, sys.executable, "-m", "epc", *at)

    assert set(git(bare, "tag", "--list").split()) == set(tags(bare))
    again = tmp_path / "again"
    git(tmp_path, "clone", "--quiet", "--no-tags", str(clone), str(again))
    git(again, "fetch", "--quiet", "--tags", str(bare))
    made = [git(folder, "for-each-ref", "refs/tags") for folder in (bare, again)]
    assert made[0] == made[1]


def test_dvc_plots_show_draws_every_gamma_on_its_floor(clone: Path) -> None:
    (plot,) = json.loads(run(clone, "dvc", "plots", "show", "--json"))["data"]["gamma"]
    rows = {(row["snapshot"], row["direction"]): row for row in plot["content"]["data"]["values"]}
    published = json.loads((clone / "snapshots/v1.0-CoinFlip/metrics.json").read_text())["figures"]
    coin = rows["v1.0-CoinFlip", "visual to text"]

    assert rows["v1.0-GPT4o-0806", "text to visual"]["gamma"] == 1.176
    assert [coin["gamma"], [coin["low"], coin["high"]]] == [
        published["gamma"]["visual_to_text"][key] for key in ("mean", "ci95")
    ]
    floor = published["control"]["noise_floor"]["visual_to_text"]
    assert [coin["floor_low"], coin["floor_high"]] == [floor["q025"], floor["q975"]]
    picture = vegalite_to_svg(plot["content"])
    assert {tag for tag, _ in rows} == {tag for tag in tags(clone) if f">{tag}<" in picture}
    assert "dvc_plots/index.html" in run(clone, "dvc", "plots", "show")
    assert git(clone, "status", "--porcelain") == ""


def test_restored_tags_need_no_git_identity_and_are_the_same_in_every_clone(
    clone: Path, tmp_path: Path
) -> None:
    other_folder = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", "--no-tags", str(clone), str(other_folder))
    for folder in (clone, other_folder):
        run(folder, sys.executable, "-m", "epc", "admin", "snapshot", "tags")

    made = [git(folder, "for-each-ref", "refs/tags") for folder in (clone, other_folder)]

    assert made[0] == made[1]
    assert set(git(clone, "tag", "--list").split()) == set(tags(clone))
    at = git(clone, "log", "-1", "--format=%H", "--", "snapshots/v1.0-CoinFlip").strip()
    assert git(clone, "rev-parse", "v1.0-CoinFlip^{commit}").strip() == at


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


DATA = ROOT / "site" / "docs" / "data.md"


def test_the_python_of_the_page_about_data_needs_the_tags_only_where_it_says_so(
    clone: Path,
) -> None:
    _, _, without, outside, at_tag = blocks(DATA, "python")
    for typed in (without, outside.replace("REPOSITORY", str(clone))):
        run(clone, sys.executable, "-c", f"{typed}\nassert first.startswith('{{')")
    assert "rev=" in at_tag
    assert "epc admin snapshot tags" in at_tag
    run(clone, sys.executable, "-c", at_tag, code=1)

    run(clone, "epc", "admin", "snapshot", "tags")

    run(clone, sys.executable, "-c", f"{at_tag}\nassert first.startswith('{{')")
