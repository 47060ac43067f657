"""Whether two names are one to a reader."""

import pytest

from epc.registry.names import is_one_contributor, is_same

SAME = [
    ("A. Publisher", "A. Publisher "),
    ("A. Publisher", "A.  Publisher"),
    ("A. Publisher", "a. publisher"),
    ("A. Publisher", "A Publisher"),
    ("A. Publisher", "A.\u3164Publisher"),
    ("A. Publisher", "A. \uff30ublisher"),
    ("A. Publisher", "\U0001d400. Publisher"),
    ("Zo\u00eb", "Zoe\u0308"),
    ("GPT4o-0806", "gpt4o-O806"),
    ("Llama-3.1", "LIama-3.1"),
    ("modern", "rnodern"),
]
APART = [
    ("A. Publisher", "B. Publisher"),
    ("A. Name", "A. Nam"),
    ("\u0418\u0432\u0430\u043d", "Ivan"),
    ("\u674e\u96f7", "\u674e\u6885"),
    ("GPT4o-0806", "GPT4o-0513"),
]


@pytest.mark.parametrize(("one", "other"), [*SAME, *APART])
def test_names_that_a_reader_cannot_tell_apart_are_one(one: str, other: str) -> None:
    assert is_same(one, other) is ((one, other) in SAME)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("A. Name", "a-name"), ("B. Name", "A-Name"), True),
        (("A. Name", "a-name"), ("a  Name", "another"), True),
        (("A. Name", "a-name"), ("B. Name", "another"), False),
        (("A. Name", None), ("B. Name", "a-name"), False),
        (("A. Name", None), ("a name", "a-name"), True),
    ],
)
def test_contributors_are_told_apart_by_login_and_by_name(
    one: tuple[str, str | None], other: tuple[str, str | None], *, same: bool
) -> None:
    assert is_one_contributor(one, other) is is_one_contributor(other, one) is same
