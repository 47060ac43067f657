"""What left the program ends with one line that says what to do instead, and exit code 2."""

from pathlib import Path

import pytest
from program_support import as_text, run_program

from epc.cli.departures import DEPARTURES, Departure

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
TYPED = [row for row in DEPARTURES if row.kind in {"command", "option"}]


@pytest.mark.parametrize("row", TYPED, ids=lambda row: row.name)
def test_what_left_and_is_typed_ends_with_exit_2_and_one_line_of_what_to_do(row: Departure) -> None:
    typed = row.name.removeprefix("epc ").split()

    done = as_text(run_program(*typed))

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"epc: `{row.name}` is no longer there: {row.instead}\n"


def test_an_option_that_never_was_is_click_s_own_error() -> None:
    done = as_text(run_program("run", "--no-such-option"))

    assert done.returncode == 2
    assert "No such option '--no-such-option'" in done.stderr


def test_the_table_names_a_thing_once() -> None:
    names = [row.name for row in DEPARTURES]

    assert len(names) == len({*names})


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("vertex/x", "run a LiteLLM proxy"),
        ("google/vertex/x", "run a LiteLLM proxy"),
        ("anthropic/vertex/x", "run a LiteLLM proxy"),
        ("anthropic/bedrock/x", "did you mean bedrock/x?"),
        ("inspect/openai/x", "did you mean openai/x?"),
        ("calibrated:mock/deterministic", "balanced:MODEL"),
    ],
)
def test_a_model_s_name_that_left_ends_with_exit_2_and_what_to_name(
    name: str, instead: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"

    done = as_text(
        run_program("run", "--evaluator", name, "--executor", "mock/deterministic", "--out", out)
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert instead in done.stderr
    assert not out.exists()
