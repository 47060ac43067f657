"""Counting an archive (Reading R23)."""

from types import SimpleNamespace
from typing import Any

from epc.records.judging.documents import Tally


def record(
    identifier: str, *, valid: bool = True, known: bool = True, raw: str | None = "r"
) -> Any:
    return SimpleNamespace(
        id=identifier, valid=valid, output_sha256="0" if known else None, raw=raw, flags=()
    )


def test_reading_r23_replies_that_belong_to_no_sample_alone_are_surplus() -> None:
    """Two samples, one of them answered twice and one never; and a reply about nothing."""
    tally = Tally()
    for each in (
        record("x"),
        record("x", valid=False),
        record("y", valid=False, raw=None),
        record("z", valid=False, known=False),
    ):
        tally.add(each)

    found = tally.totals()

    assert (found.samples, found.valid, found.invalid, found.not_judged) == (2, 1, 1, 1)
    assert (found.replies, found.surplus, dict(found.flags)) == (3, 2, {})


def test_reading_r23_nothing_adds_up_to_nothing() -> None:
    found = Tally().totals()

    assert [found.samples, found.valid, found.invalid] == [0, 0, 0]
    assert [found.not_judged, found.replies, found.surplus] == [0, 0, 0]
