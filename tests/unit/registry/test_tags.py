import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epc.errors import MalformedError
from epc.registry.tags import Tag, next_tag

# Reading R14 as it was given to us, written independently of the code.
R14 = re.compile(
    r"^v(0|[1-9]\d*)\.(0|[1-9]\d*)-[A-Za-z0-9][A-Za-z0-9.]*(-[A-Za-z0-9.]+)*$", re.ASCII
)
generations = st.from_regex(
    r"[A-Za-z0-9]{1,6}(\.[A-Za-z0-9]{1,4})?(-[A-Z0-9]{1,6}){0,2}", fullmatch=True
)
tags = st.builds(
    Tag, protocol=st.integers(0, 99), snapshot=st.integers(0, 99), generation=generations
)


def test_epc_4_the_papers_example_is_read() -> None:
    tag = Tag.parse("v1.2-GPT4o-0806")

    assert tag == Tag(protocol=1, snapshot=2, generation="GPT4o-0806")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.2-GPT4o",
        "v1-GPT4o",
        "v01.2-X",
        "v1.02-X",
        "v1.2",
        "v1.2-",
        "v1.2--X",
        "v1.2-X-",
        "v1.2-X_Y",
        "v1.2-X/Y",
        "v1.2-.X",
        "v1.2-X\n",
        " v1.2-X",
        "v1.2-é",
        "v\u0661.2-X",
        "v1.2-X Y",
        "v1.2-a..b",
        "v1.2-a.",
        "v1.2-a.lock",
        f"v{'9' * 5000}.0-X",
        f"v1.0-{'X' * 120}",
    ],
)
def test_reading_r14_anything_else_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(MalformedError, match=r"v1\.2-GPT4o-0806"):
        Tag.parse(text)


@given(tags)
def test_reading_r14_a_tag_is_read_back_as_it_is_written(tag: Tag) -> None:
    assert R14.match(str(tag))
    assert Tag.parse(str(tag)) == tag


@given(st.text(max_size=20) | st.from_regex(R14))
def test_reading_r14_only_what_the_pattern_admits_is_read(text: str) -> None:
    try:
        tag = Tag.parse(text)
    except MalformedError:
        return
    assert R14.match(text)
    assert str(tag) == text


@given(st.lists(tags, max_size=8))
def test_reading_r14_within_a_generation_the_order_is_by_numbers(found: list[Tag]) -> None:
    for generation in {tag.generation for tag in found}:
        ordered = [tag for tag in sorted(found) if tag.generation == generation]
        numbers = [(tag.protocol, tag.snapshot) for tag in ordered]
        assert numbers == sorted(numbers)


def test_reading_r14_ten_comes_after_nine() -> None:
    texts = ["v1.10-X", "v2.0-X", "v1.9-X"]

    assert [str(t) for t in sorted(map(Tag.parse, texts))] == ["v1.9-X", "v1.10-X", "v2.0-X"]


def test_epc_4_the_first_measurement_of_a_generation_is_number_zero() -> None:
    assert str(next_tag("New", [Tag.parse("v1.3-Other")])) == "v1.0-New"


@given(st.lists(tags, max_size=8), generations)
def test_epc_4_the_next_number_is_free_and_above_all_that_were_given(
    taken: list[Tag], generation: str
) -> None:
    fresh = next_tag(generation, taken)

    same_tags = [t for t in taken if (t.generation, t.protocol) == (generation, 1)]
    assert fresh not in taken
    assert all(t < fresh for t in same_tags)
    assert fresh.snapshot == 0 or same_tags


@settings(max_examples=10)
@given(tags)
def test_reading_r14_git_takes_the_id_as_the_name_of_a_tag(tag: Tag) -> None:
    checked = subprocess.run(["git", "check-ref-format", f"refs/tags/{tag}"], check=False)

    assert checked.returncode == 0


def test_reading_r14_an_id_has_120_characters_at_the_most() -> None:
    longest = "v1.0-" + "x" * 115

    assert str(Tag.parse(longest)) == longest
    with pytest.raises(MalformedError):
        Tag.parse(longest + "x")
