"""Reading R46: the panel, the history, and where a watched evaluator stands."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from records_support import Run, make_run

from epc.analysis.watching import (
    Panel,
    append_day,
    choose_panel,
    day_row,
    read_history,
    standing,
    tolerated,
)
from epc.errors import MalformedError, UsageError
from epc.records.asked import AskedPair, PairKey, asked_by_run
from epc.records.manifest import Manifest
from epc.records.schemas import findings as schema_findings
from epc.report.watch_text import report

IDENTITY: dict[str, Any] = {
    "version": "1",
    "endpoint": "https://example.org",
    "gateway": None,
    "details": {},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run") / "run", seeds=1, rounds=1, exhaustive=True)


@pytest.fixture(scope="module")
def asked(run: Run) -> dict[PairKey, AskedPair]:
    return asked_by_run(run.parsed(), run.folder)


def day(
    panel: Panel, number: int, flips: int, *, served: str = "m-1", **identity: Any
) -> dict[str, Any]:
    """Return a day's row on which the first pairs of the panel flipped."""
    calls = [
        {
            "answer": _other(item.raw) if index < flips else item.raw,
            "served_model": served,
            "system_fingerprint": None,
        }
        for index, item in enumerate(panel.items.values())
    ]
    head = {
        "day": f"2026-{7 + number // 28:02d}-{1 + number % 28:02d}",
        "at": "2026-07-02T12:00:00Z",
        "epc": "0",
        "evaluator": {"model": "mock/deterministic", **IDENTITY, **identity},
    }
    return day_row(panel, calls, head)


def _other(raw: str) -> str:
    return "B" if raw == "A" else "A"


# --- the panel


@pytest.mark.parametrize("pairs", [1, 2, 22, 24, 44, 176, 500])
def test_reading_r46_a_panel_is_balanced(asked: dict[PairKey, AskedPair], pairs: int) -> None:
    panel = choose_panel(asked, pairs)

    assert len(panel.items) == min(pairs, 176)
    domains = Counter(domain for domain, _, _ in panel.items)
    assert max(domains.values()) - min(domains["text"], domains["visual"]) <= 1
    strategies = Counter((domain, strategy) for domain, strategy, _ in panel.items)
    every = [strategies[d, s] for d in ("text", "visual") for s in {k[1] for k in asked}]
    assert max(every) - min(every) <= 1


def test_reading_r46_a_panel_is_the_same_in_whatever_order_the_pairs_come(
    asked: dict[PairKey, AskedPair],
) -> None:
    backwards = dict(reversed(list(asked.items())))

    assert list(choose_panel(asked, 24).items) == list(choose_panel(backwards, 24).items)
    assert choose_panel(asked, 24).sha256 == choose_panel(backwards, 24).sha256
    assert choose_panel(asked, 23).sha256 != choose_panel(asked, 24).sha256


def test_reading_r46_equal_questions_are_asked_once(asked: dict[PairKey, AskedPair]) -> None:
    first = next(iter(asked.values()))
    doubled = {**asked, ("text", "again", "again"): first}

    assert len(choose_panel(doubled, 500).items) == 176


# --- the history


def test_reading_r46_a_history_is_read_as_it_was_written(
    asked: dict[PairKey, AskedPair], tmp_path: Path
) -> None:
    panel, path = choose_panel(asked, 24), tmp_path / "watch.jsonl"
    assert read_history(path) == []

    append_day(path, [], day(panel, 0, 1))
    append_day(path, read_history(path), day(panel, 1, 0))

    assert read_history(path) == [day(panel, 0, 1), day(panel, 1, 0)]
    assert [row["changed"] for row in read_history(path)] == [1, 0]


MISTAKES: list[tuple[str, Any]] = [
    ("/watch/1/changed", lambda row: row.update(changed=5)),
    ("/watch/1/day", lambda row: row.update(day="2026-07-01")),
    ("/watch/1/answers/0", lambda row: row["answers"][0].update(verdict="tie")),
    ("/watch/1/answers/0", lambda row: row["answers"][0].update(raw="perhaps")),
    ("/watch/1/answers/3", lambda row: row["answers"][3].update(changed=True)),
    ("/watch/1/day", lambda row: row.update(day="yesterday")),
    ("/watch/1/note", lambda row: row.update(note="trust me")),
]


@pytest.mark.parametrize(("where", "change"), MISTAKES)
def test_reading_r46_a_history_says_what_its_raw_answers_say(
    asked: dict[PairKey, AskedPair], tmp_path: Path, where: str, change: Any
) -> None:
    panel, path = choose_panel(asked, 6), tmp_path / "watch.jsonl"
    row = day(panel, 1, 1)
    change(row)
    append_day(path, [day(panel, 0, 1)], row)

    with pytest.raises(MalformedError) as raised:
        read_history(path)

    assert raised.value.finding.where == where


def test_reading_r76_an_answer_of_an_earlier_day_is_no_answer_of_this_one(
    tmp_path: Path, asked: dict[PairKey, AskedPair]
) -> None:
    panel, path = choose_panel(asked, 6), tmp_path / "watch.jsonl"
    row = day(panel, 3, 0)
    for answer in row["answers"]:
        answer["answered_at"] = f"{row['day']}T09:00:00Z"
    append_day(path, [], row)
    assert read_history(path) == [row]

    row["answers"][4]["answered_at"] = "2026-07-03T23:59:59Z"  # the day before
    append_day(path, [], row)

    with pytest.raises(MalformedError) as error:
        read_history(path)
    assert "/watch/0/answers/4/answered_at: 2026-07-03T23:59:59Z is before" in str(error.value)


def test_reading_r46_a_torn_history_is_not_taken_for_a_shorter_one(
    asked: dict[PairKey, AskedPair], tmp_path: Path
) -> None:
    path = tmp_path / "watch.jsonl"
    append_day(path, [], day(choose_panel(asked, 6), 0, 0))
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")

    with pytest.raises(MalformedError):
        read_history(path)


# --- where it stands


def stands(run: Run, panel: Panel, flips: list[int], **asked: Any) -> Any:
    days = [day(panel, number, count, **asked) for number, count in enumerate(flips)]
    return standing(run.parsed(), panel, days)


def test_reading_r46_before_the_first_day_nothing_can_be_told(
    run: Run, asked: dict[PairKey, AskedPair]
) -> None:
    found = stands(run, choose_panel(asked, 24), [])

    assert (found.verdict, found.facts) == ("cannot_tell", False)
    assert report(found).startswith("CANNOT TELL YET, after 0 days of 24 pairs")


def test_reading_r46_days_of_a_hosted_evaluator(run: Run, asked: dict[PairKey, AskedPair]) -> None:
    panel = choose_panel(asked, 24)

    quiet, changed = stands(run, panel, [0] * 40), stands(run, panel, [0] * 9 + [12] * 12)

    assert quiet.verdict == "holds"
    assert changed.verdict == "drifted"
    assert "2026-07-10" < changed.as_json()["alarm"] <= "2026-07-21"
    assert {pair["days"] for pair in changed.as_json()["changed"]} == {12}
    assert len(changed.as_json()["changed"]) == 12


def test_reading_r46_what_held_and_holds_no_more_says_since_when(
    run: Run, asked: dict[PairKey, AskedPair]
) -> None:
    panel = choose_panel(asked, 24)
    steady = stands(run, panel, [0] * 30)
    shaken = stands(run, panel, [0] * 30 + [12, 0])
    drifted = stands(run, panel, [0] * 30 + [12] * 9)

    # The thirtieth day of months of 28 is 2026-08-02. On the next, half of the panel changed: 12 of
    # the 7 x 24 answers of a week, 7.1%, are within a tenth, and a factor of 0.64375 leaves
    # 1.2375 to the 20th x 0.64375 = 45.6 for the bet on quiet, which still proves it.
    assert (steady.verdict, steady.as_json()["held"]) == ("holds", "2026-08-02")
    assert (shaken.verdict, shaken.as_json()["held"]) == ("holds", "2026-08-04")
    assert "ANY MORE" not in report(steady) + report(drifted)
    value = drifted.as_json()
    assert (value["verdict"], value["held"]) == ("drifted", "2026-08-03")
    assert value["held"] < value["alarm"]
    assert "  held       until 2026-08-03\n" in report(drifted)
    assert (value["ceiling"], value["window"], value["recent"]) == (0.2, 21, 0.5)
    gone = stands(run, panel, [0] * 30 + [12] * 2)
    assert report(gone).startswith("CANNOT TELL ANY MORE, after 32 days of 24 pairs\n")
    assert "  recent     14.3% a day from 2026-07-26 to 2026-08-04\n" in report(gone)


def test_a_standing_that_an_earlier_version_printed_keeps_to_its_schema(
    run: Run, asked: dict[PairKey, AskedPair]
) -> None:
    value = stands(run, choose_panel(asked, 24), [0, 1]).as_json()

    earlier = {k: v for k, v in value.items() if k not in {"ceiling", "window", "recent", "held"}}

    assert len(earlier) == len(value) - 4
    assert schema_findings("watch", earlier) == []


def test_reading_r46_of_facts_one_changed_verdict_is_drift(
    run: Run, asked: dict[PairKey, AskedPair]
) -> None:
    panel = choose_panel(asked, 24)
    same, other = (
        stands(run, panel, flips, endpoint="mock", version="1") for flips in ([0], [0, 1, 0])
    )

    assert (same.verdict, same.facts) == ("holds", True)
    assert (other.verdict, other.as_json()["alarm"]) == ("drifted", "2026-07-02")
    assert {other.as_json()[key] for key in ("capital", "ceiling", "recent", "held")} == {None}


def test_reading_r46_the_history_of_another_panel_is_refused(
    run: Run, asked: dict[PairKey, AskedPair]
) -> None:
    with pytest.raises(UsageError, match="another run or panel"):
        standing(run.parsed(), choose_panel(asked, 24), [day(choose_panel(asked, 23), 0, 0)])


def test_epc_2_2_an_evaluator_that_says_it_is_another_is_named(
    run: Run, asked: dict[PairKey, AskedPair]
) -> None:
    found = stands(run, choose_panel(asked, 6), [0], served="m-2", version="2")

    assert {finding.where for finding in found.findings} == {
        "/evaluator/version",
        "/evaluator/endpoint",
        "/provenance/served_models/evaluator",
    }
    assert {finding.severity for finding in found.findings} == {"warning"}


@pytest.mark.parametrize(
    ("recheck", "expected"),
    [
        (None, 0.1),
        ({"asked": 20, "verdict_flips": 0}, 0.1),  # nothing seen that speaks against a tenth
        ({"asked": 200, "verdict_flips": 1}, 0.1),  # at most 2.8%
        ({"asked": 20, "verdict_flips": 4}, 0.4160),  # Wilson: 8.1% to 41.6%
        ({"asked": 4, "verdict_flips": 4}, 0.45),
    ],
)
def test_reading_r46_what_is_tolerated(run: Run, recheck: Any, expected: float) -> None:
    manifest = run.manifest()
    rest = {"text_changes": 0, "flip_rate": 0.0}
    manifest["results"]["summary"]["determinism"] = recheck and recheck | rest

    assert tolerated(Manifest.parse(manifest)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("flips", [[], [0], [1, 0, 12], [12] * 20, [0] * 30])
@pytest.mark.parametrize("endpoint", ["mock", "https://example.org"])
def test_the_json_keeps_to_its_schema_and_the_text_says_the_same(
    run: Run, asked: dict[PairKey, AskedPair], flips: list[int], endpoint: str
) -> None:
    found = stands(run, choose_panel(asked, 24), flips, endpoint=endpoint)

    value = json.loads(json.dumps(found.as_json(), allow_nan=False))

    assert schema_findings("watch", value) == []
    text = report(found)
    words = {"holds": "HOLDS", "drifted": "DRIFTED", "cannot_tell": "CANNOT TELL YET"}
    assert text.startswith(f"{words[value['verdict']]}, after {len(flips)} day")
    for shown in value["days"][-7:]:
        assert f"{shown['day']}  {shown['changed']} of 24" in text
    if value["capital"] is not None:
        assert f"{value['capital']:.3g} of betting on drift" in text
