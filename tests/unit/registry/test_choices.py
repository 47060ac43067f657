"""What picking by a judge gains, on its card: against a count over the bank by other code."""

from datetime import date
from functools import cache

import numpy as np
import pandas as pd
import pytest
from registry_support import ROOT

from epc.analysis.agreement import AgreementRecord
from epc.analysis.choice_table import PriceEstimate
from epc.analysis.selection import banks_in, selections
from epc.answers.judge_cards import card_of
from epc.answers.subjects import subject
from epc.records.typed import as_json
from epc.registry.choices import choices_of
from epc.registry.reading import of_folder
from epc.registry.succession import VerdictStore, agreed_of, agreements_of
from epc.report.judge_card_text import picks, text

DAY = date(2026, 11, 26)


@cache
def counted(judge: str) -> dict[str, float]:
    """Return luck's share and the right answers gained, pick by pick."""
    table = pd.read_parquet(ROOT / "snapshots" / "bank.parquet")
    table = table[table["judge"] == judge]
    wide = table.pivot_table(index=["item", "response"], columns="asking", values="score")
    gold = table.drop_duplicates(["item", "response"]).set_index(["item", "response"])["gold"]
    believed, fresh, gained = [], [], []
    for item, scores in wide.groupby("item"):
        if len(scores) < 4 or scores.isna().to_numpy().any():
            continue
        right = gold[item].loc[scores.index.get_level_values("response")].to_numpy()
        values = scores.to_numpy()
        for asking in range(values.shape[1]):
            own_value, others = values[:, asking], np.delete(values, asking, axis=1).mean(axis=1)
            best = own_value == own_value.max()
            believed.append(own_value.max() - own_value.mean())
            fresh.append(others[best].mean() - others.mean())
            gained.append(right[best].mean() - right.mean())
    return {
        "luck_share": 1 - np.mean(fresh) / np.mean(believed),
        "fresh": float(np.mean(fresh)),
        "gold_gain": float(np.mean(gained)),
    }


@pytest.mark.parametrize("judge", ["gpt-5.4-nano", "claude-haiku-4-5-20251001"])
def test_reading_r94_a_card_says_how_much_of_what_a_judge_s_score_gains_is_luck(judge: str) -> None:
    registry = of_folder(ROOT)

    card = card_of(registry, subject(registry, judge, DAY), DAY)

    known = card.picked["all"]
    assert known.n == 4
    for name, value in counted(judge).items():
        figure = known.figures[name]
        assert figure.value == pytest.approx(value, abs=5e-4)
        assert figure.ci95
        assert figure.ci95[0] < value < figure.ci95[1]
    least, most = (known.figures[f"taste_{end}"].value or 0.0 for end in ("least", "most"))
    assert 0 < least < most < counted(judge)["fresh"]
    assert "honest" not in text(card), "an honest share is known of no judge"
    assert [row[0] for row in picks(card.picked)][1:] == [*card.picked]


@pytest.mark.slow
@pytest.mark.extra
@pytest.mark.nightly("test_reading_r94_a_card_says_how_much_of_what_a_judge_s_score_gains_is_luck")
def test_the_table_of_choices_is_that_of_the_verdicts_and_runs_that_are_kept() -> None:
    """All of it but prices, which change by the day."""
    published = of_folder(ROOT).choices
    assert published
    unpriced = PriceEstimate(usd=None, basis="")

    repeated_choices = choices_of(ROOT, lambda *_: unpriced)

    parts = ("benchmark", "domains", "picked", "paid")
    assert [as_json(getattr(repeated_choices, name)) for name in parts] == [
        as_json(getattr(published, name)) for name in parts
    ]


@pytest.mark.extra
@pytest.mark.parametrize("name", ["gpt-5.2", "SmolLM2-135M-Likelihood"])
def test_reading_r96_agreements_with_a_judge_are_those_of_recorded_verdicts_and_of_runs(
    name: str,
) -> None:
    registry = of_folder(ROOT)
    store, judge = VerdictStore.from_registry(registry, str(ROOT)), subject(registry, name, DAY)

    record = AgreementRecord.from_agreements(
        agreed_of(registry, judge, [*store.judges_sharing_sources(judge)])
    )

    assert record.agreements
    assert as_json(record) == as_json(registry.agreements[name])


@pytest.mark.slow
@pytest.mark.extra
@pytest.mark.nightly(
    "test_reading_r96_agreements_with_a_judge_are_those_of_recorded_verdicts_and_of_runs"
)
def test_reading_r96_the_table_of_agreements_is_that_of_the_verdicts_that_are_kept() -> None:
    store = VerdictStore.from_registry(of_folder(ROOT), str(ROOT))

    assert as_json(agreements_of(store)) == as_json(store.registry.agreements)


def test_the_registry_s_bank_is_read_by_the_command_of_any_bank() -> None:
    (done,) = selections(banks_in(ROOT / "snapshots" / "bank.parquet", ["gpt-5.4-nano"]), None)

    figures = done.domains["all"].gains[-1].figures
    for name, value in counted("gpt-5.4-nano").items():
        assert figures[name].value == pytest.approx(value, abs=1e-9)
