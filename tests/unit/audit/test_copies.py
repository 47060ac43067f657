"""Reading R102: copies among tasks, found by their texts."""

import pytest

from epc.audit.copies import are_declared, copies_found, near_copies, unchecked

LEAVES = "Why do leaves change their colour in autumn and fall in winter?"
BREAD = "Why does bread dough rise before it goes into the oven at home?"


@pytest.mark.parametrize(
    "copy",
    [
        LEAVES,
        "  why do LEAVES change their colour, in autumn -- and fall in winter",
        # 12 words, of which the last is another: 10 of 12 neighbours are in both.
        LEAVES.replace("winter", "November"),
        # One in the middle is another: 9 of 13.
        LEAVES.replace("autumn", "October"),
    ],
)
def test_reading_r102_a_text_with_a_word_changed_is_a_near_copy(copy: str) -> None:
    assert near_copies([BREAD, LEAVES, copy]) == [(1, 2)]


@pytest.mark.parametrize(
    "other",
    [
        # Three words in the middle are others: 5 of 17 neighbours are in both.
        "Why do leaves change their colour when days shorten and they fall off in winter?",
        "Why do birds leave in autumn and come back after winter?",
        "",
    ],
)
def test_reading_r102_texts_of_one_topic_are_no_copies(other: str) -> None:
    assert near_copies([LEAVES, other]) == []


def test_reading_r102_of_short_texts_equal_ones_alone_are_copies() -> None:
    assert near_copies(["Task number 3", "Task number 4", "task number 3."]) == [(0, 2)]


def test_reading_r102_copies_of_one_group_are_declared() -> None:
    texts = [LEAVES, LEAVES, LEAVES]

    assert near_copies(texts, ["tree", "tree", "autumn"]) == [(0, 2), (1, 2)]


def test_reading_r102_groups_of_one_task_each_declare_nothing() -> None:
    assert not are_declared(None)
    assert not are_declared({"text": ["a", "b"], "visual": ["a", "c"]})
    assert are_declared({"text": ["a", "b"], "visual": ["a", "a"]})


@pytest.mark.parametrize(
    ("strategies", "declared", "texts", "expected"),
    [
        (7, False, False, True),
        (8, False, False, False),
        (7, True, False, False),
        (7, False, True, False),
    ],
)
def test_reading_r102_copies_are_not_found_among_few_strategies_without_groups_and_texts(
    strategies: int, *, declared: bool, texts: bool, expected: bool
) -> None:
    assert unchecked(strategies, declared=declared, texts=texts) == expected


def test_reading_r102_how_often_copies_are_found_rises_with_the_strategies() -> None:
    shares = [copies_found(number) for number in range(1, 40)]

    assert shares == sorted(shares)
    assert (shares[0], shares[2]) == (0, copies_found(3))
    assert copies_found(12) == copies_found(11)
