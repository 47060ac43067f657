"""A judge's card in words."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from golden_support import Golden

from epc.analysis.judge_card import CardSource, PlatformService
from epc.printable import begun, enumeration
from epc.records.choices import Picked
from epc.report.judge_card_text import (
    _rows,
    _served,
    _source_line,
    folded,
    interval,
    performance_text,
    picking,
    picks,
)
from epc.statistics.figures import Figure


def served(platform: str, status: str = "alive", **further_fields: Any) -> PlatformService:
    fixed = {"reason": None, "until": None, "pinned": False, "source": None, "note": ""}
    life = {
        "platform": platform,
        "model": "m",
        "status": status,
        "words": "",
        **fixed,
        **further_fields,
    }
    return PlatformService(**life)


def card_rest(**further_fields: Any) -> CardSource:
    fixed = {"of": "v1.0-X", "kind": "measured", "trust": "recomputed", "n": 1200, "unit": "seeds"}
    state = {"word": None, "failed": False, "state": "stands", "source": "here", "counts": True}
    return CardSource(**{**fixed, **state, **further_fields})


def test_the_words_of_a_judge_s_card(golden: Golden) -> None:
    soon = {"until": "2026-10-01"}
    lives = {
        "nobody serves it": [],
        "served": [served("openai")],
        "weights": [served("open-weights", "current")],
        "not confirmed": [served("a", "unconfirmed")],
        "not before a day": [served("anthropic", not_before="2027-07-24")],
        "twice by one": [served("openai", **soon), served("openai", **soon)],
        "by two": [served("azure", **soon), served("openai", **soon)],
        "three states": [
            served("a", "expired", reason="retired", until="2026-01-01"),
            served("b", "unknown"),
            served("c", pinned=True),
        ],
    }
    failed = card_rest(trust="measured", word="no_detectable_coupling", failed=True)
    figures = [
        ("gamma", 0.25, (0.2, 0.3)),
        ("days_left", 30, (30, None)),
        ("days_left", None, (1_000, None)),
        ("gamma", 0.25, None),
        ("gamma", None, None),
    ]
    cases = {
        **{case: _served(service_term) for case, service_term in lives.items()},
        "names": "\n".join(enumeration("abc"[:count]) for count in (1, 2, 3)),
        "what it rests on": f"{_source_line(card_rest())}\n{_source_line(failed)}",
        "figures": "\n".join(
            interval(SimpleNamespace(name=name, value=value, ci95=ci95))  # type: ignore[arg-type]  # what it reads of a figure
            for name, value, ci95 in figures
        ),
    }

    golden("judge_card", cases)


def card_figure(
    name: str = "place_consistency", value: float | None = 0.75, **further_fields: Any
) -> Any:
    fixed: dict[str, Any] = {
        "name": name, "value": value, "ci95": None, "n": 1200, "items": 300, "unit": "pairs",
        "source": "S", "prompt": "P", "plain": False, "subset": None, "basis": "v1.0-X",
        "left_out": "", "epc_5_2": "", "note": "", "month": "May 2026", "marks": (), "of": "v1.0-X",
        "conditions": "c",
        "state": "current",
    }  # fmt: skip
    return SimpleNamespace(**fixed | further_fields)


def card(*figures: Any, rests: Sequence[Any] = (), **further_fields: Any) -> Any:
    fixed = {
        "name": "j", "served": (), "means": None, "rests_on": rests, "figures": figures,
        "quotable": SimpleNamespace(headline=None, history=()), "of_files": (),
        "counted": lambda name: [f for f in figures if f.name.split("/")[0] == name],
    }  # fmt: skip
    return SimpleNamespace(**fixed | further_fields)


def test_how_it_judged_is_the_first_of_what_is_known() -> None:
    audits = [card_rest(word="coupled"), card_rest(word="no_detectable_coupling", of="v1.1-X"),
              card_rest(word="coupled", counts=False)]  # fmt: skip
    audit = "its newest audit says: no detectable coupling (v1.1-X); quality: not measured"

    assert performance_text(card(rests=audits)) == audit
    assert performance_text(card(rests=audits, means="k")) == f"the name means k. {begun(audit)}"
    wrong = card_figure("invalid", 0.125, unit="evaluations")
    assert performance_text(card(card_figure("invalid", 0.5), wrong)) == (
        "12.5% of 1,200 evaluations that it wrote were invalid (v1.0-X, May 2026)"
    )
    gamma = card_figure("gamma", 1.25, n=30, epc_5_2="substantial")
    assert performance_text(card(gamma)) == (
        "a publication states gamma 1.250 (substantial), with 30 seeds and no interval (v1.0-X, "
        "May 2026)"
    )
    gamma.ci95 = (1.0, 1.5)
    assert performance_text(card(gamma)).endswith("with 30 seeds (v1.0-X, May 2026)")
    pci = card_figure("pci", 0.5, n=30, ci95=(0.25, 0.75))
    assert performance_text(card(pci)).endswith("with 30 seeds, and no gamma (v1.0-X, May 2026)")
    assert performance_text(card(rests=[card_rest(), card_rest(unit="verdicts", of="v1.1-X")])) == (
        "1,200 seeds (v1.0-X) and 1,200 verdicts (v1.1-X) are published. Nothing says whether they "
        "are right, change with the place or are repeated"
    )
    assert (
        performance_text(card(rests=[card_rest(failed=True)]))
        == "what was published is of a failed run"
    )
    assert performance_text(card(rests=[card_rest(counts=False)])).startswith(
        "no current measurement"
    )
    assert performance_text(card()) == "no measurement of it is in this registry"


def test_other_prompts_are_one_line_where_there_are_two_beside_that_of_comparisons() -> None:
    plain, one, two = (
        card_figure(plain=True, value=0.5),
        card_figure(value=0.25),
        card_figure(value=0.75),
    )
    unknown = card_figure(value=None)

    assert folded([plain, one, two, unknown]) == ([plain], "2 other settings: 0.250 to 0.750")
    assert folded([plain, one, unknown]) == ([plain, one, unknown], "")
    assert folded([one, two]) == ([one, two], "")


def test_a_row_has_its_counts_and_why_it_is_left_out() -> None:
    lines = [*_rows([
        card_figure(
            "gamma/a_to_b", 0.5, ci95=(0.25, 0.75), unit="seeds", items=1200, epc_5_2="weak"
        ),
        card_figure("gamma/b_to_a", 0.25, subset="hard", left_out="too old", unit="seeds"),
    ])]  # fmt: skip

    assert lines[0].startswith("  gamma")
    assert lines[1].split() == ["a_to_b", "v1.0-X", "0.500", "[0.250,", "0.750]", "n", "1,200",
                                "seeds,", "May", "2026", "weak"]  # fmt: skip
    assert lines[2].strip().startswith("hard  b_to_a  v1.0-X  0.250")
    assert lines[2].endswith("n 1,200 seeds, items 300, May 2026  (left out: too old)")


def test_what_picking_gains_is_a_table_by_domain() -> None:
    share = Figure(value=0.5, ci95=(0.25, 0.75))
    bare = Picked(n=2, questions=30, figures={"luck_share": Figure(value=0.5, ci95=None)})
    picked = {"all": Picked(n=4, questions=1234, figures={"luck_share": share, "gold_gain": share}),
              "maths": bare}  # fmt: skip

    assert picks(picked)[1:] == [
        ("all", "50% [25%, 75%]", "-", "-", "-", "+50.0 [+25.0, +75.0]", "1,234"),
        ("maths", "50% (too few items)", "-", "-", "-", "-", "30"),
    ]
    assert picks(picked)[0][0] == "domain"
    assert picking(card(picked=picked, picked_month="by May 2026")) == (
        "what its score gains by best of 4, asked once, in its points, by May 2026"
    )
