"""What is wrong with verdicts as a whole (Reading R77)."""

from dataclasses import replace
from typing import Any

import pytest
from observed_support import columns, verdict

from epc.records.verdicts.checking import asks, problems
from epc.records.verdicts.types import Prompt, SourceFile


@pytest.mark.parametrize(
    ("licence", "texts", "problem"),
    [
        ("CC-BY-4.0", True, None),
        ("CC-BY-NC-4.0", True, "CC-BY-NC-4.0 does not let the texts stand"),
        ("unknown", True, "no licence is stated"),
        ("CC-BY-NC-4.0", False, None),
        ("unknown", False, None),
    ],
)
def test_texts_stand_where_a_licence_lets_them_and_nothing_is_asked_of_digests(
    licence: str, problem: str | None, *, texts: bool
) -> None:
    header, verdicts = columns(verdict("x", "a", "a"))
    header = replace(header, source=replace(header.source, licence=licence, texts=texts))

    findings = list(problems("v.jsonl", header, verdicts))

    of_texts = [
        finding.problem for finding in findings if finding.where == "v.jsonl:1/source/texts"
    ]
    assert of_texts == ([] if problem is None else [problem])


def test_what_was_asked_once_has_one_number() -> None:
    """The same item, setting, order and repeat; an absent repeat is the first."""
    lines = [
        verdict("x", "a", "a"),
        verdict("x", "b", "a"),
        verdict("x", "a", "b", repeat=0),
        verdict("x", "a", "b", repeat=1),
        verdict("y", "a", "a"),
        verdict("x", "a", "a", setting="other"),
        verdict("y", "b", "a", repeat=1),
    ]
    unstated = {key: value for key, value in verdict("y", "a", "a").items() if key != "first"}
    _, verdicts = columns(*lines, unstated)

    by_place, codes = asks(verdicts), asks(verdicts, by_place=False)

    assert by_place[0] == by_place[2]
    assert len(set(by_place.tolist())) == 7
    # Without its order x was asked twice, and again, by another; y twice as well.
    assert codes[0] == codes[1] == codes[2]
    assert codes[4] == codes[7]
    assert len(set(codes.tolist())) == 5


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"verdict": None}, "verdict"),
        ({"b_sha256": None, "b_length": None}, "verdict"),
        ({"answer_length": 7}, "answer_length"),
        ({"setting": "nobody"}, "setting"),
    ],
)
def test_what_is_incomplete_or_unlisted_is_found_at_its_line(
    line: dict[str, Any], field: str
) -> None:
    whole = {**verdict("y", "a", "a"), **line}
    header, verdicts = columns(
        verdict("x", "a", "a"), {key: value for key, value in whole.items() if value is not None}
    )
    header = replace(header, files={"f": SourceFile(path="f", sha256="0" * 64)})

    places = {finding.where for finding in problems("v", header, verdicts)}

    assert f"v:3/{field}" in places
    assert not any(where.startswith("v:2/") for where in places)


def test_an_item_is_one_pair_and_one_asking_has_one_verdict() -> None:
    header, verdicts = columns(
        verdict("x", "a", "a", gold="a"),
        verdict("x", "a", "b", gold="b"),
        verdict("x", "b", "b", gold="a"),
    )
    header = replace(header, files={"f": SourceFile(path="f", sha256="0" * 64)})

    places = [finding.where for finding in problems("v", header, verdicts)]

    assert places == ["v:3/gold", "v:3/verdict"]


@pytest.mark.parametrize(
    ("setting", "first", "said"),
    [
        ("one", "a", "number the askings by `repeat`"),
        ("one", None, "state `first`, which candidate was shown first; only where"),
        ("unnamed", "a", "state `prompt`, what the judge was asked with; only where"),
        ("unnamed", None, "state `first`, which candidate was shown first, and `prompt`, what"),
    ],
)
def test_what_tells_two_askings_apart_is_named_before_they_are_numbered(
    setting: str, first: str | None, said: str
) -> None:
    lines = [verdict("x", "a", word, setting=setting) for word in "ab"]
    header, verdicts = columns(
        *(line if first else {k: v for k, v in line.items() if k != "first"} for line in lines)
    )
    unnamed = replace(header.settings["one"], prompt=Prompt(name="unknown", sha256="unknown"))
    header = replace(header, settings={**header.settings, "unnamed": unnamed})

    (found,) = (
        finding for finding in problems("v.jsonl", header, verdicts) if "/verdict" in finding.where
    )

    assert found.remedy.startswith(said)


def test_one_cause_is_one_finding_that_counts_its_places() -> None:
    header, verdicts = columns(*(verdict("x", "a", word) for word in "abbbbbbb"))

    (found,) = (
        finding for finding in problems("v.jsonl", header, verdicts) if "/verdict" in finding.where
    )

    assert found.where == "v.jsonl:3/verdict"
    assert "; so in 6 more places: v.jsonl:4/verdict, " in found.problem
