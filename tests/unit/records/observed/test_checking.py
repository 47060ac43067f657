"""What is wrong with verdicts as a whole (Reading R77)."""

from dataclasses import replace

import pytest
from observed_support import columns, verdict

from epc.records.observed.checking import problems


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

    found = list(problems("v.jsonl", header, verdicts))

    of_texts = [finding.problem for finding in found if finding.where == "v.jsonl:1/source/texts"]
    assert of_texts == ([] if problem is None else [problem])
