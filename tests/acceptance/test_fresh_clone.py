"""What a newcomer types in a fresh clone without git tags: what the pages say, git and DVC.

The clone is of the committed tree, with the real git and the real DVC. Nothing leaves the machine.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from engine_support import environment
from registry_support import ROOT, git
from vl_convert import vegalite_to_svg

Offline = tuple[tuple[str, ...], dict[str, str]]
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
    "v1.0-GPT4o-0806": {"n": 8, "gamma/text_to_visual": 1.176},
    "v1.1-Qwen3.7-0526": {"n": 5, "gamma/text_to_visual": 0.987},
    "v1.2-DeepSeekChat-0526": {"n": 10, "pci": 0.741},
}


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fresh")
    folder = home / "clone"
    git(home, "clone", "--quiet", "--no-tags", str(ROOT), str(folder))
    git(folder, "checkout", "--quiet", "-B", "main")
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    return folder


@pytest.fixture
def clone(cloned: Path) -> Iterator[Path]:
    """Yield the clone as it came, but for what Python compiled; then take all of a test back."""
    assert git(cloned, "tag", "--list") == ""
    came = git(cloned, "rev-parse", "HEAD").strip()
    yield cloned
    git(cloned, "checkout", "--quiet", "--force", "-B", "main", came)
    git(cloned, "clean", "--quiet", "-ffdx", "--exclude=.venv", "--exclude=__pycache__")
    if tags := git(cloned, "tag", "--list").split():
        git(cloned, "tag", "--delete", *tags)


def run(clone: Path, *words: str, code: int = 0, more: dict[str, str] | None = None) -> str:
    path = f"{clone / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words,
        cwd=clone,
        env={**environment(), **NOBODY, "PATH": path, "PYTHONPATH": str(clone), **(more or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done.stdout


def tags(clone: Path) -> list[str]:
    return sorted(path.name for path in (clone / "snapshots").glob("v*"))


def test_dvc_pull_exits_0_without_a_network_and_dvc_status_is_clean(
    clone: Path, offline: Offline
) -> None:
    without, more = offline

    run(clone, *without, "dvc", "pull", more=more)

    with_raw = [tag for tag in tags(clone) if (clone / "snapshots" / tag / "raw.dvc").exists()]
    assert len(with_raw) >= 9
    for tag in with_raw:
        run(clone / "snapshots" / tag, "sha256sum", "--check", "--quiet", "SHA256SUMS")
    assert run(clone, "dvc", "status") == "Data and pipelines are up to date.\n"
    assert git(clone, "status", "--porcelain") == ""


def test_dvc_metrics_show_has_the_published_figures_of_every_snapshot(clone: Path) -> None:
    told = json.loads(run(clone, "dvc", "metrics", "show", "--json"))
    shown = {Path(path).stem: found["data"] for path, found in told[""]["data"].items()}

    assert sorted(shown) == tags(clone)
    for tag, expected in TYPED.items():
        assert expected.items() <= shown[tag].items()
    audits = json.loads((clone / "snapshots" / "audits.json").read_text())
    for tag, row in shown.items():
        published = json.loads((clone / "snapshots" / tag / "metrics.json").read_text())["figures"]
        for name in row.keys() - {"kind", "audit", "rule", "event", "faults"}:
            crossing, _, place = name.partition("transfer/")
            if crossing or "groups" in published:
                assert row[name] == figure(published, name), (tag, name)
            else:  # its own, or today's audit of what was published under an older rule
                what, direction = place.split("/")
                own = published.get("transfer")
                directions = own["directions"] if own else audits[tag]["transfer"]
                assert row[name] == directions[direction][what], (tag, name)
    assert shown["v1.0-SmolLM2-135M-Likelihood"]["event"] == "superseded"
    assert shown["v1.0-QwenPlus-0626"]["faults"] > 0, "25 of its 30 seeds counted no verdict"


def figure(published: Any, name: str) -> float:
    """Return the figure at a place of a `metrics.json`; of recorded verdicts, of a setting."""
    if "groups" in published and "/" in name:
        what, *crossed, setting = name.split("/", 3 if name.startswith("transfer/") else 1)
        (group,) = (each for each in published["groups"] if each["settings"][0] == setting)
        if crossed:
            return float(group["transfer"]["directions"][crossed[1]][crossed[0]])
        return float(group["figures"][what]["value"])
    found = published
    for key in name.split("/"):
        found = found[key]
    value: float = found["mean"] if isinstance(found, dict) else found
    return value


def test_dvc_metrics_diff_tells_what_was_taken_back_since(clone: Path) -> None:
    run(clone, "epc", "snapshot", "tags", "--restore")
    words = ("dvc", "metrics", "diff", "--json")
    old = json.loads(run(clone, *words, "v1.0-GPT4o-0806"))
    path = "snapshots/headlines/v1.0-CoinFlip.json"
    assert len(old) == len(tags(clone))
    assert old["snapshots/headlines/v1.0-GPT4o-0806.json"]["gamma/text_to_visual"]["new"] == 1.176

    run(clone, "epc", "snapshot", "withdraw", "v1.0-CoinFlip", "--reason", "r")

    assert json.loads(run(clone, *words)) == {
        path: {"event": {"old": "published", "new": "withdrawn"}}
    }


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
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", "--no-tags", str(clone), str(other))
    for folder in (clone, other):
        run(folder, sys.executable, "-m", "epc", "snapshot", "tags", "--restore")

    made = [git(folder, "for-each-ref", "refs/tags") for folder in (clone, other)]

    assert made[0] == made[1]
    assert set(git(clone, "tag", "--list").split()) == set(tags(clone))
    at = git(clone, "log", "-1", "--format=%H", "--", "snapshots/v1.0-CoinFlip").strip()
    assert git(clone, "rev-parse", "v1.0-CoinFlip^{commit}").strip() == at


# What a page's commands stand for here, and those that end otherwise than with 0, with the reason.
PLACES = {
    "ADDRESS": "{address}",
    "PLACE": "{address}/snapshots/.store",
    "v1.0-Example": "v1.0-CoinFlip",
}
OTHERWISE = {
    "epc snapshot diff": 1,  # the two differ
    "epc snapshot drift": 2,  # no watch has alarmed
}
NAMED = re.compile(r"\bv\d+\.\d+-\w|\bdvc\b|\bgit (tag|checkout)\b|\bsnapshot tags\b")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(ROOT))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def sections() -> Iterator[Any]:
    """Yield each block of commands that names a tag or DVC; what a block needs stands in it."""
    for page in ("README.md", "site/docs/registry.md", "site/docs/machines.md"):
        for number, block in enumerate(blocks(ROOT / page, "sh")):
            typed = [line for line in block.splitlines() if NAMED.search(line)]
            if typed:
                yield pytest.param(typed, id=f"{page}-{number}")


@pytest.mark.parametrize("typed", [*sections()])
def test_every_command_of_a_page_that_names_a_tag_or_dvc_works_as_typed(
    clone: Path, address: str, typed: list[str]
) -> None:
    for line in typed:
        command = line
        for place, meant in PLACES.items():
            command = command.replace(place, meant.format(address=address))
        code = next((code for start, code in OTHERWISE.items() if line.startswith(start)), 0)
        run(clone, "bash", "-c", command, code=code)
        git(clone, "checkout", "--quiet", "--", "snapshots")  # each starts from what is published


DATA = ROOT / "site" / "docs" / "data.md"
STANDS_FOR = {"REPOSITORY": "{clone}", "ADDRESS": "{address}"}


def filled(text: str, clone: Path, address: str) -> str:
    """Return a block of a page with a clone and an address in the places of the names."""
    for name, meant in STANDS_FOR.items():
        text = text.replace(name, meant.format(clone=clone, address=address))
    return text


@pytest.mark.parametrize("number", range(len(blocks(DATA, "sh"))))
def test_every_block_of_commands_of_the_page_about_data_works_as_typed(
    clone: Path, address: str, tmp_path: Path, number: int
) -> None:
    typed = blocks(DATA, "sh")[number]
    where = tmp_path if "REPOSITORY" in typed else clone

    run(clone, "bash", "-ec", f"cd {where}\n{filled(typed, clone, address)}")


def test_the_python_of_the_page_about_data_needs_the_tags_only_where_it_says_so(
    clone: Path, address: str
) -> None:
    _, _, without, outside, at_tag = blocks(DATA, "python")
    for typed in (without, filled(outside, clone, address)):
        run(clone, sys.executable, "-c", f"{typed}\nassert first.startswith('{{')")
    assert "rev=" in at_tag
    assert "epc snapshot tags --restore" in at_tag
    run(clone, sys.executable, "-c", at_tag, code=1)

    run(clone, "epc", "snapshot", "tags", "--restore")

    run(clone, sys.executable, "-c", f"{at_tag}\nassert first.startswith('{{')")


def test_dvc_pull_at_a_first_tag_is_as_the_page_says(clone: Path) -> None:
    """It fetches everything and exits 1; at a tag that has the pipeline's folder it exits 0."""
    run(clone, "epc", "snapshot", "tags", "--restore")
    git(clone, "checkout", "--quiet", "v1.0-CoinFlip")
    assert not (clone / "pipeline").exists()

    run(clone, "dvc", "pull", code=1)

    run(clone / "snapshots/v1.0-CoinFlip", "sha256sum", "--check", "--quiet", "SHA256SUMS")
