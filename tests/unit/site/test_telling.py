"""What a result box says, worked out by hand from the figures beside it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from golden_support import Golden
from msgspec import structs
from registry_support import day, observed_card, observed_figures
from site_support import with_documents

from epc.report.figure_names import in_words
from epc.simulation.training import Band
from epc.site.collecting import collect
from epc.site.escaping import TERMS, glossed
from epc.site.pages import SnapshotPage
from epc.site.telling import _first, _largest_regret, no_baseline, result_box

ANCHORS = Path(__file__).parents[2] / "glossary_anchors.txt"
COIN = Band(mean=1.17, low=0.73, high=1.61)


def page_of(folder: Path, **fields: Any) -> SnapshotPage:
    checkout = with_documents(folder)
    checkout.publish(**fields)
    return collect(checkout.folder, as_of=day("2026-04-01"), address="").snapshots[0]


def test_every_term_that_is_linked_stands_in_the_glossary() -> None:
    assert {*TERMS.values()} <= {*ANCHORS.read_text("utf-8").split()}


def test_a_term_is_linked_once_and_never_inside_a_name_or_by_markup() -> None:
    markup = glossed("gamma of <b>gamma-judge/gamma</b>, then gamma and win rate")

    assert markup.count("<a ") == 2
    assert '<a class="epc-term" href="../../glossary/#gamma">gamma</a> of &#60;b' in markup
    assert "gamma-judge/gamma" in markup
    assert "<b>" not in markup


def test_a_figure_is_named_in_words_with_what_it_is_of() -> None:
    assert in_words("control/excess/text_to_visual") == "excess coupling: text to visual"
    assert in_words("pci/text") == "PCI, how unequal the weights are: text"
    assert in_words("transfer/these_tasks/regret/code_to_plans") == (
        "transfer regret, for these tasks: code to plans"
    )
    assert in_words("accuracy/GPT-4/Swap_CoT") == "accuracy: GPT-4/Swap_CoT"
    assert in_words("new_figure/x") == "new figure: x"


def test_a_reported_gamma_inside_a_coin_flips_spread_shows_no_coupling(tmp_path: Path) -> None:
    page = page_of(tmp_path)

    said = result_box(page, COIN, "June 2026")

    assert said.answer[0].endswith(" seeds, June 2026.")
    assert "it does not show coupling" in said.answer[1]
    assert said.may_not[0].endswith("couples, or that it does not: no control was published.")
    outside = result_box(page, structs.replace(COIN, low=0.0, high=0.001), "")
    assert outside.answer[1] == (
        "Gamma differs from a coin flip (0.00 to 0.00 for 90% of seeds). The run has no control, "
        "so the cause is unknown."
    )


def test_recorded_verdicts_say_nothing_of_today(tmp_path: Path) -> None:
    card = observed_card("v1.0-Judge-1")
    del card["tag"]
    page = page_of(tmp_path, figures=observed_figures("J/1", n=40), **card)

    said = result_box(page, None, "")

    assert said.query == "What do the 40 verdicts of judge-1 show? Source: Source."
    assert "as it is served today" in said.may_not[0]


def evaluator(**fields: Any) -> Any:
    """Return a page of an evaluator of which nothing is published, but for what is given."""
    card = SimpleNamespace(means=None)
    nothing: dict[str, Any] = {"failed": False, "baselines": (), "records": (), "judgments": ()}
    return SimpleNamespace(**nothing | {"card": card} | fields)


def crossed(redirected: float, regret: float = 0.01) -> str:
    into = {"redirected": redirected, "redirected_ci95": (0, 0.74), "chance": 0.16}
    crossing: Any = SimpleNamespace(**into, regret=regret, regret_ci95=None)
    return "\n".join(_largest_regret([(SimpleNamespace(name="text_to_visual"), crossing)]))  # type: ignore[list-item]  # what it reads of a direction


def test_scores_that_follow_peoples_are_said_as_a_correlation_without_a_percent_sign() -> None:
    ordered: Any = SimpleNamespace(
        name="rank_correlation/grades", mean=0.5, interval=(0.4, 0.6), n=1200, items=300
    )

    assert _first(ordered, ", by May 2026") == (
        "In the setting grades, it gave scores that followed people's with a rank correlation of "
        "0.50 [0.40, 0.60], 1,200 verdicts on 300 items, by May 2026."
    )


def test_a_regret_that_rounds_to_zero_has_no_minus() -> None:
    assert "The regret is estimated at +0.0 points of win rate" in crossed(0.2, -0.0004)


def test_reading_r70_the_words_of_a_result_box(golden: Golden) -> None:
    one = SimpleNamespace(row=SimpleNamespace(tag="v1.0-J"))
    cases = {
        "nothing published": no_baseline(evaluator()),
        "failed": no_baseline(evaluator(failed=True, baselines=(one,))),
        "withdrawn": no_baseline(evaluator(baselines=(one,))),
        "as a judge": no_baseline(evaluator(records=(one, one))),
        "an alias": no_baseline(evaluator(card=SimpleNamespace(means="gpt-4o-2024-08-06"))),
        "as many choices as by chance": crossed(0.14),
        "more choices than by chance": crossed(0.35),
    }

    golden("result_box", cases)
