"""How many planted mistakes do the tests beside a module catch? A seeded sample, by room.

    nice python tests/studies/mutants.py --mutants 400 --jobs 2

Draws mutants of `epc/` in proportion to what each room has to mutate, plants each in a temporary
copy of the package (never in the work tree), and runs the tests beside the module there:
tests/unit/<room>/test_<module>.py and test_<module>_<topic>.py; where there is none, the unit tests
of the room that import the module; where there are none, all of the room's. A file is of one
module: of those in its folder, the one with the longest name that its own begins with.

Writes build/mutants.csv and prints the score with its Wilson interval. With `--publish` the table
is `mutants.csv` here, and README.md gets the scores and each survivor with its class in
`survivors.csv`. Every beginning of the sample is itself in proportion, so a study that ran out of
minutes is a smaller study, not a biased one. `--at epc/room/module.py:12` tries every mutant of one
line instead, and `--again` those of a table that was written before, wherever their lines stand
now: what tests that were added since are worth.

A script of our own, not a package: mutmut and cosmic-ray mutate a whole program and run one
command for every mutant. A stratified sample and the choice of tests by module are what this study
is about, and are most of this file. `trying.py` runs the tests.
"""

import argparse
import ast
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from studies.mutation_page import (
    TABLE,
    Mutant,
    classes,
    part,
    published,
    rows_of,
    summary,
    written,
)
from studies.mutations import sites
from studies.trying import Asked, Pool

ROOT = Path(__file__).parents[2]
UNIT = Path("tests", "unit")
COPIED = ("epc", "tests")


def planted(source: str, mutant: Mutant) -> str:
    """Return a module's text with its mistake, and note in the mutant what it is."""
    tree = ast.parse(source)
    site = sites(tree)[mutant.index]
    mutant.line, mutant.kind, mutant.before = site.line, site.kind, ast.unparse(site.node)[:120]
    mutant.source = source.splitlines()[site.line - 1].strip()
    site.plant()
    mutant.after = ast.unparse(site.node)[:120]
    return ast.unparse(tree)


def drawn(number: int, seed: int, rooms: set[str]) -> list[Mutant]:
    """Return a sample by room in proportion, its order such that each beginning is one too."""
    draw = random.Random(seed)
    by_room: dict[str, list[Mutant]] = {}
    for path in sorted((ROOT / "epc").rglob("*.py")):
        module = path.relative_to(ROOT)
        room = module.parts[1] if len(module.parts) > 2 else ""
        if (ROOT / UNIT / room).is_dir() and room and (not rooms or room in rooms):
            actual_sites = sites(ast.parse(path.read_text("utf-8")))
            by_room.setdefault(room, []).extend(
                Mutant(room=room, module=module, index=index) for index in range(len(actual_sites))
            )
    whole_total = sum(map(len, by_room.values()))
    placed = []
    for room in sorted(by_room):
        share = max(1, round(number * len(by_room[room]) / whole_total))
        taken = draw.sample(by_room[room], min(share, len(by_room[room])))
        placed += [
            ((position + 0.5) / share, room, mutant) for position, mutant in enumerate(taken)
        ]
    return [mutant for _, _, mutant in sorted(placed, key=lambda each: each[:2])]


def mutants_of_line(place: str) -> list[Mutant]:
    """Return every mutant of a line, given as FILE:LINE."""
    name, _, line = place.rpartition(":")
    module = Path(name)
    actual_sites = sites(ast.parse((ROOT / module).read_text("utf-8")))
    return [
        Mutant(room=module.parts[1], module=module, index=index)
        for index, site in enumerate(actual_sites)
        if site.line == int(line)
    ]


def _apart(mutant: Mutant, other: Mutant) -> tuple[int, int]:
    return abs(mutant.line - other.line), abs(mutant.index - other.index)


def mutants_of_table(table: Path, outcome: str = "") -> Iterator[Mutant]:
    """Yield the mutants of a table, or those with an outcome, whose source line still stands."""
    taken: set[tuple[Path, int]] = set()
    for row in rows_of(table):
        if outcome not in {"", row.outcome} or not (ROOT / row.module).is_file():
            continue
        source = (ROOT / row.module).read_text("utf-8")
        lines = [line.strip() for line in source.splitlines()]
        same = []
        for index, site in enumerate(sites(ast.parse(source))):
            mutant = Mutant(room=row.room, module=row.module, index=index)
            if lines[site.line - 1] == row.source and (row.module, index) not in taken:
                planted(source, mutant)
                same += [mutant] if mutant.change == row.change else []
        if same:
            nearest = min(same, key=partial(_apart, row))
            taken.add((nearest.module, nearest.index))
            yield nearest


def module_beside(test: Path, root: Path = ROOT) -> Path | None:
    """Return the module that a unit test file is of, by its name; `None` where there is none.

    Its folder below tests/unit is that of the module in epc/, pipeline/ or tests/. A folder's
    `__init__.py` goes by the name of the folder.
    """
    folder, arguments = test.parent.relative_to(UNIT), test.stem.split("_")[1:]
    for length in range(len(arguments), 0, -1):
        name = "_".join(arguments[:length])
        for top in ("epc", "pipeline", "tests"):
            for stem in (name, "__init__") if name == folder.name else (name,):
                if (root / top / folder / f"{stem}.py").is_file():
                    return Path(top, folder, f"{stem}.py")
    return None


def tests_of(module: Path, root: Path) -> list[Path]:
    """Return the test files beside a module, else those of its room that import it, else all."""
    folder = root / UNIT.joinpath(*module.parts[1:-1])
    files = [path.relative_to(root) for path in sorted(folder.glob("test_*.py"))]
    if beside := [path for path in files if module_beside(path, root) == module]:
        return beside
    name = ".".join(module.with_suffix("").parts)
    parent, _, last = name.rpartition(".")
    arguments = (f"from {name} import", f"import {name}", f"from {parent} import {last}\n")
    every = sorted((root / UNIT / module.parts[1]).rglob("test_*.py"))
    near = [path for path in every if any(word in path.read_text("utf-8") for word in arguments)]
    return [path.relative_to(root) for path in near or every]


@dataclass(kw_only=True)
class Study:
    """What is asked of the pool, and what the tests of each file take without a mistake."""

    pool: Pool
    until: float
    seconds: dict[str, float | None]
    costs: dict[str, float]

    @classmethod
    def begun(cls, pool: Pool, mutants: list[Mutant], until: float) -> "Study":
        """Run the tests of the sample once as they are, room by room."""
        by_room: dict[str, set[str]] = {}
        for mutant in mutants:
            by_room.setdefault(mutant.room, set()).update(mutant.tests.split())
        study = cls(pool=pool, until=until, seconds={}, costs={})
        asked = (Asked(tests=tuple(sorted(files)), limit=1800) for files in by_room.values())
        for _, answer in pool.answers((one, None) for one in asked):
            study.costs |= answer.costs
            for name, cost in answer.costs.items():
                file = name.partition("::")[0]
                known = study.seconds.get(file, 0.0)
                failed = known is None or name in answer.failed
                study.seconds[file] = None if failed else (known or 0.0) + cost
        return study

    def tried(self, mutants: list[Mutant]) -> Iterator[Mutant]:
        """Yield each mutant once it is known what became of it."""
        for mutant, answer in self.pool.answers(self._asked(mutants)):
            mutant.outcome, mutant.seconds = answer.outcome, answer.seconds
            yield mutant

    def _asked(self, mutants: list[Mutant]) -> Iterator[tuple[Asked, Mutant]]:
        for mutant in mutants:
            tests = tuple(mutant.tests.split())
            usual = [self.seconds.get(file) for file in tests]
            wrong = planted((ROOT / mutant.module).read_text("utf-8"), mutant)
            if None not in usual and time.monotonic() < self.until:
                limit = 10 + 3 * sum(filter(None, usual))
                costs = {n: c for n, c in self.costs.items() if n.partition("::")[0] in tests}
                path = str(mutant.module)
                yield Asked(tests=tests, limit=limit, path=path, text=wrong, costs=costs), mutant


def copied(folder: Path) -> Path:
    """Return a copy of the checkout: its own package and tests, the rest as links."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name in COPIED:
            shutil.copytree(path, folder / path.name, symlinks=True)
        elif not path.name.startswith(".") and path.name != "build":
            (folder / path.name).symlink_to(path)
    return folder


def main() -> None:
    """Draw, plant, try and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=120.0, help="start none after these")
    parser.add_argument("--at", default="", help="every mutant of a line, as FILE:LINE")
    parser.add_argument("--again", type=Path, help="those of this table, once more")
    parser.add_argument("--outcome", default="", help="with --again: only those that came out so")
    parser.add_argument("--room", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutants.csv")
    parser.add_argument("--publish", action="store_true", help="write the table and page here")
    options = parser.parse_args()
    table = TABLE if options.publish else options.out
    until = time.monotonic() + 60 * options.minutes
    if options.again:
        mutants = list(mutants_of_table(options.again, options.outcome))
    else:
        mutants = (
            mutants_of_line(options.at)
            if options.at
            else drawn(options.mutants, options.seed, set(options.room))
        )
    for mutant in mutants:
        mutant.tests = " ".join(map(str, tests_of(mutant.module, ROOT)))
    done: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [copied(Path(folder, str(job))) for job in range(options.jobs)]
        with Pool.of(copies) as pool:
            study = Study.begun(pool, mutants, until)
            for mutant in study.tried(mutants):
                done.append(mutant)
                written(done, table)
                if mutant.outcome == "survived":
                    print(f"{mutant.module}:{mutant.line}: {mutant.before} -> {mutant.after}")
            began, spent = sum(study.costs.values()), sum(mutant.seconds for mutant in done)
    print("\n".join(summary(done, classes())))
    if options.publish and done:
        published(part(done, classes(), drawn=len(mutants), seed=options.seed))
    each = spent / max(1, len(done))
    print(f"{each:.1f} s of the processor a mutant, and {began:.0f} s for the tests as they are")


if __name__ == "__main__":
    main()
