"""The architecture page against the code: its rooms, its picture and its three journeys."""

import importlib
import json
import re
from itertools import groupby, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import pytest
from studies.features import FEATURES, by_room, modules, modules_of, shared, with_table
from studies.mutants import UNIT, module_beside
from studies.rooms import PICTURE, picture, used
from studies.totals import PAGES, with_totals
from test_layers import ALLOWED, ROOMS, ROOT, imports

from epc.cli.program import program

PAGE = Path(__file__).parents[1] / "site" / "docs" / "architecture.md"
# Heading: the modules that a walk may enter at most.
JOURNEYS = {
    "From a model's reply to gamma": 12,
    "From a judge's reply to its archived judgment": 6,
    "From a submission to its page": 11,
}
STEP = re.compile(r"^\| (\d+) \| `(epc[\w.]+)` \| (calls|gives to|written to `[^`]+`|-) \| .+ \|$")


def section(heading: str) -> str:
    """Return what stands below a heading of the page, up to the next one."""
    after = PAGE.read_text("utf-8").split(f"## {heading}\n")[1]
    return re.split(r"^## ", after, flags=re.MULTILINE)[0]


def steps(heading: str) -> list[tuple[str, str]]:
    """Return a journey's functions by their full names, each with how it hands its value on."""
    rows = [STEP.match(line) for line in section(heading).splitlines() if line.startswith("| ")]
    actual_rows = [row for row in rows if row]
    assert [int(row[1]) for row in actual_rows] == list(range(1, len(actual_rows) + 1)), (
        "number the steps"
    )
    assert len(actual_rows) == len(rows) - 1, "each row but the head is a step"
    return [(row[2], row[3]) for row in actual_rows]


def module_of(name: str) -> str:
    """Return the module that a full name stands in; the name has to lead to something there."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 1, -1):
        if (file := ROOT.joinpath(*parts[1:length])).with_suffix(".py").is_file():
            module = ".".join(parts[:length])
            value: object = importlib.import_module(module)
            for part in parts[length:]:
                assert hasattr(value, part), f"{module} has no {part}: mend {name} in {PAGE}"
                value = getattr(value, part)
            assert callable(value), f"{name} is nothing to call"
            return module
        assert not (file / f"{parts[length]}.py").is_file(), f"{name} names no function"
    raise AssertionError(f"there is no module for {name}")


def is_imported(module: str, by: str) -> bool:
    """Return whether a module imports another one, at its head or inside a function."""
    return module in set(imports(ROOT.joinpath(*by.split(".")[1:]).with_suffix(".py")))


def rooms(heading: str) -> list[str]:
    """Return the rooms that a journey passes through, in order."""
    return [room for room, _ in groupby(name.split(".")[1] for name, _ in steps(heading))]


def is_command(path: str) -> bool:
    """Return whether `epc` has a command of these words."""
    command: click.Command | None = program
    for word in path.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
        if command is None:
            return False
    return True


def test_each_unit_test_file_is_of_a_module_that_is_there() -> None:
    """The mutation study tries a module's mistakes by the files that its name leads to."""
    root = PAGE.parents[2]
    files = [path.relative_to(root) for path in sorted((root / UNIT).rglob("test_*.py"))]

    assert len(files) > 200
    assert [file for file in files if not module_beside(file)] == [], "name it as its module is"


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("test_data.py", "registry/data.py"),
        ("test_data_card.py", "registry/data.py"),
        ("test_data_rows_in_order.py", "registry/data_rows.py"),
        ("test_datum.py", None),
        ("scan/test_scan.py", "registry/scan/scan.py"),
        ("scan/test_data.py", None),
    ],
)
def test_a_test_file_is_of_the_longest_module_name_that_begins_its_own(
    file: str, module: str | None
) -> None:
    assert module_beside(UNIT / "registry" / file) == (Path("epc", module) if module else None)


def test_the_table_of_features_says_where_each_stands_today() -> None:
    text = PAGE.read_text("utf-8")

    assert text == with_table(text), "run tests/studies/features.py"
    assert len(FEATURES) == len({feature.name for feature in FEATURES})


def test_the_pages_say_the_totals_of_recorded_verdicts_that_the_registry_has() -> None:
    """Beside the sentence's own: the numbers by the published documents alone."""
    documents = [
        (
            json.loads(path.read_text("utf-8")),
            json.loads((path.parent / "snapshot.json").read_text()),
        )
        for path in sorted((Path(__file__).parents[1] / "snapshots").glob("*/observed.json"))
    ]
    total = sum(observed["verdicts"] for observed, _ in documents)
    kept = sum(observed["verdicts"] for observed, card in documents if card["kept"])
    for page in PAGES:
        text = page.read_text("utf-8")
        assert text == with_totals(text), "run tests/studies/totals.py"
        assert f"{len(documents)} snapshots" in text
        assert f" hold {total:,} verdicts" in text
        assert f" {kept:,} are in the store" in text


def test_every_pattern_of_a_feature_names_modules_and_tests_that_are_there() -> None:
    root = PAGE.parents[2] / "tests"
    unmatched = [
        (feature.name, pattern)
        for feature in FEATURES
        for pattern in feature.modules.split()
        if not modules_of(feature._replace(modules=pattern))
    ]
    missing = [
        (feature.name, pattern)
        for feature in FEATURES
        for pattern in feature.tests.split()
        if not list(root.glob(pattern))
    ]

    assert unmatched == []
    assert missing == []
    assert all(feature.tests for feature in FEATURES)


def test_every_module_stands_in_the_table_and_few_serve_all_features() -> None:
    taken = {name for feature in FEATURES for name in modules_of(feature)}

    assert taken | {*shared()} == {*modules()}
    assert not taken & {*shared()}
    assert len(shared()) < 30, by_room(shared())


def test_every_command_and_page_of_a_feature_exists() -> None:
    commands = {
        name
        for feature in FEATURES
        for name in feature.commands.split(", ")
        if name and not is_command(name)
    }
    pages = {feature.page for feature in FEATURES if not (PAGE.parent / feature.page).is_file()}

    assert commands == set()
    assert pages == set()


def test_the_page_asks_a_question_of_every_room_in_order() -> None:
    rows = re.findall(r"^\| `(\w+)/` \| (.+\?) \|", section("Rooms"), re.MULTILINE)

    assert [room for room, _ in rows] == list(ROOMS)
    assert len({question for _, question in rows}) == len(ROOMS)


def test_the_picture_shows_the_imports_as_they_are() -> None:
    assert PICTURE.read_text("utf-8") == picture(used()), "run tests/studies/rooms.py"


def test_the_picture_has_a_mark_for_each_import_and_says_it_in_words() -> None:
    drawn = ET.fromstring(picture(used()))
    marks = [mark.get("class") for mark in drawn.iter("{http://www.w3.org/2000/svg}circle")]
    words = drawn.findtext("{http://www.w3.org/2000/svg}desc") or ""

    # The key under the picture holds one mark of each kind.
    assert marks.count("does") == sum(map(len, used().values())) + 1
    assert marks.count("does") + marks.count("may") == sum(map(len, ALLOWED.values())) + 2
    assert "spec imports from no other room;" in words
    assert "statistics imports from spec;" in words
    assert "http" not in picture(used()).replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("heading", JOURNEYS)
def test_each_step_of_a_journey_is_tied_to_the_next_as_the_page_says(heading: str) -> None:
    walk = [(name, module_of(name), how) for name, how in steps(heading)]

    for (name, module, how), (following, after, _) in pairwise(walk):
        if how == "calls":
            assert is_imported(after, by=module), f"{name} does not import {following}"
        elif how == "gives to":
            assert module == after or is_imported(module, by=after), f"{following}: no {name}"
        else:
            assert how.startswith("written to"), f"{name} hands its value to nobody"
    assert walk[-1][2] == "-"


@pytest.mark.parametrize("heading", JOURNEYS)
def test_a_journey_goes_one_way_through_few_modules(heading: str) -> None:
    """No climb: a value never comes back to a room that it has left."""
    places = [ROOMS.index(room) for room in rooms(heading)]

    assert places in (sorted(places), sorted(places, reverse=True)), rooms(heading)
    assert len({module_of(name) for name, _ in steps(heading)}) <= JOURNEYS[heading]


@pytest.mark.parametrize("heading", JOURNEYS)
def test_the_page_counts_the_modules_of_its_journeys(heading: str) -> None:
    modules = len({module_of(name) for name, _ in steps(heading)})

    assert f"{modules} modules" in section(heading)
