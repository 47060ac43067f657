"""The pages against the program: every command in a shell block is run, and prints what is shown.

`make docs-output` writes into the pages what their commands print now.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from budget_support import by_night, is_night
from pages_folder_support import PAGES, cloned, shell, taken_back
from pages_support import REASONS, blocks, is_shown, misuses
from registry_support import ROOT

COMMANDS = {page: found for page in PAGES if (found := blocks(page.read_text("utf-8")))}
# What takes a minute or more, and what stands in for it by day.
JUDGING = (
    ("--evaluator local/smollm2-135m-likelihood", "--evaluator mock/deterministic"),
    ("--judge local/smollm2-135m-constrained", "--judge mock/deterministic"),
)
# What prints nothing here, and runs elsewhere: in a job of ci.yml, and in test_reply_vectors.py.
SILENT = (
    ("epc snapshot verify ", "true "),
    (".venv/bin/python tests/conformance/work_vectors.py", "true"),
)
# A dozen runs of DVC, of which test_fresh_clone.py has those that say most by day; `epc data` is in
# registry/test_data.py, and what goes over HTTP in registry/test_every_tag.py.
BY_NIGHT = (ROOT / "site" / "docs" / "data.md",)
TUTORIALS = ("getting-started", "read-a-snapshot", "gate", "contributing")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cloned(tmp_path_factory.mktemp("pages"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [*(page for page in COMMANDS if page not in BY_NIGHT), *by_night(BY_NIGHT)],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_every_command_of_a_page_does_and_prints_what_the_page_says(
    page: Path, clone: Path, tmp_path: Path
) -> None:
    """By day nothing that a scripted judge stands in for has to be printed as shown."""
    held = True
    with taken_back(clone), shell(clone, tmp_path) as shell_of_page:
        for block in COMMANDS[page]:
            if block.how == "not run":
                continue
            quick = block
            if block.how is None and not is_night():
                typed = block.typed
                for line, nothing in SILENT:
                    typed = typed.replace(line, nothing)
                for model, stand_in in JUDGING:
                    held = held and model not in typed
                    typed = typed.replace(model, stand_in)
                quick = replace(block, typed=typed)
            printed = shell_of_page.run(quick)
            assert block.holds is None or not held or is_shown(block.holds, printed), printed


def test_every_command_of_a_page_is_one_of_the_program() -> None:
    lines = [line for found in COMMANDS.values() for block in found for line in block.commands]

    assert [misuse for line in lines for misuse in misuses(line)] == []


def test_each_shell_block_that_cannot_run_says_why_and_they_do_not_grow() -> None:
    left = [block for command in COMMANDS.values() for block in command if block.how]

    assert {block.why for block in left} <= REASONS.keys()
    counted = Counter(block.how for block in left)
    assert counted["not run"] <= 71, "let the test run it, or say why nobody can"
    assert counted["run on mocks"] <= 14, "let the test run it on a real model"
    assert sum(map(len, COMMANDS.values())) >= 140


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_shows_what_its_commands_print(name: str) -> None:
    command = COMMANDS[ROOT / "site" / "docs" / f"{name}.md"]

    assert sum(block.shown is not None for block in command) >= 3
    assert all(block.how == "not run" for block in command if block.how)


def test_no_fence_of_commands_escapes() -> None:
    """A block in a list or after a comment is found as any other."""
    for page in PAGES:
        text = page.read_text("utf-8")
        assert text.count("```sh\n") == len(COMMANDS.get(page, [])), page
        assert "```bash" not in text
        assert text.count("<!-- not run") + text.count("<!-- run on") == sum(
            block.how is not None for block in COMMANDS.get(page, [])
        ) + (2 if page.name == "CONTRIBUTING.md" else 0), page
