"""What is published of a mutation study: its table, and its part of this folder's page."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE / "mutants.csv"
CLASSES = HERE / "survivors.csv"
PAGE = HERE / "README.md"
BEGIN, END = "<!-- mutants: begin -->\n", "<!-- mutants: end -->\n"
EQUIVALENT = "equivalent"


@dataclass(kw_only=True)
class Mutant:
    """A planted mistake and what became of it: caught, timeout, survived, or no_baseline.

    Unit: seconds of the processor.
    """

    room: str
    module: Path
    index: int
    line: int = 0
    kind: str = ""
    before: str = ""
    after: str = ""
    source: str = ""
    outcome: str = "no_baseline"
    seconds: float = 0.0
    tests: str = ""

    @property
    def change(self) -> "Change":
        """What a survivor is known by, wherever its line has moved."""
        return (str(self.module), self.source, self.before, self.after)


Change = tuple[str, str, str, str]
Classes = dict[Change, tuple[str, str]]


def classes(path: Path = CLASSES) -> Classes:
    """Return the class of each survivor that somebody looked at, with the reason."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {
            (row["module"], row["source"], row["before"], row["after"]): (
                row["class"],
                row["reason"],
            )
            for row in rows
        }


def written(done: Iterable[Mutant], table: Path) -> None:
    """Write the table of what has been tried."""
    table.parent.mkdir(exist_ok=True)
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [field.name for field in fields(Mutant)], lineterminator="\n")
        rows.writeheader()
        rows.writerows(map(asdict, sorted(done, key=lambda m: (str(m.module), m.line))))


def rows_of(table: Path) -> list[Mutant]:
    """Return the mutants of a table that was written."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = ("room", "kind", "before", "after", "source", "outcome", "tests")
    return [
        Mutant(
            module=Path(row["module"]),
            index=int(row["index"]),
            line=int(row["line"]),
            seconds=float(row["seconds"]),
            **{name: row[name] for name in texts},
        )
        for row in rows
    ]


def summary(done: Iterable[Mutant], known_classes: Classes) -> Iterator[str]:
    """Yield the score of each room and of all: a mutant that never ends is caught.

    Of survivors, those that are known as equivalent count for nothing.
    """
    from epc.statistics.intervals import share_interval  # not before the pool has its own

    yield "| room | mutants | equivalent | caught | score | 95% |"
    yield "|---|---|---|---|---|---|"
    done = list(done)
    for room in (*sorted({mutant.room for mutant in done}), "all"):
        own_mutants = [mutant for mutant in done if room in {mutant.room, "all"}]
        counts = Counter(each.outcome for each in own_mutants)
        caught = counts["caught"] + counts["timeout"]
        n = caught + counts["survived"]
        equivalent = sum(
            each.outcome == "survived" and known_classes.get(each.change, ("",))[0] == EQUIVALENT
            for each in own_mutants
        )
        low, high = share_interval(caught, n - equivalent) or (0.0, 1.0)
        share = f"{caught / (n - equivalent):.1%}" if n > equivalent else "none"
        yield f"| {room} | {n} | {equivalent} | {caught} | {share} | {low:.1%} to {high:.1%} |"


def part(done: Iterable[Mutant], known_classes: Classes, *, drawn: int, seed: int) -> str:
    """Return the page's part: scores, and each survivor with its class."""
    done = list(done)
    tried = sum(mutant.outcome != "no_baseline" for mutant in done)
    left = [mutant for mutant in done if mutant.outcome == "survived"]
    rows = [
        f"| `{m.module}` {m.line} | `{_cell(m.before)}` -> `{_cell(m.after)}` | "
        + " | ".join(known_classes.get(m.change, ("not looked at yet", "")))
        + " |"
        for m in sorted(left, key=lambda m: (str(m.module), m.line))
    ]
    return "\n".join(
        [
            f"Seed {seed}, {drawn} drawn, {tried} tried. The table of all is `mutants.csv`.",
            "",
            *summary(done, known_classes),
            "",
            *(["| survivor | change | class | reason |", "|---|---|---|---|"] if rows else []),
            *rows,
            "",
        ]
    )


def _cell(code: str) -> str:
    return code.replace("|", "\\|").replace("`", "'").replace("\n", " ")


def published(text: str, page: Path = PAGE) -> None:
    """Put the part between the page's marks."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")
