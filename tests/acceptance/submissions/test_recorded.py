"""Recorded verdicts are offered with a word on whose they are, and it reaches the card."""

import json
from pathlib import Path

import pytest
from attack_support import attack
from engine_support import epc
from records_support import make_run
from submissions_support import Offered, errors, matching_errors

SOURCE = "Three annotators of the study A, June 2024, by its form 2; released with its data"
WHO = ("--contributor", "A. Name", "--login", "a-name", "--conflicts", "none")
CLAIM = ("--licence", "CC-BY-4.0", "--generation", "GPT4o-0806", "--platform", "openai")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A run over verdicts of a file: four strategies, of which others win in each domain."""
    verdicts = tmp_path / "verdicts.csv"
    rows = [
        f"{name},{domain},t{task},{'AB'[(number + task + (domain == 'text')) % 2]}"
        for number, name in enumerate(("step_by_step", "one", "two", "three"))
        for domain in ("text", "visual")
        for task in range(8)
    ]
    verdicts.write_text("\n".join(["strategy,domain,task,verdict", *rows]) + "\n")
    run = make_run(
        tmp_path / "run", evaluator=f"recorded:{verdicts}", executor=None, seeds=10, rounds=30
    )
    return run.folder


def test_reading_r77_a_recorded_measurement_says_whose_verdicts_they_are(
    recorded: Path, honest: Offered
) -> None:
    bare = epc("submission", "new", recorded, *WHO, *CLAIM, cwd=honest.checkout)
    arguments = (*WHO, *CLAIM, "--source", SOURCE)
    new = epc("submission", "new", recorded, *arguments, cwd=honest.checkout)

    assert bare.returncode == 2
    assert "  --source: Who gave the verdicts, when and how" in bare.stderr
    assert new.returncode == 0, new.stderr
    folder = new.stdout.strip()
    published = epc("admin", "snapshot", "publish", folder, "--no-git", cwd=honest.checkout)
    assert published.returncode == 0, published.stderr
    tag = published.stdout.strip()
    card = json.loads((honest.checkout / "snapshots" / tag / "snapshot.json").read_text())
    output = epc("snapshot", "show", tag, cwd=honest.checkout).stdout
    assert (card["source"], card["login"]) == (SOURCE, "a-name")
    assert f"  recorded   {SOURCE}\n" in output


def test_reading_r77_without_a_source_it_is_refused(recorded: Path, honest: Offered) -> None:
    honest.replace_run(recorded)
    honest.statement(generation="GPT4o-0806", platform="openai")

    (wrong,) = errors(honest.check())

    assert wrong["clause"] == "Reading R77"
    assert wrong["where"] == "submission.json/source"
    assert wrong["problem"] == "verdicts from a file, and nothing says whose they are"
    assert wrong["remedy"].startswith("say who gave them, when, how they were asked")


@attack("rendering")
@pytest.mark.parametrize("source", ["=1+1", "see https://evil.example", "a\u3164", "<b>x</b>"])
def test_a_source_is_only_text(source: str, honest: Offered) -> None:
    honest.statement(source=source)

    assert matching_errors(honest.check(), ("Submission S5", "submission.json/source", ""))


def test_a_source_is_stated_of_recorded_verdicts_alone(honest: Offered) -> None:
    honest.statement(source=SOURCE)

    wanted = ("Reading R77", "submission.json/source", "the verdicts were not recorded")
    assert matching_errors(honest.check(), wanted)
