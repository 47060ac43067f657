"""How many planted mistakes do the tests beside a module catch? A seeded sample, by room.

    nice python tests/studies/mutants.py --mutants 400 --jobs 2 --minutes 60

Draws mutants of `epc/` in proportion to what each room has to mutate, plants each in a temporary
copy of the package (never in the work tree), and runs the tests beside the module there:
tests/unit/<room>/test_<module>.py; where there is none, the unit tests of the room that import the
module; where there are none, all of the room's. Writes build/mutants.csv and prints the score with
its Wilson interval. Every beginning of the sample is itself in proportion, so a study that ran out
of minutes is a smaller study, not a biased one.

A script of our own, not a package: mutmut and cosmic-ray mutate a whole program and run one
command for every mutant. A stratified sample and the choice of tests by module are what this study
is about, and are most of this file.
"""

import argparse
import ast
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from studies.mutations import sites

from epc.statistics.intervals import share_interval

ROOT = Path(__file__).parents[2]
UNIT = Path("tests", "unit")
COPIED = ("epc", "tests")
# What the unit tests need; to load every plugin that is installed takes as long as many tests do.
PLUGINS = ("_hypothesis_pytestplugin", "pytest_timeout", "pytest_socket", "no:cacheprovider")


@dataclass(kw_only=True)
class Mutant:
    """One planted mistake and what became of it: caught, timeout, survived, or no_baseline."""

    room: str
    module: Path
    index: int
    line: int = 0
    kind: str = ""
    before: str = ""
    after: str = ""
    outcome: str = "no_baseline"
    seconds: float = 0.0
    tests: str = ""


def planted(source: str, mutant: Mutant) -> str:
    """Return a module's text with its mistake, and note in the mutant what it is."""
    tree = ast.parse(source)
    site = sites(tree)[mutant.index]
    mutant.line, mutant.kind, mutant.before = site.line, site.kind, ast.unparse(site.node)[:120]
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
            found = sites(ast.parse(path.read_text("utf-8")))
            by_room.setdefault(room, []).extend(
                Mutant(room=room, module=module, index=index) for index in range(len(found))
            )
    whole = sum(map(len, by_room.values()))
    placed = []
    for room in sorted(by_room):
        share = max(1, round(number * len(by_room[room]) / whole))
        taken = draw.sample(by_room[room], min(share, len(by_room[room])))
        placed += [((at + 0.5) / share, room, mutant) for at, mutant in enumerate(taken)]
    return [mutant for _, _, mutant in sorted(placed, key=lambda each: each[:2])]


def tests_of(module: Path, root: Path) -> list[Path]:
    """Return the test files beside a module, else those of its room that import it, else all."""
    room = UNIT.joinpath(*module.parts[1:-1])
    beside = room / f"test_{module.stem}.py"
    if (root / beside).is_file():
        return [beside]
    name = ".".join(module.with_suffix("").parts)
    parent, _, last = name.rpartition(".")
    words = (f"from {name} import", f"import {name}", f"from {parent} import {last}\n")
    every = sorted((root / UNIT / module.parts[1]).rglob("test_*.py"))
    near = [path for path in every if any(word in path.read_text("utf-8") for word in words)]
    return [path.relative_to(root) for path in near or every]


@dataclass
class Study:
    """Copies of the checkout to plant mistakes in, and what the tests need without one."""

    copies: "SimpleQueue[Path]"
    needed: dict[tuple[Path, ...], float | None] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    stamp: int = field(default_factory=lambda: int(time.time()))

    def run(self, mutant: Mutant) -> None:
        """Plant one mistake, run the tests beside it, and take it out again."""
        copy = self.copies.get()
        tests = tests_of(mutant.module, copy)
        mutant.tests = " ".join(map(str, tests))
        path = copy / mutant.module
        source = path.read_text("utf-8")
        wrong, usual = planted(source, mutant), self.baseline(copy, tuple(tests))
        if usual is not None:
            self.write(path, wrong)
            mutant.outcome, mutant.seconds = tried(copy, tests, 30 + 5 * usual)
            self.write(path, source)
        self.copies.put(copy)

    def write(self, path: Path, text: str) -> None:
        """Write a module with a time of its own, by which Python knows its compiled form."""
        with self.lock:
            self.stamp += 1
            path.write_text(text, "utf-8")
            os.utime(path, (self.stamp, self.stamp))

    def baseline(self, copy: Path, tests: tuple[Path, ...]) -> float | None:
        """Return the seconds that tests take without a mistake; None if they do not pass."""
        if tests not in self.needed:
            outcome, seconds = tried(copy, list(tests), 300)
            self.needed[tests] = seconds if outcome == "survived" else None
        return self.needed[tests]


def tried(copy: Path, tests: list[Path], limit: float) -> tuple[str, float]:
    """Run tests in a copy, up to the first failure; return what they say and the seconds."""
    words = [sys.executable, "-m", "pytest", "-x", "-q"]
    started = time.monotonic()
    process = subprocess.Popen(
        [*words, *(word for plugin in PLUGINS for word in ("-p", plugin)), *map(str, tests)],
        cwd=copy,
        env=os.environ
        | {
            "PYTHONPATH": str(copy),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "EPC_TEST_BUDGET": "fast",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        outcome = "caught" if process.wait(limit) else "survived"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        outcome = "timeout"
    return outcome, time.monotonic() - started


def copied(folder: Path) -> Path:
    """Return a copy of the checkout: its own package and tests, the rest as links."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name in COPIED:
            shutil.copytree(path, folder / path.name, symlinks=True)
        elif not path.name.startswith(".") and path.name != "build":
            (folder / path.name).symlink_to(path)
    return folder


def written(done: list[Mutant], table: Path) -> None:
    """Write the table of what has been tried."""
    table.parent.mkdir(exist_ok=True)
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [each.name for each in fields(Mutant)])
        rows.writeheader()
        rows.writerows(map(asdict, sorted(done, key=lambda m: (str(m.module), m.line))))


def summary(done: list[Mutant]) -> Iterator[str]:
    """Yield the score of each room and of all: a mutant that never ends is caught."""
    yield "| room | mutants | caught | score | 95% |"
    yield "|---|---|---|---|---|"
    for room in (*sorted({each.room for each in done}), "all"):
        counts = Counter(m.outcome for m in done if room in {m.room, "all"})
        caught = counts["caught"] + counts["timeout"]
        n = caught + counts["survived"]
        low, high = share_interval(caught, n) or (0.0, 1.0)
        share = f"{caught / n:.1%}" if n else "none"
        yield f"| {room} | {n} | {caught} | {share} | {low:.1%} to {high:.1%} |"


def main() -> None:
    """Draw, plant, try and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=120.0, help="start none after these")
    parser.add_argument("--room", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutants.csv")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    done: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        study = Study(SimpleQueue())
        for job in range(given.jobs):
            study.copies.put(copied(Path(folder, str(job))))

        def one(mutant: Mutant) -> None:
            if time.monotonic() < until:
                study.run(mutant)
                with study.lock:
                    done.append(mutant)
                    written(done, given.out)

        with ThreadPoolExecutor(given.jobs) as pool:
            list(pool.map(one, drawn(given.mutants, given.seed, set(given.room))))
    print("\n".join(summary(done)))


if __name__ == "__main__":
    main()
