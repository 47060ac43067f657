"""Tests of CONTRIBUTING.md and of the settings of editors and hooks."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import yaml
from test_layers import ROOMS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
CODE = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def page_commands() -> Iterator[list[str]]:
    """Yield each command of the page's blocks, without what is said of it."""
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL):
        for line in block.splitlines():
            yield shlex.split(line, comments=True)


def commands_beginning(*begin: str) -> list[list[str]]:
    """Return the commands that begin like this."""
    return [command for command in page_commands() if command[: len(begin)] == list(begin)]


def test_each_make_target_that_the_page_names_exists() -> None:
    named = {code.split()[1] for code in CODE if code.startswith("make ")}
    named |= {command[1] for command in commands_beginning("make")}

    assert {"fast", "check"} <= named <= TARGETS


def test_the_programs_that_make_starts_may_keep_what_python_compiles() -> None:
    probe = 'probe: ; @echo "[$$PYTHONDONTWRITEBYTECODE]"'
    arguments = ["make", "--no-print-directory", "--eval", probe, "probe"]
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}

    done = subprocess.run(arguments, cwd=ROOT, env=env, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_each_place_that_the_page_names_exists() -> None:
    places = [code for code in CODE if re.match(r"(epc|site|tests|requirements|\.dev\w+)/", code)]
    missing = [p for p in places if not re.search(r"\b(NAME|ROOM)\b", p) and not list(ROOT.glob(p))]

    assert len(places) > 30
    assert missing == []


def test_the_page_states_the_rooms_in_their_order() -> None:
    stated_match = re.search(r"`(spec -> [^`]+)`", TEXT)

    assert stated_match
    assert re.findall(r"\w+", stated_match[1]) == list(ROOMS)


_COLLECT = """
import json, pytest, sys
for words in json.loads(sys.argv[1]):
    assert pytest.main([*words, "--collect-only", "-q"]) == 0, words
"""


def names_of_tests(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8") for path in folder.rglob("test_*.py"))


def test_each_way_to_run_the_tests_of_a_file_finds_tests() -> None:
    ways = [
        command[1:]
        for command in commands_beginning(".venv/bin/pytest")
        if command[1].endswith(".py")
    ]
    ran = subprocess.run(
        [sys.executable, "-c", _COLLECT, json.dumps(ways)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(ways) >= 3
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_each_word_that_the_page_looks_for_in_a_folder_is_in_the_name_of_a_test() -> None:
    ways = [c[1:] for c in commands_beginning(".venv/bin/pytest") if c[1].startswith("tests/")]
    folders = [way for way in ways if not way[0].endswith(".py")]

    assert [folder for folder, _, _ in folders] == ["tests/unit"]
    for folder, option, word in folders:
        assert option == "-k"
        assert re.search(rf"def test_\w*{word}", names_of_tests(ROOT / folder))


def test_each_clause_that_the_page_selects_has_tests() -> None:
    selected = [c[2] for c in commands_beginning(".venv/bin/pytest", "-k")]
    names = names_of_tests(ROOT / "tests")

    assert selected == ["epc_2_3_c", "reading_r4"]
    assert all(re.search(rf"def test_\w*{name}_", names) for name in selected)


def test_the_pages_expected_json_is_that_of_an_example() -> None:
    shown_json = json.loads(re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)[0])
    examples = (ROOT / "tests" / "acceptance" / "examples" / "invalid").glob("*/expected.json")

    assert shown_json in [json.loads(path.read_text("utf-8")) for path in examples]


def test_hooks_run_what_is_in_the_virtual_environment_and_fetch_nothing() -> None:
    config: Any = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]

    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in hooks:
        program, *text = hook["entry"].split()
        assert (Path(program).parent, hook["language"]) == (Path(".venv/bin"), "system")
        assert all((ROOT / path).exists() for path in text if "/" in path)
    assert {Path(hook["entry"].split()[0]).name for hook in hooks} == {"ruff", "pytest"}


def test_editors_leave_alone_what_digests_are_taken_of() -> None:
    given = ConfigParser()
    given.read_string("[root]\n" + (ROOT / ".editorconfig").read_text("utf-8"))
    *_, kept = given.sections()

    assert given["*.py"]["max_line_length"] == "100"
    assert given["Makefile"]["indent_style"] == "tab"
    assert {"snapshots", "submissions"} <= set(re.findall(r"[\w/]+", kept))
    assert set(given["*"]) - set(given[kept]) == {"indent_style", "indent_size"}
    assert set(given[kept].values()) == {"unset"}


def test_the_container_has_the_oldest_python_that_is_promised_and_begins_with_make_fast() -> None:
    document = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    promised = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())

    assert promised
    assert document["image"].startswith(f"python:{promised[1]}-")
    assert document["postCreateCommand"].split()[0] == "make"
    assert document["postCreateCommand"].split()[1] in TARGETS
