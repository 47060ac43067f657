"""What is made from an output: each text by hand."""

import pytest

from epc.judge.planted import Original, Planting, ablations, name_of, planted

OUTPUT = "# Plan\none two three four five six\n\n**Risks:**\nseven eight nine ten eleven twelve\n"
TASK = "Write a Plan and name the risks."


def planted_texts(
    output: str, task: str | None = TASK, other: str | None = "Other."
) -> dict[str, str]:
    return dict(planted(Original(output=output, task=task, off_task=other)))


def test_each_text_is_made_as_its_name_says() -> None:
    found = planted_texts(OUTPUT)

    assert found["truncated"] == "# Plan\none two three four five"  # 7 of 15 words
    assert sorted(found["shuffled"].split()) == sorted(OUTPUT.split())
    assert found["shuffled"].split() != OUTPUT.split()
    assert found["off_task"] == "Other."
    assert found["section_removed"] == "# Plan\none two three four five six\n\n"
    assert found["same_text"] == OUTPUT
    assert found["padded"].startswith(OUTPUT.rstrip() + "\n\nThe answer ends above.")
    assert 1.5 * len(OUTPUT) <= len(found["padded"]) < 2.2 * len(OUTPUT)
    assert found["plain"] == OUTPUT.replace("# ", "").replace("**", "")
    assert planted_texts(OUTPUT) == found


@pytest.mark.parametrize(
    ("output", "task", "other", "kinds"),
    [
        ("", TASK, "x", {"off_task"}),
        ("Too short.", None, "x", {"same_text", "padded"}),
        ("Plan", TASK, None, {"same_text", "padded"}),
        ('{"plan": 1}', None, None, {"same_text"}),  # what follows breaks it
        ("# Costs\nA.\n# Dates\nB.", TASK, None, {"same_text", "padded", "plain"}),
        ("# Plan\nAll of it.", TASK, None, {"same_text", "padded", "plain"}),  # nothing else
    ],
)
def test_what_cannot_be_known_to_be_worse_is_not_made(
    output: str, task: str | None, other: str | None, kinds: set[str]
) -> None:
    assert set(planted_texts(output, task, other)) == kinds


def test_a_quote_and_as_much_elsewhere_are_taken_out() -> None:
    assert ablations("alpha beta gamma", "alpha") == (" beta gamma", "alpha beta ")
    assert ablations("alpha beta", "gamma") is None
    assert ablations("alpha beta", " ") is None
    assert ablations("alpha beta", "alpha beta") is None  # nothing else is as long


def test_the_name_of_a_planted_text_tells_neither_its_kind_nor_its_output() -> None:
    names = {
        name_of(Planting(kind=kind, of=of)) for kind in ("padded", "plain") for of in ("a", "b")
    }

    assert len(names) == 4
    assert all(len(name) == len("output-") + 16 for name in names)
    assert not any("padded" in name or "plain" in name for name in names)


@pytest.mark.parametrize(("words", "is_made"), [(11, False), (12, True)])
def test_half_of_fewer_than_twelve_words_may_be_the_whole_answer(
    words: int, *, is_made: bool
) -> None:
    found = planted_texts(" ".join(f"w{n}" for n in range(words)), task=None, other=None)

    assert ("truncated" in found, "shuffled" in found) == (is_made, is_made)
