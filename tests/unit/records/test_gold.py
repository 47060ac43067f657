"""Labels of a file of its own, joined to recorded verdicts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from observed_support import columns, verdict

from epc.errors import MalformedError
from epc.records.gold import joined
from epc.records.verdicts.converting import FAILS, digest

Gold = Callable[[str], Path]


@pytest.fixture
def file(tmp_path: Path) -> Gold:
    def written(text: str) -> Path:
        path = tmp_path / "gold.csv"
        path.write_text(text)
        return path

    return written


def by(item: str, a: str, b: str, **further_fields: Any) -> dict[str, Any]:
    return verdict(item, "a", "a", a_by=a, b_by=b, subset="maths", **further_fields)


def test_a_label_of_a_pair_stands_with_each_verdict_on_it(file: Gold) -> None:
    _, verdicts = columns(*(verdict(item, "a", "a") for item in ("x", "y", "z", "x", "w")))

    done, answers = joined(file("item,gold\nx,B\ny, tie \nz,Model A\nz,a\n"), verdicts)

    assert answers is None
    assert done.gold.names == ["a", "b", "tie"]
    assert done.gold.codes.tolist() == [1, 2, 0, 1, -1]


def test_a_label_of_one_answer_says_pass_or_fail(file: Gold) -> None:
    _, verdicts = columns(
        verdict("x", "a", "a", b_sha256=FAILS), verdict("y", "a", "b", b_sha256=FAILS)
    )

    done, _ = joined(file("item,gold\nx,fail\ny,pass\n"), verdicts)

    assert done.gold.codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("v,a", "the verdicts have no item 'v'"),
        ("x,c", "gold 'c' is no label"),
        ("x,a\nx,b", "'x' has another label before"),
        ("twice,a", "'twice' has 2 pairs of answers"),
    ],
)
def test_a_label_that_fits_no_pair_is_a_finding(lines: str, words: str, file: Gold) -> None:
    names = ("x", f"twice/{'1' * 12}/{'2' * 12}", f"twice/{'3' * 12}/{'4' * 12}")
    _, verdicts = columns(*(verdict(item, "a", "a") for item in names))

    with pytest.raises(MalformedError, match=words):
        joined(file(f"item,gold\n{lines}\n"), verdicts)
    first_verdicts, _ = joined(file(f"item,gold\n{names[1]},b\n"), verdicts)
    assert first_verdicts.gold.codes.tolist() == [-1, 1, -1], "its whole name says which pair"


def test_labels_of_authors_answers_are_summed_by_question(file: Gold) -> None:
    q = digest("What?")
    _, verdicts = columns(
        by("one", "m", "n", question_sha256=q),
        by(f"two/{'1' * 12}/{'2' * 12}", "m", "n"),
        verdict("three", "a", "a", a_by="m", b_by="n"),  # of no domain
    )
    text = "strategy,domain,task,gold\nm,maths,What?,1\nm,maths,one,0.5\nn,maths,two,A\n"

    same_verdicts, answers = joined(file(text), verdicts)

    assert same_verdicts is verdicts
    second = next(key for _, _, key in answers or {} if key != q)
    assert answers == {("m", "maths", q): (1.5, 2), ("n", "maths", second): (1.0, 1)}
    for line, words in (
        ("p,maths,one,1", "have no author 'p'"),
        ("m,art,one,1", "have no domain 'art'"),
        ("m,maths,three,1", "have no task 'three' of maths"),
        ("m,maths,one,2", "is no label"),
    ):
        with pytest.raises(MalformedError, match=words):
            joined(file(f"strategy,domain,task,gold\n{line}\n"), verdicts)
    _, nobodys = columns(verdict("one", "a", "a", subset="maths"))
    with pytest.raises(MalformedError, match="do not say who wrote the answers"):
        joined(file(text), nobodys)
