"""Extras: the table of modules is that of pyproject.toml, and a missing one names itself."""

import re
import sys
import tomllib
from pathlib import Path

import click
import pytest
from studies.extras import PAGE, is_installed, with_table

from epc.cli.program import _NEEDS, program
from epc.errors import ExitCode
from epc.extras import (
    BRINGS,
    EXTRAS,
    PURPOSES,
    MissingExtraError,
    install,
    lacking,
    of_module,
    require,
)

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OTHERS = {"build", "dev", "fast"}  # no command asks for what builds and tests the program
PACKAGE = re.compile(r"[\w.-]+")


def test_every_extra_of_the_project_is_in_the_table_with_its_packages() -> None:
    extras = PROJECT["optional-dependencies"]

    assert set(EXTRAS) == set(extras) - OTHERS
    for extra, modules in EXTRAS.items():
        own = [each for each in extras[extra] if not each.startswith("epc-registry")]
        assert {PACKAGE.match(each)[0] for each in own} == set(modules), extra  # type: ignore[index]  # it begins so
        brought = [each for each in extras[extra] if each.startswith("epc-registry")]
        expected = [f"epc-registry[{','.join(BRINGS[extra])}]"] if extra in BRINGS else []
        assert brought == expected, extra


def test_every_extra_stands_in_the_one_table_and_what_pages_take_for_granted_is_there() -> None:
    text = PAGE.read_text("utf-8")

    assert text == with_table(text), "run tests/studies/extras.py"
    assert set(PURPOSES) == set(EXTRAS)
    assert all(map(is_installed, ("measure", "charts", "data", "judge", "local", "loop")))


def test_the_core_is_what_looking_things_up_takes() -> None:
    core = {PACKAGE.match(dependency)[0] for dependency in PROJECT["dependencies"]}  # type: ignore[index]  # it begins so

    assert core == {"click", "msgspec", "pyyaml"}


def test_what_a_command_needs_is_an_extra() -> None:
    assert set(_NEEDS) <= set(program.list_commands(click.Context(program)))
    assert set(_NEEDS.values()) <= set(EXTRAS)


def test_a_missing_module_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    require("judge")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "numpy", None)

    assert lacking("judge") == ["numpy", "scikit-learn"]
    with pytest.raises(MissingExtraError, match=r"extra `judge`; .*: numpy, scikit-learn") as error:
        require("judge")
    assert error.value.exit_code == ExitCode.MISUSE
    assert str(error.value).endswith(f"\n  fix: {install('judge')}")


@pytest.mark.parametrize(
    ("module", "extra"),
    [("numpy.random", "measure"), ("google", None), ("epc.x", None)],
)
def test_a_module_belongs_to_the_extra_that_installs_it(module: str, extra: str | None) -> None:
    assert of_module(module) == extra
