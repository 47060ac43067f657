"""A wrapper's verdicts a second time, from what its members said (Reading R80)."""

import json
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import pytest
from oracle.recomputation import spoken
from oracle.votes import composed_otherwise

Json = dict[str, Any]

ONE: Json = {"kind": "asked", "member": 1}
TWO: Json = {"kind": "asked", "member": 2}
THREE: Json = {"kind": "asked", "member": 3}


def scores(a: float, b: float) -> str:
    """Return the reply of a judge that scores both answers."""
    return f"{'A' if a > b else 'B'}\nlog odds: A {a}, B {b}"


def told(
    folder: Path,
    judging: Json | None,
    replies: Sequence[str] = (),
    verdict: str = "A",
    *,
    calibration: Sequence[Json] = (),
    known: Sequence[Sequence[str]] = (),
) -> list[tuple[str, str]]:
    """Return what the second implementation says of one call whose members gave these replies.

    `known` holds the pairs of replies that the only calibration rests on.
    """
    rows: list[Json] = [
        {"id": f"m{n}", "role": "member", "answer": reply} for n, reply in enumerate(replies)
    ]
    votes = [row["id"] for row in rows]
    pairs = []
    for n, pair in enumerate(known):
        both = [
            {"id": f"k{n}{at}", "role": "member", "answer": each} for at, each in enumerate(pair)
        ]
        rows += both
        pairs.append([row["id"] for row in both])
    if judging is not None:
        rows.append({"id": "call", "role": "evaluator", "answer": verdict, "votes": votes})
    path = folder / "calls.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    details = {"judging": judging or ONE}
    stated = [{**each, "calls": pairs} for each in calibration]
    manifest = {"evaluator": {"details": details}, "calibration": stated}
    return [*composed_otherwise(manifest, path, spoken)]


def fitted(folder: Path, margins: Sequence[tuple[float, float]], *stated: float) -> list[str]:
    """Return what is said of a stated prior and temperature of these margins of known pairs."""
    known = [[scores(10 + margin, 10) for margin in pair] for pair in margins]
    each = {"member": 1, "prior": stated[0], "temperature": stated[1]}
    return [problem for _, problem in told(folder, None, calibration=[each], known=known)]


def test_a_run_without_a_wrapper_has_nothing_to_compose(tmp_path: Path) -> None:
    manifest: Json = {"evaluator": {"details": {}}}

    assert [*composed_otherwise(manifest, tmp_path / "missing.jsonl", spoken)] == []


@pytest.mark.parametrize(
    ("kind", "replies", "verdict"),
    [
        ("panel", ["A", "A", "B"], "A"),
        ("panel", ["B", "A", "B"], "B"),
        ("panel", ["A", "tie", "tie"], "tie"),  # one of three is no majority
        ("panel", ["A", "B", "tie"], "tie"),
        ("panel", ["A", "A", "tie"], "A"),
    ],
)
def test_reading_r80_a_panel_says_what_more_than_half_of_it_say(
    kind: str, replies: list[str], verdict: str, tmp_path: Path
) -> None:
    judging = {"kind": kind, "of": [ONE, TWO, THREE]}

    for said in ("A", "B", "tie"):
        found = told(tmp_path, judging, replies, said)
        assert [where for where, _ in found] == ([] if said == verdict else ["calls.jsonl/call"])


@pytest.mark.parametrize(
    ("replies", "verdict"),
    [(["A", "B"], "A"), (["B", "A"], "B"), (["A", "A"], "tie"), (["B", "tie"], "tie")],
)
def test_reading_r80_balanced_judging_wants_one_winner_in_both_orders(
    replies: list[str], verdict: str, tmp_path: Path
) -> None:
    """The second time the answers stand the other way round, so the same winner is B for A."""
    judging = {"kind": "balanced", "of": [ONE]}

    assert told(tmp_path, judging, replies, verdict) == []
    other = "tie" if verdict == "A" else "A"
    assert told(tmp_path, judging, replies, other) == [
        ("calls.jsonl/call", f"says {other}, a second implementation {verdict}")
    ]


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [(1.0, "A"), (-1.0, "B"), (0.75, "A"), (0.5, "tie"), (-0.5, "tie"), (0.0, "tie")],
)
def test_reading_r80_within_the_band_it_is_a_tie(
    margin: float, verdict: str, tmp_path: Path
) -> None:
    judging = {"kind": "band", "band": 0.75, "of": [ONE]}

    assert told(tmp_path, judging, [scores(10 + margin, 10)], verdict) == []


def test_reading_r80_a_reply_without_scores_is_a_tie(tmp_path: Path) -> None:
    judging = {"kind": "band", "band": 0.75, "of": [ONE]}

    for reply in ("A", "A\nsure", "A\nscores: A ten, B 1"):
        assert told(tmp_path, judging, [reply], "tie") == []


@pytest.mark.parametrize(
    ("margin", "calibrated", "banded"),
    [
        # The place gives 2. What is left is divided by 0.5, and odds of exp(x) are shares that
        # lie tanh(x / 2) apart: of 1 they do so by 0.46, of 1.2 by 0.54.
        (2.5, "A", "tie"),
        (2.6, "A", "A"),
        (2.0, "tie", "tie"),
        (1.5, "B", "tie"),
        (1.4, "B", "B"),
    ],
)
def test_reading_r80_a_calibrated_margin_is_without_what_the_place_gives(
    margin: float, calibrated: str, banded: str, tmp_path: Path
) -> None:
    """Known pairs of 3 and 1, and 2.5 and 1.5 about a temperature that the fit would not change."""
    inner = {"kind": "calibrated", "of": [ONE]}
    judging = {"kind": "band", "band": 0.5, "of": [inner]}
    fit = {"member": 1, "prior": 2.0, "temperature": 0.5}

    for wrapper, verdict in ((inner, calibrated), (judging, banded)):
        found = told(tmp_path, wrapper, [scores(10 + margin, 10)], verdict, calibration=[fit])
        assert [where for where, _ in found if where.startswith("calls")] == []


@pytest.mark.parametrize(
    ("margins", "prior", "temperature"),
    [
        # Three right by m, one wrong by m: sureness s with 3 / (1 + exp(ms)) = 1 / (1 + exp(-ms)),
        # so exp(ms) = 3. Every pair is two margins, one of either order.
        ([(1, -1), (1, -1), (1, -1), (-1, 1)], 0.0, 1 / log(3)),
        ([(50, -50), (50, -50), (50, -50), (-50, 50)], 0.0, 50 / log(3)),
        ([(5, 1), (5, 1), (5, 1), (1, 5)], 3.0, 2 / log(3)),
        # 199 right by little, one wrong: a flat curve far from where the search begins.
        ([(0.1, -0.1)] * 199 + [(-0.1, 0.1)], 0.0, 0.1 / log(199)),
        # All are right: as sure as may be, 100. As many wrong: as unsure as may be, 0.01.
        ([(1, -1)], 0.0, 0.01),
        ([(-1, 1)], 0.0, 100.0),
        ([(1, -1), (-1, 1)], 0.0, 100.0),
    ],
)
def test_reading_r80_a_calibration_is_the_sureness_that_known_pairs_bear_out(
    margins: list[tuple[float, float]], prior: float, temperature: float, tmp_path: Path
) -> None:
    stated = round(temperature, 6)

    assert fitted(tmp_path, margins, prior, stated) == []
    far = 1e-5 * max(1.0, temperature)
    assert [
        word.partition(" is ")[0] for word in fitted(tmp_path, margins, prior, stated + far)
    ] == ["temperature"]
    assert [
        word.partition(" is ")[0] for word in fitted(tmp_path, margins, prior + 4e-5, stated)
    ] == ["prior"]


def test_reading_r80_without_a_usable_pair_nothing_is_corrected(tmp_path: Path) -> None:
    known = [["A", scores(1, 2)], [scores(1, 2), "A\nscores: A nan, B 1"]]
    fit = {"member": 1, "prior": 0.0, "temperature": 1.0}

    assert told(tmp_path, None, calibration=[fit], known=known) == []
