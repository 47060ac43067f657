"""The table has each way of asking a name, with a row for each day on which its answer turns.

Days and places are those of the worked cases, which were derived by hand from the records.
"""

from datetime import date, timedelta
from functools import cache

import pytest
from registry_support import ROOT

from epc.answers.service import gate, states
from epc.answers.table import ELSEWHERE, Answer, Table
from epc.answers.turns import standing
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

A = date(2026, 11, 28)


@cache
def published() -> Registry:
    return of_folder(ROOT)


@cache
def table() -> Table:
    return Table(published(), A)


def ways(name: str) -> dict[tuple[tuple[str, ...] | None, bool], Answer]:
    return {(spelt.platforms, bool(spelt.through)): way for spelt, way in table().answers(name)}


def told(answer: Answer) -> list[tuple[str, int, list[str]]]:
    """Return the day of each row, how many of its lines decide, and whose they are."""
    return [
        (str(day), row.gate, [line.life.platform for line in row.lines]) for day, row in answer.rows
    ]


def test_what_decides_turns_on_the_day_of_an_end() -> None:
    """Cases 10 to 12: two places decide until both have ended."""
    answers = ways("gemini-2.5-flash")

    bare = told(answers[None, False])
    assert [row for row in bare if row[0] <= "2026-12-01"][-2:] == [
        ("2026-11-28", 2, ["google-gemini-api", "google-vertex"]),
        ("2026-12-01", 1, ["google-gemini-api", "google-vertex"]),
    ]
    assert {tuple(row[1:2]) for row in told(answers[("google-vertex",), False])} == {(1,)}
    first = answers[("google-gemini-api",), False].rows[0][1]
    assert (first.gate, first.lines[0].life.platform) == (1, "google-gemini-api")


def test_platforms_that_have_no_record_of_a_name_leave_holes_for_themselves() -> None:
    (day, row), *_ = ways("gpt-4-0613")[ELSEWHERE, False].rows

    assert (day, row.gate, row.lines) == (A, 0, ())
    assert row.why == "through {1}, of which no day of {0} is known{3}"
    assert [life.platform for life in row.beside] == ["openai"]


def test_a_maker_without_a_record_is_named_with_the_hosts_and_what_else_may_be_meant() -> None:
    row = ways("meta-llama/Llama-4-Scout-17B-16E-Instruct")[None, False].rows[0][1]

    assert row.gate == 0
    assert row.why.startswith("meta, its maker, has no record of it here; only groq/{0} and ")
    assert row.why.endswith("; its weights are public{9}")


def test_whom_to_turn_to_stands_where_a_place_that_decides_has_an_end() -> None:
    """Cases 5 and 22: OpenAI names gpt-6-luna in place of gpt-4o; nobody ends kimi-k2.6."""
    ending = ways("gpt-4o")[None, False].rows[0][1]
    assert ending.judge
    assert (ending.judge.name, ending.judge.how) == ("gpt-6-luna", "named")
    assert {row.judge for _, row in ways("kimi-k2.6")[None, False].rows} == {None}


@pytest.mark.parametrize(
    ("text", "platforms", "through"),
    [
        ("gpt-4o", None, False),
        ("azure/gpt-4o", ("azure-openai", "azure-foundry"), False),
        ("gemini-2.5-flash", None, False),
        ("openrouter/claude-sonnet-4-5", None, True),
        ("deepseek-v4-pro", None, False),
        ("together/deepseek-v4-pro", ("together",), False),
        ("grok-4", None, False),
        ("groq/grok-4", ELSEWHERE, False),
    ],
)
def test_a_row_holds_until_the_next_on_every_day(
    text: str, *, platforms: tuple[str, ...] | None, through: bool
) -> None:
    answer = ways(text.rpartition("/")[2])[platforms, through]

    for day in (A + timedelta(days=n) for n in range(0, 400, 7)):
        row = standing(answer.rows, day)
        lines = [s.platform for s in states(published(), text, day) if s.platform]
        decide = [state for state in gate(published(), text, day) if state.platform]
        assert [line.life.platform for line in row.lines] == lines, day
        assert row.gate == len(decide), day
        assert bool(row.why) == (not decide), day
