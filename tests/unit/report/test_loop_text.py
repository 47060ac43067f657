"""An optimiser's gains in words."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from epc.analysis.loop import UNNAMED
from epc.report import loop_text
from epc.report.document import printed
from epc.statistics.figures import Figure


def figure(value: float, half: float = 0.25) -> Figure:
    return Figure(value=value, ci95=(value - half, value + half))


class Gold(Figure, frozen=True, kw_only=True):
    labelled: int
    worth: float
    correlation: float


GOLD = Gold(value=0.125, ci95=(0.0, 0.25), labelled=40, worth=55.4, correlation=0.5)


def report(**changed: Any) -> Any:
    record: dict[str, Any] = {
        "judge": "j", "judge_b": "k", "seed": "s", "final": "f", "candidates": 9, "calls": 1234,
        "planned": True, "validation_items": 30, "believed": figure(1.0), "items": 50,
        "changed": 20, "unread": 0,
        "unread_in_log": 0, "fresh": figure(0.5), "by_b": None, "luck": figure(0.5),
        "drift": None, "asked_again": 0, "retried": 0, "gold": None, "labelled_twice": 0,
        "disagreement": None,
        "label_error": None, "exchange": None, "quality": "not_measured", "withheld": (),
        "course": (), "digits": 2,
    }  # fmt: skip
    return SimpleNamespace(**record | changed)


EXCHANGE = SimpleNamespace(price=figure(2.0), taste=figure(-0.5))
FULL = report(
    gold=GOLD, quality="better", exchange=EXCHANGE, by_b=figure(0.25), drift=figure(0.0),
    asked_again=7, retried=2, unread=3, labelled_twice=10, disagreement=0.25, label_error=0.125,
    planned=False, withheld=("too few labels",),
)  # fmt: skip


def test_a_sentence_has_what_was_believed_what_fresh_items_say_and_gold() -> None:
    believed = (
        "j reports +1.00 [+0.75, +1.25] points for the best of 9 candidates (on the 30 items that "
        "chose it). Asked again on 50 items that the optimiser never saw, it gives "
        "+0.50 [+0.25, +0.75]."
    )
    alone = "One run speaks of this final alone, not of the optimiser."

    assert loop_text.sentence(report()) == f"{believed} Quality: not measured. {alone}"
    gold = "Gold on 40 of them: +12.5 [+0.0, +25.0] points of right answers."
    assert loop_text.sentence(FULL) == f"{believed} {gold} The work got better. {alone}"


def test_a_log_alone_shows_nothing_and_an_unnamed_judge_begins_its_sentence() -> None:
    believed: Any = SimpleNamespace(
        judge=UNNAMED, final="f", candidates=9, items=30, gain=figure(1.0), digits=1
    )

    text = loop_text.believed_sentence(believed)

    assert text[0].isupper()
    assert "reports +1.0 [+0.8, +1.2] points for the best of 9" in text
    assert text.endswith("The score that chose f is too good to count: nothing is shown.")


def test_figures_and_facts_are_there_as_far_as_they_were_measured() -> None:
    assert [row[0] for row in loop_text._figures(report())] == [
        *("believed gain (it chose the final)", "fresh gain", "luck: believed less fresh"),
    ]
    assert [row[1:] for row in loop_text._figures(FULL)][3:] == [
        ("+0.00 [-0.25, +0.25]", "7 logged outputs, asked again"),
        ("+0.25 [+0.00, +0.50]", "50 fresh items"),
        ("+12.5 [+0.0, +25.0]", "40 labelled items"),
        ("+2.00 [+1.75, +2.25]", "40 labelled items"),
        ("-0.50 [-0.75, -0.25]", "40 labelled items"),
    ]
    assert dict(loop_text._facts(report())) == {
        "judge": "j", "seed, final": "s, f", "log": "1,234 metric calls, 9 candidates",
        "outputs": "20 of 50 changed; the others differ by 0",
        "planned": "yes, before anything was looked at",
    }  # fmt: skip
    facts = dict(loop_text._facts(FULL))
    assert facts["planned"] == "not planned before it was looked at"
    assert facts["asked again"] == "2 scores, as an earlier reply held none"
    assert facts["unread"] == "3 scores could not be read; their items are left out"
    assert facts["labels"] == "40 labels; with the judge's help worth 55 (correlation 0.50)"
    assert facts["labelled twice"] == "10 outputs, 25.0% disagree: about 12.5% of labels are wrong"
    half = report(disagreement=0.25)
    assert "labelled twice" not in dict(loop_text._facts(half))


def test_notes_say_what_is_not_known_and_why() -> None:
    def last(of: Any) -> list[str]:
        return [*loop_text._notes(of)][2:]

    assert last(FULL) == ["Too few labels."]
    assert [note[:16] for note in last(report())] == ["Labels of output"]
    assert [note[:13] for note in last(report(quality="worse"))] == ["No output has"]


def runs(**changed: Any) -> Any:
    given = {"runs": 5, "reports": (report(), FULL), "price": None, "taste": None, "starts": None}
    return report(**given | changed)


def test_several_runs_have_a_sentence_with_price_and_taste_where_both_are_known() -> None:
    text = loop_text.runs_sentence(runs())

    assert text == (
        "Over 5 runs j reports +1.00 [+0.75, +1.25] points on the items that chose, and gives "
        "+0.50 [+0.25, +0.75] on items that its run never saw. Quality: not measured."
    )
    paid = loop_text.runs_sentence(
        runs(price=figure(2.0), taste=figure(-0.5), gold=GOLD, quality="worse")
    )
    assert paid.endswith(
        "Gold: +12.5 [+0.0, +25.0] points of right answers. The work gets worse. The judge pays "
        "+2.00 [+1.75, +2.25] points for a right answer, and gives -0.50 [-0.75, -0.25] for other "
        "things (taste)."
    )
    assert "taste" not in loop_text.runs_sentence(runs(price=figure(2.0)))
    assert loop_text.starts_sentences({"weak": runs()}) == [f"From a weak start: {text}"]
    assert loop_text._cells(report()) == (
        *("+1.00 [+0.75, +1.25]", "+0.50 [+0.25, +0.75]", "-", "-"),
    )
    assert loop_text._cells(FULL)[2:] == ("+12.5 [+0.0, +25.0]", "-0.50 [-0.75, -0.25]")


def test_a_gate_says_why_and_that_it_cannot_see_taste_without_labels() -> None:
    def said(of: Any) -> str:
        gate: Any = SimpleNamespace(report=of, word="ship", reason="no harm is shown", margin=0.05)
        return loop_text.gate_sentence(gate)

    assert said(None) == "refused: no harm is shown."
    assert said(report()) == (
        "ship: no harm is shown; j gives the final +0.50 [+0.25, +0.75] on 50 of them, with no "
        "gold beside it; the gate cannot see taste: a judge that pays for length passes a longer "
        "answer as well."
    )
    assert said(FULL) == (
        "ship: no harm is shown; j gives the final +0.50 [+0.25, +0.75] on 50 of them (not planned "
        "before it was looked at), gold on 40 of them +12.5 [+0.0, +25.0] points of right answers, "
        "margin 5 points; taste by these labels: -0.50 [-0.75, -0.25]."
    )


@pytest.mark.parametrize(
    ("judge", "system", "words"),
    [
        (figure(1.0), figure(0.0), "It was the judge."),
        (figure(0.25), figure(-1.0), "It was the system."),
        (figure(1.0), figure(-1.0), "Both changed."),
        (figure(0.25), figure(-0.25), "Neither is shown to have changed."),
        (Figure(value=1.0, ci95=None), figure(0.0), "Neither is shown to have changed."),
    ],
)
def test_a_change_is_whose_interval_is_on_one_side_of_0(
    judge: Figure, system: Figure, words: str
) -> None:
    parts: Any = SimpleNamespace(change=figure(1.0), judge=judge, system=system, anchors=12)

    text = loop_text.parted_text(parts)

    assert text.endswith(words)
    assert text.startswith("The score changed by +1.000 [+0.750, +1.250]. Of that +")
    assert "by 12 outputs of the old system that both judges scored" in text


def test_a_plan_says_what_it_drew_and_how_many_were_used_up() -> None:
    plan: Any = SimpleNamespace(
        seed="s", final="f", judge=SimpleNamespace(model="j"), judge_b=SimpleNamespace(model="k"),
        test=range(10), gold=range(4), gold_twice=range(2), repeats=range(3), margin=0.05,
    )  # fmt: skip

    text = loop_text.plan_text(plan, 12)

    for words in ("10 (2 more are used up)", "j, k", "4; where people give them, 2 of them twice",
                  "3 logged outputs", "s, f"):  # fmt: skip
        assert words in text
    # (0.4 - g^2) (2.8016 / (g + 0.05))^2 labels for a gain of g: 1,255.8 and 136.0.
    assert (
        "5 points: labels have to exclude a loss so large. To do so 8 times in 10 takes 1,256 for "
        "a final that is as good as the seed, 137 for a final that is better by 10, if 40% of the "
        "labels change"
    ) in " ".join(text.split())
    plan.margin = 0.0
    assert "takes 307 for a final that is better by 10" in " ".join(
        loop_text.plan_text(plan, 9).split()
    )
    plan.gold, plan.judge_b, plan.judge = (), None, SimpleNamespace(model="")
    bare = loop_text.plan_text(plan, 10)
    assert "used up" not in bare
    assert "none" in bare.split("labels of both outputs")[1].splitlines()[0]
    assert "the log names none" in bare


def test_the_document_begins_with_the_word_and_has_every_figure() -> None:
    with patch.object(loop_text, "loop_chart"), patch.object(loop_text, "runs_chart"):
        one = [*loop_text.document(FULL)]
        several = [*loop_text.runs_document(runs(gold=GOLD, taste=figure(-0.5)))]

    assert printed(one[:1]).startswith("BETTER")
    assert "40 labelled items" in printed(one[2:])
    text = printed(several[2:])
    assert "gold gain, points" in text
    assert "+12.5 [+0.0, +25.0]" in text
    assert "price of a right answer" not in text
