"""What is known of quality, in words (Reading R91)."""

from typing import Any

from epc.analysis.selection import PickersQuality
from epc.audit.quality import Blind, Detour, Quality, Work
from epc.report.document import printed
from epc.report.quality_text import of_pickers, parts, quality_line
from epc.spec.coupling import NotMeasured
from epc.statistics.figures import Figure


def figure(value: float, half: float = 0.02) -> Figure:
    return Figure(value=value, ci95=(value - half, value + half))


def blind(pair: tuple[str, str], gold: float, judge: float, *, turned: bool) -> Blind:
    return Blind(strategies=pair, gold=figure(gold), judge=figure(judge), reversed=turned)


def work(**changed: Any) -> Work:
    record: dict[str, Any] = {
        "groups": 1200, "labels": 3456, "start": figure(0.5), "proxy_gain": figure(0.25),
        "gold_gain": figure(-0.1), "floor": figure(0.3, 0.1), "blind": (), "word": "harms",
        "gold_trained_gain": figure(0.2),
    }  # fmt: skip
    return Work(**record | changed)


DETOUR = Detour(
    regret=figure(0.1), gold_loss=figure(0.05), gold_trained_loss=figure(0.03), beyond=figure(0.02)
)
SPOTS = (
    blind(("a", "b"), 0.1, 0.0, turned=False),
    blind(("c", "d"), -0.4, 0.3, turned=True),
)
QUALITY = Quality(
    domains={"text": work(blind=SPOTS), "code": work(gold_trained_gain=None, word="gains")},
    directions={
        "text_to_code": DETOUR,
        "code_to_text": Detour(
            regret=figure(0.1), gold_loss=figure(0.05), gold_trained_loss=None, beyond=None
        ),
    },
)


def test_reading_r91_what_is_known_stands_in_a_line() -> None:
    assert quality_line(QUALITY) == (
        "harms in text, gold gain -10.0 points [-12.0, -8.0]; "
        "gains in code, gold gain -10.0 points [-12.0, -8.0]"
    )
    unknown = NotMeasured(why="no labels", how="bring some")
    assert quality_line(unknown).endswith(": no labels; bring some")
    assert [*parts(unknown)] == []


def test_reading_r91_a_pair_that_gold_turns_round_is_shown_better_first_and_by_size() -> None:
    lines = printed(parts(QUALITY)).splitlines()

    first, second = (
        next(line for line in lines if line.strip().startswith(names)) for names in ("d, c", "a, b")
    )
    assert lines.index(first) < lines.index(second), "the larger difference first"
    assert [text in first for text in ("+40.0 points [+38.0, +42.0]", "reversed")] == [True] * 2
    assert "-30.0 points [-32.0, -28.0]" in first
    assert "+10.0 points [+8.0, +12.0]" in second
    assert "not separated" in second
    assert sum("better, worse by gold" in line for line in lines) == 1, "code has no blind spot"


def test_reading_r91_facts_of_work_and_of_a_detour_have_their_figures() -> None:
    text = printed(parts(QUALITY))

    for words in (
        *("50.0% [48.0%, 52.0%], over 1200 tasks, 3,456 labels", "work than choosing at random"),
        *("+25.0 points [+23.0, +27.0]", "30% [20%, 40%] of choices differ", "2 pairs that gold"),
        *("0 pairs that gold", "what the judge teaches is better work"),
        *("+10.0 points [+8.0, +12.0], of policies from other tasks", "+3.0 points [+1.0, +5.0]"),
        *("beyond that", "+2.0 points [+0.0, +4.0]", "+20.0 points [+18.0, +22.0]"),
    ):
        assert words in text, words
    assert text.count("labels are too sparse to train by") == 2
    assert text.count("beyond that") == 1


def test_reading_r91_what_a_judge_of_picks_teaches_names_the_pickers() -> None:
    done = PickersQuality(judge="j", pickers=("k", "l"), items=1234, quality=QUALITY)

    text = printed(of_pickers([done]))

    assert "hand in what is the highest for k, l" in text
    assert "1,234 that all of them scored" in text
    assert "Quality by gold" in text
