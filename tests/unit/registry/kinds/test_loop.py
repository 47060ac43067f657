"""Published loops, counted again with pandas and SciPy, and run again with GEPA (Reading R93)."""

import json
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands_support import run
from registry_support import ROOT, SNAPSHOTS, raw
from scipy import stats

from epc.answers.judge_cards import card_of
from epc.answers.subjects import subject
from epc.engine.loop_demo import JUDGES, STARTS, Pickers
from epc.records.banks import shared_bank
from epc.records.loop import GOLD
from epc.records.loop_snapshot import LOG
from epc.registry.kinds.adapter import kind_of
from epc.registry.reading import of_folder
from epc.report.judge_card_text import text

pytestmark = pytest.mark.extra  # Parquet

DOCUMENTS = {
    path.parent.name: json.loads(path.read_text("utf-8")) for path in SNAPSHOTS.glob("v*/loop.json")
}
TAGS = sorted(DOCUMENTS)
RECORDED = [tag for tag in TAGS if "bank" in DOCUMENTS[tag]]
LIVE = [tag for tag in TAGS if "worker" in DOCUMENTS[tag]]
RUNS = {"good": 30, "weak": 30, "text": 5, "number": 5}  # by what they begin with, or are judged by


@cache
def tables(tag: str) -> tuple[Any, Any]:
    """Return what the optimiser saw, in its order, and what was checked afterwards."""
    log: Any = pd.read_parquet(raw(tag, "log.parquet")).sort_values("seq")
    return log, pd.read_parquet(raw(tag, "checks.parquet"))


def counted(tag: str) -> dict[str, dict[str, list[float]]]:
    """Return each gain of each run, by gain and start."""
    document = json.loads((SNAPSHOTS / tag / "loop.json").read_text("utf-8"))
    log, checks = tables(tag)
    began = log.groupby("run").candidate.first()
    chose = log[log.split == "val"].groupby(["run", "candidate"]).score.mean()
    names = {document["judge"]: "fresh", document["judge_b"]: "by_b", "gold": "gold"}
    gains: dict[str, dict[str, list[float]]] = {}
    of = checks.assign(final=checks.candidate != checks.run.map(began))
    wide = of.pivot_table("score", ["run", "judge", "item"], "final")
    assert set(wide.groupby(["run", "judge"]).size()) == {document["items"]["test"]}
    seen = log[["run", "item"]].drop_duplicates()
    assert seen.merge(checks, on=["run", "item"]).empty  # the optimiser never saw these
    moved = (wide[True].fillna(wide[False]) - wide[False]).groupby(["run", "judge"]).mean()
    last = of[of.final].groupby("run").candidate.unique().map(lambda names: names.item())
    for run_name, first in began.items():
        final = last.get(run_name, first)
        by = {"believed": chose[run_name, final] - chose[run_name, first]}
        by |= {name: moved[run_name, judge] for judge, name in names.items()}
        by["luck"] = by["believed"] - by["fresh"]
        for name, value in by.items():
            gains.setdefault(name, {}).setdefault(str(run_name).split("/")[0], []).append(value)
    return gains


@pytest.mark.parametrize("tag", TAGS)
def test_reading_r93_every_published_gain_is_that_of_its_log_and_checks(tag: str) -> None:
    figures = json.loads((SNAPSHOTS / tag / "metrics.json").read_text("utf-8"))["figures"]

    gains = counted(tag)

    assert figures["loop"].keys() == gains.keys()
    for name, by_start in gains.items():
        for start, values in by_start.items():
            stated = figures["loop"][name][start]
            mean, error = sum(values) / len(values), stats.sem(values)
            low, high = stats.t.interval(0.95, len(values) - 1, mean, error)
            assert stated["n"] == len(values) == RUNS[start]
            assert [stated["mean"], *stated["ci95"]] == pytest.approx([mean, low, high], abs=1e-9)


def of_runs(tag: str, start: str, judge: str) -> tuple[Any, ...]:
    """Return by item and run what judge and gold changed by, whether the output did, and the run.

    An output that stayed differs by nothing.
    """
    log, checks = tables(tag)
    began = log.groupby("run").candidate.first()
    check = checks[checks.run.str.startswith(f"{start}/")]
    wide = check.pivot_table(["score"], ["run", "item", "candidate"], "judge").score.reset_index()
    wide = wide.merge(check.drop_duplicates(["run", "item", "candidate"]).drop(columns="judge"))
    wide["first"] = wide.candidate == wide.run.map(began)
    before = wide[wide["first"]].set_index(["run", "item"])
    after = wide[~wide["first"]].set_index(["run", "item"]).reindex(before.index)
    changed = after.output.notna() & (after.output != before.output)
    gains = [(after[by] - before[by]).where(changed, 0.0).to_numpy() for by in (judge, GOLD)]
    runs = before.index.get_level_values("run").factorize()[0]
    return *gains, changed.to_numpy(), runs


@pytest.mark.parametrize("tag", RECORDED)
def test_reading_r93_cards_and_the_page_have_what_the_judges_of_loops_pay(tag: str) -> None:
    """By SciPy's slope over all items, and the spread of what each run left out would change."""
    judge = json.loads((SNAPSHOTS / tag / "loop.json").read_text("utf-8"))["judge"]
    drawn = (ROOT / "site/docs/data/loop-prices.csv").read_text("utf-8").splitlines()
    registry = of_folder(ROOT)
    card = card_of(registry, subject(registry, judge, date(2026, 11, 26)), date(2026, 11, 26))
    for start in STARTS:
        judged, gold, changed, runs = of_runs(tag, start, judge)

        def paid(kept: Any, parts: Any = (judged, gold, changed)) -> tuple[float, float]:
            j, g, c = (part[kept] for part in parts)
            slope = stats.linregress(g[c], j[c]).slope
            return slope, j.mean() - slope * g.mean()

        whole = paid(runs >= 0)
        left = np.array([paid(runs != run) for run in range(30)])
        halves = stats.t.ppf(0.975, 29) * np.sqrt(29 / 30 * ((left - left.mean(0)) ** 2).sum(0))
        price, taste = card.optimised[start].price, card.optimised[start].taste
        assert price
        assert taste
        # A cell that begins with a sign is a formula to a spreadsheet.
        paid_in_cells = f'"{price:+.2f}","{taste:+.2f}"'.replace("+", "")
        assert f"{judge},{start},{paid_in_cells}" in drawn  # by optimisers.md
        assert f"pays {price:+.2f} points for a right answer, and gives {taste:+.2f}" in text(card)
        for figure, value, half in zip((price, taste), whole, halves, strict=True):
            # The jackknife over runs and the linearised interval agree to a few percent.
            assert figure.value == pytest.approx(value, abs=6e-5)
            assert figure.ci95 == pytest.approx((value - half, value + half), abs=0.1 * half)


def test_reading_r93_the_first_loops_are_of_five_judges_that_the_bank_has() -> None:
    assert sorted(DOCUMENTS[tag]["judge"] for tag in RECORDED) == sorted(JUDGES)
    assert sum(raw(tag, LOG).stat().st_size for tag in TAGS) < 3_000_000


@pytest.mark.parametrize("tag", LIVE)
def test_reading_r93_gold_of_a_live_loop_is_arithmetic_and_one_judgement_a_prompt(tag: str) -> None:
    """What the judge reads decides its score: a digest of an output has one score in each start."""
    _, checks = tables(tag)

    assert {run.split("/")[0] for run in checks.run} == {"text", "number"}
    gold = checks[checks.judge == GOLD]
    assert set(gold.score) <= {0.0, 1.0}
    assert gold.groupby(["item", "output"]).score.agg(np.ptp).max() == 0
    by_text = checks[checks.run.str.startswith("text/") & (checks.judge != GOLD)]
    assert by_text.groupby(["item", "output", "judge"]).score.agg(np.ptp).max() == 0


@pytest.mark.skipif(version("gepa") != "0.1.4", reason="the published runs are GEPA 0.1.4's")
@pytest.mark.parametrize("start", STARTS)
def test_reading_r93_gepa_repeats_a_published_run_score_by_score(start: str) -> None:
    import loops  # it writes Parquet

    tag = next(tag for tag in TAGS if tag.endswith("gpt-5.4-mini"))
    bank = shared_bank((SNAPSHOTS / "bank.parquet").read_bytes())
    published: Any = pd.read_parquet(raw(tag, "log.parquet"))
    wanted = published[published.run == f"{start}/07"].drop(columns="run")

    _, columns, rows = next(
        iter(loops.runs_of(Pickers.from_bank(bank, "gpt-5.4-mini"), STARTS[start], seed=7))
    )

    repeated_table = pd.DataFrame(
        [{name: getattr(row, name) for name in columns[1:]} for row in rows]
    )
    pd.testing.assert_frame_equal(
        repeated_table.reset_index(drop=True), wanted.reset_index(drop=True)
    )


def test_runs_of_an_optimiser_are_published_by_maintainers_alone(tmp_path: Path) -> None:
    (tmp_path / "loop.json").write_text("{}", "utf-8")

    done = run(ROOT, "submission", "new", str(tmp_path))

    assert kind_of(tmp_path) == "loop"
    assert done.returncode == 2
    assert "published by maintainers" in done.stderr
