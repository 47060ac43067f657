"""The mutation study's page: its score leaves out what is equivalent, and says what survived."""

from pathlib import Path

from studies.mutation_page import BEGIN, END, Classes, Mutant, classes, part, published

KNOWN: Classes = {
    ("epc/a/b.py", "x = 0", "0", "1"): ("equivalent", "a seed"),
    ("epc/a/b.py", "y = 0", "0", "1"): ("not caught", "too small to see"),
}


def mutant(source: str, outcome: str) -> Mutant:
    return Mutant(
        room="a",
        module=Path("epc/a/b.py"),
        index=0,
        line=7,
        before="0",
        after="1",
        source=source,
        outcome=outcome,
    )


def test_equivalent_survivors_count_for_nothing_and_others_by_their_class() -> None:
    outcomes = [*["caught"] * 7, "timeout", "no_baseline"]
    done = [mutant("z = 0", outcome) for outcome in outcomes]
    done += [mutant(f"{name} = 0", "survived") for name in "xyz"]

    text = part(done, KNOWN, drawn=20, seed=15)

    assert "Seed 15, 20 drawn, 11 tried." in text
    # 8 of 11 less the equivalent one; Wilson's interval of 8 of 10 by hand: 49.0% to 94.3%.
    assert "| all | 11 | 1 | 8 | 80.0% | 49.0% to 94.3% |" in text
    assert "| `epc/a/b.py` 7 | `0` -> `1` | equivalent | a seed |" in text
    assert "| `epc/a/b.py` 7 | `0` -> `1` | not caught | too small to see |" in text
    assert "| `epc/a/b.py` 7 | `0` -> `1` | not looked at yet |  |" in text


def test_what_is_published_takes_the_place_of_what_was(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{BEGIN}old\n{END}after\n")

    published("new", page)
    published("newer", page)

    assert page.read_text() == f"before\n{BEGIN}\nnewer\n{END}after\n"


def test_every_class_is_of_a_line_that_stands() -> None:
    root = Path(__file__).parents[1]
    for module, source, before, _ in classes():
        assert source in (root / module).read_text("utf-8")
        assert before in source
