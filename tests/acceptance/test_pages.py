"""The pages against the program: every command in a shell block is run, and prints what is shown.

`make docs-output` writes into the pages what their commands print now.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from budget_support import is_night
from pages_folder_support import PAGES, cloned, shell, taken_back
from pages_support import REASONS, blocks, is_shown, mended, misuses
from registry_support import ROOT

COMMANDS = {page: found for page in PAGES if (found := blocks(page.read_text("utf-8")))}
JUDGING = "--evaluator local/smollm2-135m-likelihood"
TUTORIALS = ("getting-started", "read-a-snapshot", "gate", "contributing")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cloned(tmp_path_factory.mktemp("pages"))


@pytest.mark.slow
@pytest.mark.parametrize("page", COMMANDS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_does_and_prints_what_the_page_says(
    page: Path, clone: Path, tmp_path: Path
) -> None:
    """By day a scripted judge stands in for the one that takes two minutes a run."""
    held = True
    with taken_back(clone), shell(clone, tmp_path) as typed:
        for block in COMMANDS[page]:
            assert [told for line in block.commands for told in misuses(line)] == []
            if block.how == "not run":
                continue
            quick = block
            if block.how is None and JUDGING in block.typed and not is_night():
                quick = replace(
                    block, typed=block.typed.replace(JUDGING, "--evaluator mock/deterministic")
                )
                held = False
            printed = typed.run(quick)
            assert block.holds is None or not held or is_shown(block.holds, printed), printed


def test_each_shell_block_that_cannot_run_says_why_and_they_do_not_grow() -> None:
    left = [block for found in COMMANDS.values() for block in found if block.how]

    assert {block.why for block in left} <= REASONS.keys()
    counted = Counter(block.how for block in left)
    assert counted == {"not run": 57, "run on mocks": 14}, "let the test run more, and count again"
    assert sum(map(len, COMMANDS.values())) == 125


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_shows_what_its_commands_print(name: str) -> None:
    found = COMMANDS[ROOT / "site" / "docs" / f"{name}.md"]

    assert sum(block.shown is not None for block in found) >= 3
    assert all(block.how == "not run" for block in found if block.how)


def test_no_fence_of_commands_escapes() -> None:
    """A block in a list or after a comment is found as any other."""
    for page in PAGES:
        text = page.read_text("utf-8")
        assert text.count("```sh\n") == len(COMMANDS.get(page, [])), page
        assert "```bash" not in text
        assert text.count("<!-- not run") + text.count("<!-- run on") == sum(
            block.how is not None for block in COMMANDS.get(page, [])
        ) + (2 if page.name == "CONTRIBUTING.md" else 0), page


PAGE = """\
<!-- not run: key -->
```sh
epc run --evaluator M \\
  --executor M --bogus 3
```

1. A step.

    ```sh
    epc expiry gpt  # exits 1: it ended
    ```

    ```
    first
    ...
    last 2
    ```
"""


def test_a_block_is_read_with_its_reason_its_lines_and_its_output() -> None:
    first, second = blocks(PAGE)

    assert (first.how, first.why, first.shown) == ("not run", "key", None)
    assert first.commands == ["epc run --evaluator M  --executor M --bogus 3"]
    assert second.shown == "first\n...\nlast 2\n"
    assert second.how is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("epc run --evaluator M --bogus 3", "--bogus"),
        ("export A=1 && epc nothing", "nothing"),
        ("epc evaluators shown gpt", "shown"),
        ("curl -s x | epc expiry --format xml", "xml"),
        ("epc run --evaluator", "requires an argument"),
        ("epc run --evaluator M --executor M > out", None),
    ],
)
def test_a_command_that_is_not_run_is_parsed(line: str, said: str | None) -> None:
    told = [*misuses(line)]

    assert (said is None) == (told == [])
    assert said is None or said in told[0]


def test_shown_output_is_all_of_it_but_for_the_lines_at_an_ellipsis() -> None:
    printed = "first\nsecond\nlast 3\n"

    assert is_shown("first\n...\nlast 3\n", printed)
    assert is_shown("...\nsecond\n...\n", printed)
    assert not is_shown("first\nlast 3\n", printed)
    assert not is_shown("first\n...\nlast 2\n", printed)
    assert mended("first\n...\nlast 2\n", printed) == "first\n...\nlast 3\n"
    assert mended("first\n", printed) == printed
