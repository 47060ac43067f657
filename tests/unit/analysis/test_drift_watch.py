"""Readings R46 and R92: the panel, the history, and where a watched evaluator stands."""

import json
from collections import Counter
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from records_support import Run, make_run
from studies.watched import KINDS, watches

from epc.analysis.drift_watch import (
    Day,
    DriftStatus,
    History,
    WatchedAnswer,
    append_day,
    candidates,
    read_history,
    standing,
    tolerated,
)
from epc.errors import MalformedError, UsageError
from epc.records.calls import AskedPair, PairKey, asked_by_run
from epc.records.manifest import ModelIdentity
from epc.records.schemas import findings as schema_findings
from epc.report.drift_text import report
from epc.statistics.e_process import watch

HOSTED = "https://example.org"
Asked = dict[PairKey, AskedPair]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run") / "run", seeds=1, rounds=1, exhaustive=True)


@pytest.fixture(scope="module")
def asked(run: Run) -> Asked:
    return asked_by_run(run.parsed(), run.folder)


def flipped(raw: str) -> str:
    return "B" if raw == "A" else "A"


def answered(key: PairKey, item: AskedPair, before: str, *raws: str) -> WatchedAnswer:
    domain, strategy, task = key
    return WatchedAnswer(
        domain=domain,
        strategy=strategy,
        task=task,
        prompt=item.text,
        before=before,
        raws=raws,
        answered_at=(None,) * len(raws),
    )


def day_of(number: int, answers: Sequence[WatchedAnswer], pairs: int, **identity: Any) -> Day:
    known: dict[str, Any] = {"version": "1", "endpoint": HOSTED, "gateway": None, "details": {}}
    return Day(
        day=f"2026-{7 + number // 28:02d}-{1 + number % 28:02d}",
        time="2026-07-02T12:00:00Z",
        epc="0",
        evaluator=ModelIdentity.parse({"model": "mock/deterministic", **known, **identity}),
        served_models=("m-1",),
        system_fingerprints=(),
        pairs=pairs,
        answers=tuple(answers),
    )


def first_day(
    asked: Asked, *, turned: int = 0, torn: int = 0, pairs: int = 24, **identity: Any
) -> Day:
    """Return the day of the panel.

    The first `turned` candidates got another verdict than in the run, the last `torn` two.
    """
    answers = []
    keys = candidates(asked, 60)
    for index, key in enumerate(keys):
        raw = asked[key].raw
        now = flipped(raw) if index < turned else raw
        last = flipped(now) if index >= len(keys) - torn else now
        answers.append(answered(key, asked[key], raw, now, now, last))
    return day_of(0, answers, pairs, **identity)


def history(asked: Asked, flips: Sequence[int], first: Day | None = None, **named: Any) -> History:
    """Return a watch in which so many of the panel changed on each day, the first ones of it."""
    first = first or first_day(asked, **named)
    panel = History(days=(first,)).panel
    days = [
        day_of(
            number,
            [
                answered(a.key, asked[a.key], a.raws[0], (flipped if i < count else str)(a.raws[0]))
                for i, a in enumerate(panel)
            ],
            first.pairs,
            **named,
        )
        for number, count in enumerate(flips, 1)
    ]
    return History(days=(first, *days))


def stands(run: Run, asked: Asked, flips: Sequence[int], **named: Any) -> DriftStatus:
    return standing(run.parsed(), asked, history(asked, flips, **named))


# --- the panel


@pytest.mark.parametrize("number", [1, 2, 22, 24, 44, 60, 176, 500])
def test_reading_r46_candidates_are_balanced(asked: Asked, number: int) -> None:
    keys = candidates(asked, number)

    assert len(keys) == min(number, 176)
    domains = Counter(domain for domain, _, _ in keys)
    assert max(domains.values()) - min(domains["text"], domains["visual"]) <= 1
    strategies = Counter((domain, strategy) for domain, strategy, _ in keys)
    all_strategies = [strategies[d, s] for d in ("text", "visual") for s in {k[1] for k in asked}]
    assert max(all_strategies) - min(all_strategies) <= 1


def test_reading_r46_candidates_are_the_same_in_whatever_order_the_pairs_come(
    asked: Asked,
) -> None:
    assert candidates(asked, 60) == candidates(dict(reversed(list(asked.items()))), 60)


def test_reading_r46_equal_questions_are_asked_once(asked: Asked) -> None:
    first = next(iter(asked.values()))

    assert len(candidates({**asked, ("text", "again", "again"): first}, 500)) == 176


def test_reading_r92_the_panel_is_24_pairs_that_were_answered_alike_three_times(
    asked: Asked,
) -> None:
    keys = candidates(asked, 60)
    answers = list(first_day(asked).answers)
    answers[3] = structs.replace(answers[3], raws=("A", "B", "A"))

    panel = History(days=(day_of(0, answers, 24),)).panel

    assert [answer.key for answer in panel] == [*keys[:3], *keys[4:25]]


def test_reading_r92_a_first_answer_that_was_a_flip_is_no_change_for_ever(
    run: Run, asked: Asked
) -> None:
    """Two of 60 recorded answers were flips: no day differs from the panel because of that."""
    drift_status = stands(run, asked, [0] * 30, turned=2)

    assert drift_status.verdict == "holds"
    assert [day.changed for day in drift_status.days] == [0] * 30
    assert drift_status.since_run is not None
    assert (drift_status.since_run.verdict, drift_status.since_run.turned) == ("cannot_tell", 2)


def test_reading_r92_fewer_unanimous_pairs_are_said_with_the_power_that_is_left(
    run: Run, asked: Asked
) -> None:
    """Of 60 candidates 45 were torn: 15 are left, and two of three pairings agree in none of 45.

    Three answers A, A, B differ in two of their three pairings, so flips are 2/3 of 45 of 60, a
    half; no more than 0.45 is tolerated. Seven of 15 pairs are more than that.
    """
    drift_status = stands(run, asked, [0], torn=45)

    assert len(drift_status.history.panel) == 15
    assert drift_status.history.flips == pytest.approx(0.5)
    assert drift_status.tolerated == 0.45
    by_hand = sum(comb(15, k) * 0.2**k * 0.8 ** (15 - k) for k in range(7, 16))
    assert drift_status.power[0.2] == pytest.approx(by_hand)
    text = report(drift_status)
    assert "15 of 60 candidates" in text
    assert "fewer than the 24 that a panel takes: it finds less" in text
    assert f"of 20% with {by_hand:.0%} probability" in text


def test_reading_r92_without_a_unanimous_pair_nothing_can_be_watched(
    run: Run, asked: Asked
) -> None:
    drift_status = stands(run, asked, [], torn=60)

    assert (drift_status.verdict, drift_status.history.panel) == ("cannot_tell", ())
    assert "it can't be watched" in report(drift_status)
    assert schema_findings("watch", json.loads(json.dumps(drift_status.as_json()))) == []


@pytest.mark.parametrize(
    ("flips", "pairs", "expected"),
    [
        (0.0, 24, 0.06),  # the spec's
        (0.06, 24, 0.06),
        (0.11, 24, 0.11),  # as many as two askings differed
        (0.6, 24, 0.45),
        (0.0, 17, 0.06),
        (0.0, 10, 0.1),  # one pair of ten
        (0.0, 0, 0.45),
    ],
)
def test_reading_r92_what_is_tolerated(flips: float, pairs: int, expected: float) -> None:
    assert tolerated(flips, pairs) == expected


def test_reading_r92_the_power_of_a_panel_is_that_two_of_24_changed(run: Run, asked: Asked) -> None:
    """6% of 24 are 1.44 pairs, so two are more. By hand: 1 - 0.9^24 - 24 x 0.1 x 0.9^23."""
    power = stands(run, asked, [0]).power

    assert power == {
        share: pytest.approx(1 - (1 - share) ** 24 - 24 * share * (1 - share) ** 23)
        for share in (0.1, 0.2)
    }
    assert round(power[0.1], 2) == 0.71


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flips", [0.05, 0.1, 0.2])
def test_reading_r92_at_most_one_unchanged_evaluator_in_twenty_is_called_drifted(
    kind: str, flips: float
) -> None:
    """400 years with frozen first answers; the rule before called a third of them so at 5%."""
    new_watches = watches(kind, flips, np.random.default_rng(92), runs=400)

    alarms = sum(watch(shares, tolerated=most).alarm is not None for shares, most in new_watches)

    assert alarms <= 20


@pytest.mark.parametrize(("changed", "least", "day"), [(0.1, 0.62, 14), (0.2, 0.92, 7)])
def test_reading_r92_changes_are_found(changed: float, least: float, day: int) -> None:
    """70% and 97% expected; four standard errors of 400 are left."""
    rng = np.random.default_rng(93)
    new_watches = watches("alike", 0.025, rng, runs=400, days=60, changed=changed)

    alarms = [watch(shares, tolerated=most).alarm for shares, most in new_watches]

    days = sorted(alarm + 1 for alarm in alarms if alarm is not None)
    assert len(days) >= least * 400
    assert days[len(days) // 2] <= day


# --- the run against the first day


def test_reading_r92_a_run_is_compared_with_the_first_day(run: Run, asked: Asked) -> None:
    """Of four answers to a pair the run's stands alone by chance in one of four.

    So six pairs that all turned have a probability of 4^-6, which 1,999 shuffles hardly ever see.
    """
    same_drift_status, changed = (
        stands(run, asked, [0] * 20),
        stands(run, asked, [0] * 20, turned=6),
    )

    assert same_drift_status.since_run is not None
    assert changed.since_run is not None
    assert (same_drift_status.since_run.verdict, same_drift_status.since_run.p_value) == (
        "cannot_tell",
        1.0,
    )
    assert not same_drift_status.drifted
    assert (changed.since_run.verdict, changed.since_run.turned) == ("drifted", 6)
    assert changed.since_run.p_value == pytest.approx(0.001, abs=0.002)
    assert (changed.verdict, changed.drifted) == ("holds", True)
    assert report(changed).startswith(
        "since the run     DRIFTED: 6 of 60 pairs got another verdict in every asking (p 0.001)\n"
        "since 2026-07-01  HOLDS, after 20 days of 24 pairs\n"
    )


# --- the history


def test_reading_r46_a_history_is_read_as_it_was_written(asked: Asked, tmp_path: Path) -> None:
    path, written = tmp_path / "watch.jsonl", history(asked, [1, 0])
    assert read_history(path) == History()

    for day in written.days:
        append_day(path, day)

    assert read_history(path) == written
    for line in path.read_text("utf-8").splitlines():
        assert schema_findings("watch_day", json.loads(line)) == []


MISTAKES: list[tuple[str, Any]] = [
    ("/watch/1/day", {"day": "2026-07-01"}),
    ("/watch/1/day", {"day": "yesterday"}),
    ("/watch/1/note", {"note": "trust me"}),
    ("/watch/1/answers", {"answers": []}),
]


@pytest.mark.parametrize(("where", "change"), MISTAKES)
def test_reading_r46_a_damaged_history_is_refused(
    asked: Asked, tmp_path: Path, where: str, change: Any
) -> None:
    path = tmp_path / "watch.jsonl"
    for day in history(asked, [1]).days:
        append_day(path, day)
    first, second = path.read_text("utf-8").splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | change)}\n", "utf-8")

    with pytest.raises(MalformedError) as raised:
        read_history(path)

    assert raised.value.finding.where == where


def test_reading_r76_an_answer_of_an_earlier_day_is_no_answer_of_this_one(
    tmp_path: Path, asked: Asked
) -> None:
    path, day = tmp_path / "watch.jsonl", first_day(asked)
    late = structs.replace(day.answers[4], answered_at=(None, "2026-06-30T23:59:59Z", None))
    append_day(path, structs.replace(day, answers=(*day.answers[:4], late, *day.answers[5:])))

    with pytest.raises(MalformedError) as error:
        read_history(path)

    assert "/watch/0/answers/4/answered_at: 2026-06-30T23:59:59Z is before" in str(error.value)


def test_reading_r46_a_torn_history_is_not_taken_for_a_shorter_one(
    asked: Asked, tmp_path: Path
) -> None:
    path = tmp_path / "watch.jsonl"
    append_day(path, first_day(asked))
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")

    with pytest.raises(MalformedError):
        read_history(path)


@pytest.mark.parametrize("day", [0, 1])
def test_reading_r46_the_history_of_another_run_or_panel_is_refused(
    run: Run, asked: Asked, day: int
) -> None:
    days = list(history(asked, [0]).days)
    first = structs.replace(days[day].answers[0], prompt="another question")
    days[day] = structs.replace(days[day], answers=(first, *days[day].answers[1:]))

    with pytest.raises(UsageError, match=f"the history of 2026-07-0{day + 1} has other questions"):
        standing(run.parsed(), asked, History(days=tuple(days)))


# --- where it stands


def test_reading_r46_what_held_and_holds_no_more_says_since_when(run: Run, asked: Asked) -> None:
    steady = stands(run, asked, [0] * 30)
    shaken = stands(run, asked, [0] * 30 + [12])
    drifted = stands(run, asked, [0] * 30 + [12] * 9)

    # The thirtieth day after the first, of months of 28, is 2026-08-03. On the next, half of the
    # panel changed: 12 of the 7 x 24 answers of a week are 7.1%, more than the 6% tolerated.
    assert (steady.verdict, steady.as_json()["held"]) == ("holds", "2026-08-03")
    assert (shaken.verdict, shaken.as_json()["held"]) == ("cannot_tell", "2026-08-03")
    assert "ANY MORE" not in report(steady) + report(drifted)
    value = drifted.as_json()
    assert (value["verdict"], value["held"]) == ("drifted", "2026-08-03")
    assert value["held"] < value["alarm"]
    assert "  held       until 2026-08-03\n" in report(drifted)
    assert (value["ceiling"], value["window"], value["recent"]) == (0.2, 21, 0.5)
    assert "since 2026-07-01  CANNOT TELL ANY MORE, after 31 days of 24 pairs\n" in report(shaken)
    assert "  recent     7.1% a day from 2026-07-26 to 2026-08-04\n" in report(shaken)


def test_reading_r46_of_facts_one_changed_verdict_is_drift(run: Run, asked: Asked) -> None:
    known = {"endpoint": "mock", "version": "1"}
    same_drift_status, later_drift_status, first = (
        stands(run, asked, flips, turned=turned, **known)
        for flips, turned in (([0], 0), ([0, 1, 0], 0), ([0], 1))
    )

    assert (same_drift_status.verdict, same_drift_status.facts, same_drift_status.drifted) == (
        "holds",
        True,
        False,
    )
    assert (later_drift_status.verdict, later_drift_status.alarm) == ("drifted", "2026-07-03")
    assert {
        later_drift_status.as_json()[key] for key in ("capital", "ceiling", "recent", "held")
    } == {None}
    assert first.since_run is not None
    assert (first.verdict, first.since_run.verdict, first.drifted) == ("holds", "drifted", True)


def test_epc_2_2_an_evaluator_that_says_it_is_another_is_named(run: Run, asked: Asked) -> None:
    days = history(asked, [0], version="2").days
    last = structs.replace(days[1], served_models=("m-2",))

    drift_status = standing(run.parsed(), asked, History(days=(days[0], last)))

    assert {finding.where for finding in drift_status.findings} == {
        "/evaluator/version",
        "/evaluator/endpoint",
        "/provenance/served_models/evaluator",
    }
    assert {finding.severity for finding in drift_status.findings} == {"warning"}


@pytest.mark.parametrize("flips", [[], [0], [1, 0, 12], [12] * 20, [0] * 30])
@pytest.mark.parametrize("endpoint", ["mock", HOSTED])
def test_the_json_keeps_to_its_schema_and_the_text_says_the_same(
    run: Run, asked: Asked, flips: list[int], endpoint: str
) -> None:
    drift_status = stands(run, asked, flips, endpoint=endpoint)

    value = json.loads(json.dumps(drift_status.as_json(), allow_nan=False))

    assert schema_findings("watch", value) == []
    text = report(drift_status)
    words = {"holds": "HOLDS", "drifted": "DRIFTED", "cannot_tell": "CANNOT TELL YET"}
    assert f"  {words[value['verdict']]}, after {len(flips)} day" in text
    for shown in value["days"][-7:]:
        assert f"{shown['day']}  {shown['changed']} of 24" in text
    if value["capital"] is not None and flips:
        assert f"{value['capital']:.3g} of betting on drift" in text
