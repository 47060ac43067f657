"""Issue 22: the front page of this very registry: its example, its table, and what it weighs."""

import re
from datetime import date
from functools import cache
from html import unescape
from itertools import islice

from registry_support import ROOT

from epc.registry.reading import of_folder
from epc.site.collecting import collect
from epc.site.rendering import lists

DAY = date(2026, 11, 23)


@cache
def front() -> str:
    site = collect(ROOT, as_of=DAY, address="")
    ((_, text),) = islice(lists(site), 1)
    return text


def words(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


def test_the_example_read_aloud_states_the_numbers_of_a_published_measurement() -> None:
    told = front().split('<ol class="epc-told">')[1].split("</ol>")[0]
    tag = re.search(r'read aloud:</strong> <a href="snapshots/([^"]+)/"', front())

    assert tag
    snapshot = of_folder(ROOT).snapshots[tag[1]]
    assert not snapshot.calibration
    assert not snapshot.failed
    assert snapshot.audit
    into = max(snapshot.audit.crossing.values(), key=lambda each: each.regret)
    said = words(told)
    assert len(re.findall("<li>", told)) == 5
    assert f"made {100 * into.redirected:.1f}% of its choices" in said
    assert f"chance alone gives {100 * into.chance:.1f}%" in said
    assert f"{100 * into.regret:+.1f} points" in said
    assert f"{snapshot.n} times over" in said
    assert str(snapshot.verdict).replace("_", " ") in said


def test_the_table_has_one_figure_a_line_by_state_and_failed_runs_last() -> None:
    table = front().split('id="current-table"')[1].split("</table>")[0]
    lines = table.split("<tr data-tag=")[1:]
    registry = of_folder(ROOT)
    found = [registry.snapshots[line.split('"')[1]] for line in lines]

    assert all(line.count('class="epc-spark"') <= 1 for line in lines)
    assert not any(s.platform in ("local", "mock") for s in found)
    ranked = [line for line, snapshot in zip(lines, found, strict=True) if not snapshot.failed]
    states = [
        ("current", "expiring", "unconfirmed", "unknown").index(
            line.split('data-status="')[1].split('"')[0]
        )
        for line in ranked
    ]
    assert states == sorted(states)
    assert lines[: len(ranked)] == ranked
    failed = [line for line, snapshot in zip(lines, found, strict=True) if snapshot.failed]
    assert failed
    assert all("failed run, not ranked" in line and "<svg" not in line for line in failed)
    assert table.count('<th scope="col">') == 7


def test_judges_that_somebody_serves_come_first_and_examples_last() -> None:
    """A judge is served where `epc expiry` says so of a platform; nobody serves gpt-4 any more."""
    text = front()
    recorded, examples = (
        text.split(f'id="{name}"')[1].split("</table>")[0]
        for name in ("observed-table", "calibration")
    )
    names = [
        of_folder(ROOT).snapshots[line.split('"')[1]].tag.generation
        for line in recorded.split("<tr data-tag=")[1:]
    ]

    assert text.index('id="observed-table"') < text.index('id="current-table"')
    assert text.index('id="current-table"') < text.index('id="calibration"')
    assert names.index("internlm2-7b-reward") < names.index("gpt-4")
    assert "v1.0-Word-Count" in examples
    assert "v1.0-CoinFlip" in examples
