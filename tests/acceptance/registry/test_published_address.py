"""The registry's commands without a checkout, over the published document."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands_support import rows, run
from registry_support import ROOT, Checkout, date_claim, generation_record, life_record
from web_support import folder_served


@contextmanager
def served(checkout: Checkout, folder: Path) -> Iterator[str]:
    """Publish a checkout's registry.json in a folder, over HTTP."""
    folder.mkdir()
    done = run(checkout.folder, "admin", "snapshot", "export")
    (folder / "registry.json").write_text(done.stdout)
    with folder_served(folder) as address:
        yield address


@pytest.fixture
def address(checkout: Checkout, tmp_path: Path) -> Iterator[str]:
    with served(checkout, tmp_path / "public") as text:
        yield text


def test_without_a_checkout_the_published_document_answers_alike(
    checkout: Checkout, address: str, tmp_path: Path
) -> None:
    arguments = ("expiry", "--as-of", "2026-07-15", "--format", "json")
    result = run(checkout.folder, *arguments)
    places = [address, f"{address}/registry.json", str(checkout.folder)]
    places += [str(checkout.home), str(tmp_path / "public"), str(tmp_path / "public/registry.json")]

    for place in places:
        away = run(tmp_path, *arguments, "--registry", place)
        assert (away.returncode, rows(away)) == (result.returncode, rows(result)), place


@pytest.mark.parametrize("words", [("list",), ("show", "v1.0-Judge-1")])
@pytest.mark.parametrize("form", ["text", "json"])
def test_an_address_lists_and_shows_as_a_checkout_does(
    checkout: Checkout, tmp_path: Path, words: tuple[str, ...], form: str
) -> None:
    checkout.publish("v1.1-Judge-1", day="2026-03-01")
    with served(checkout, tmp_path / "public") as address:
        result = run(checkout.folder, "snapshot", *words, "--format", form)
        away = run(tmp_path, "snapshot", *words, "--format", form, "--registry", address)

    assert result.stdout
    assert result.returncode in {0, 1}
    assert (away.returncode, away.stdout) == (result.returncode, result.stdout), away.stderr


@pytest.mark.parametrize(("retires", "code"), [("2026-12-31", 0), ("2026-01-01", 1)])
def test_the_gates_of_the_documents_work_against_a_published_registry(
    checkout: Checkout, tmp_path: Path, retires: str, code: int
) -> None:
    """The very commands that a reader copies, with our address for the ADDRESS in the example."""
    text = (ROOT / "site" / "docs" / "gate.md").read_text("utf-8")
    example = "ADDRESS/registry.json"
    hook = re.search(r"entry: (epc expiry .*?)}", text)
    action = re.search(r"- run: (epc expiry .*)", text)
    assert hook
    assert action
    life = life_record(platform="openai", model="gpt-4o-2024-08-06", retires=date_claim(retires))
    checkout.evaluator(generation_record("GPT4o-0806", life))
    with served(checkout, tmp_path / "public") as address:
        for found in (hook, action):
            assert example in found[1]
            arguments = shlex.split(found[1].replace(example, f"{address}/registry.json"))
            done = run(tmp_path, *arguments[1:])
            assert done.returncode == code, done.stderr


def test_an_address_that_does_not_answer_is_the_worlds_failure(
    checkout: Checkout, address: str, tmp_path: Path
) -> None:
    done = run(tmp_path, "expiry", "--registry", f"{address}/nothing.json")

    assert done.returncode == 3
    assert "nothing.json" in done.stderr
    assert "fix:" in done.stderr


@pytest.mark.parametrize("content", ["{}", "[]", "not JSON", '{"snapshots": 3}'])
def test_a_document_that_is_no_registry_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "registry.json").write_text(content)

    done = run(tmp_path, "expiry", "--registry", "registry.json")

    assert done.returncode == 2
    assert "registry.json" in done.stderr
