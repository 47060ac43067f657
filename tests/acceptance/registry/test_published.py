"""What this repository publishes: the paper's tables, and the lives of evaluators.

Expected figures are typed from the paper's own source, not read from our files.
"""

import json
from typing import Any

import pytest
from engine_support import epc
from registry_support import ROOT, day
from scipy.stats import binomtest, t

from epc.answers.snapshot_status import snapshot_states
from epc.registry.checking import check
from epc.registry.listing import entries, text
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

TEXT_TO_VISUAL, VISUAL_TO_TEXT = "text_to_visual", "visual_to_text"

TABLE_1 = {  # N, mean gamma, zero-coupling rate, seeds at zero
    "v1.0-GPT4o-0806": (8, 1.176, 0.00, 0),
    "v1.0-GPT4oMini-0718": (10, 1.145, 0.00, 0),
    "v1.0-Qwen3.7-0526": (8, 1.059, 0.00, 0),
    "v1.0-QwenPlus-0626": (30, 0.187, 0.83, 25),
    "v1.0-DeepSeekChat-0526": (30, 0.033, 0.97, 29),
}
TABLE_2 = {  # gamma, JSD in both directions
    "v1.1-GPT4o-0806": (0.795, 0.148, 0.211),
    "v1.2-GPT4o-0806": (0.724, 0.154, 0.189),
    "v1.1-Qwen3.7-0526": (0.987, 0.208, 0.225),
    "v1.1-DeepSeekChat-0526": (0.893, 0.189, 0.186),
}
TABLE_3 = {
    "pci": (0.741, 0.195),
    "accuracy": (0.931, 0.056),
    "ece": (0.308, 0.174),
    "brier": (0.269, 0.194),
}
REPORTED = {*TABLE_1, *TABLE_2, "v1.2-DeepSeekChat-0526"}


@pytest.fixture(scope="module")
def published() -> Registry:
    return of_folder(ROOT)


def faults(registry: Registry, tag: str) -> dict[str, str]:
    return {fault.id: fault.says for fault in registry.snapshots[tag].card.known_faults}


def test_every_record_of_an_evaluator_holds_together() -> None:
    """`epc snapshot verify`, a command of registry.md, is run by the test of the pages."""
    assert check(ROOT) == []


@pytest.mark.parametrize("tag", sorted(TABLE_1))
def test_epc_3_table_1_is_transcribed(published: Registry, tag: str) -> None:
    n, gamma, rate, zeros = TABLE_1[tag]
    figures = published.snapshots[tag].figures

    assert figures["n"] == n
    assert figures["gamma"] == {TEXT_TO_VISUAL: {"mean": gamma, "ci95": None}}
    zero = figures["zero_coupling_rate"][TEXT_TO_VISUAL]
    assert (zero["mean"], zero["hits"]) == (rate, zeros)
    wilson = binomtest(zeros, n).proportion_ci(0.95, method="wilson")
    assert zero["ci95"] == pytest.approx([wilson.low, wilson.high], abs=1e-12)


@pytest.mark.parametrize("tag", sorted(TABLE_2))
def test_epc_3_table_2_is_transcribed_as_later_measurements(published: Registry, tag: str) -> None:
    gamma, there, back = TABLE_2[tag]
    snapshot = published.snapshots[tag]

    assert snapshot.figures["n"] == 5
    assert snapshot.figures["gamma"] == {TEXT_TO_VISUAL: {"mean": gamma, "ci95": None}}
    jsd = snapshot.figures["jsd"]
    assert (jsd[TEXT_TO_VISUAL]["mean"], jsd[VISUAL_TO_TEXT]["mean"]) == (there, back)
    assert snapshot.first_day == snapshot.last_day == day("2026-06-27")
    assert snapshot.tag.snapshot > 0


def test_epc_3_table_3_is_transcribed_with_students_intervals(published: Registry) -> None:
    snapshot = published.snapshots["v1.2-DeepSeekChat-0526"]

    assert snapshot.card.protocol_version == "EPC-v1.0-AltRounds"  # R = 16
    for name, (value, sd) in TABLE_3.items():
        figure = snapshot.figures[name]
        assert (figure["mean"], figure["sd"]) == (value, sd)
        expected = t.interval(0.95, 9, loc=value, scale=sd / 10**0.5)
        assert figure["ci95"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tag", sorted(REPORTED))
def test_a_reported_snapshot_is_never_taken_for_a_measured_one(
    published: Registry, tag: str
) -> None:
    snapshot = published.snapshots[tag]

    assert (snapshot.kind, snapshot.trust, snapshot.calibration) == ("reported", "reported", False)
    assert snapshot.card.citation
    assert snapshot.card.citation.work.startswith("arXiv:2607.00297v1")
    names = {path.name for path in (ROOT / "snapshots" / tag).iterdir()}
    assert names == {"snapshot.json", "metrics.json", "SHA256SUMS"}


def test_epc_5_3_2_figures_from_third_parties_gateways_are_marked(published: Registry) -> None:
    gateways = {
        tag: s.card.evaluator.gateway
        for tag, s in published.snapshots.items()
        if s.kind == "reported" and s.card.evaluator.proxy
    }

    assert gateways == {
        "v1.0-GPT4o-0806": "api2d",
        "v1.0-GPT4oMini-0718": "DMXAPI",
        "v1.1-GPT4o-0806": "DMXAPI",
        "v1.2-GPT4o-0806": "DMXAPI",
        "v1.1-Qwen3.7-0526": "MaaS",
    }


@pytest.mark.parametrize(
    ("tag", "seeds"), [("v1.0-QwenPlus-0626", 25), ("v1.0-DeepSeekChat-0526", 29)]
)
def test_zero_coupling_of_failed_runs_is_said_to_be_that(
    published: Registry, tag: str, seeds: int
) -> None:
    failed_runs = faults(published, tag)["failed-runs"]

    assert f"{seeds} of 30 seeds" in failed_runs
    assert "run that failed" in failed_runs


def test_reading_r8_exactly_these_published_snapshots_are_failed_runs(published: Registry) -> None:
    failed = {tag for tag, snapshot in published.snapshots.items() if snapshot.failed}

    assert failed == {"v1.0-QwenPlus-0626", "v1.0-DeepSeekChat-0526"}


def test_the_command_line_marks_a_failed_run_and_states_no_difference_from_it() -> None:
    failed, other = "v1.0-QwenPlus-0626", "v1.0-GPT4o-0806"

    listed = epc("snapshot", "list", cwd=ROOT).stdout.splitlines()
    output = epc("snapshot", "show", failed, cwd=ROOT).stdout
    diff = epc("compare", failed, other, cwd=ROOT).stdout
    document = json.loads(epc("compare", failed, other, "--format", "json", cwd=ROOT).stdout)

    (row,) = [line for line in listed if line.startswith(f"{failed} ")]
    assert "failed run" in row
    assert "FAILED     no verdict was counted in most seeds" in output
    assert f"{failed} is a failed run" in diff
    assert "0.187   1.176  a failed run" in diff
    assert document["failed"] == [failed]


def test_what_a_coin_flip_gives_stands_beside_every_gamma_that_it_could_be(
    published: Registry,
) -> None:
    assert faults(published, "v1.0-GPT4o-0806")["coin-flip-value"] == (
        "1.176 is what a coin flip gives."
    )
    for tag in REPORTED:
        figures, said = published.snapshots[tag].figures, faults(published, tag)
        if figures.get("gamma", {}).get(TEXT_TO_VISUAL, {"mean": 0})["mean"] >= 0.5:
            assert any("1.17" in text and "0.73 to 1.62" in text for text in said.values()), tag


def test_the_lives_of_evaluators_are_those_that_their_sources_state(published: Registry) -> None:
    models = {
        (life.platform, life.model): life
        for generation in published.generations.values()
        for life in generation.lives
    }
    openai = models["openai", "gpt-4o-2024-08-06"].retires
    azure = models["azure-openai", "gpt-4o-2024-08-06"].retires
    floor = models["anthropic", "claude-opus-4-8"].retires
    reseller = models["alibaba-model-studio", "qwen3-max"].retires

    elsewhere = [life for (platform, _), life in models.items() if platform != "local"]
    stated_ones = [life for life in elsewhere if not life.is_listed]
    # 214 by hand; 854 that were added from public lists; 2 of judges of images, from their makers;
    # 3 of judges of choices; 1 of weights on a server of one's own; rows of the catalogue stand
    # beside.
    assert len(stated_ones) == 1074
    other_totals = sum(
        len(life.aliases) + len(life.points_to) + len(life.routes) for life in stated_ones
    )
    assert len(stated_ones) + other_totals >= 1000
    assert openai
    assert (openai.date, openai.kind) == (day("2027-01-14"), "exact")
    assert azure
    assert azure.date == day("2027-04-14")
    assert floor
    assert (floor.date, floor.kind) == (day("2027-05-28"), "not_before")
    assert reseller
    assert reseller.kind == "announced"
    assert models["alibaba-model-studio", "qwen-plus"].retires is None
    moved = models["deepseek", "deepseek-v4-flash"].routes
    assert [route.date for route in moved] == [day("2026-07-31"), day("2026-09-10")]


def test_every_conflict_keeps_both_dates_and_says_how_it_was_settled(published: Registry) -> None:
    settled = [
        (record["generation"], life["retires"]["date"], other["date"])
        for record in published.document["evaluators"]
        for life in record["platforms"]
        if life["retires"]
        for other in life["retires"]["others"]
        if other["settled"]
    ]

    assert ("gpt-4-0613", "2026-10-23", "2025-06-06") in settled
    assert ("claude-3-opus-20240229", "2026-01-05", "2026-05-01") in settled
    assert ("gemini-1.5-pro", "2025-09-29", "2026-06-17") in settled
    assert len({name for name, *_ in settled}) >= 21
    assert all(used != other for _, used, other in settled)


def test_every_document_is_written_canonically() -> None:
    def canonical(value: Any) -> str:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2) + "\n"

    for path in sorted((ROOT / "snapshots").glob("*/*.json")):
        text = path.read_text("utf-8")
        assert text == canonical(json.loads(text)), path


def test_at_launch_three_embedded_evaluators_were_measured_with_their_control(
    published: Registry,
) -> None:
    launch = day("2026-11-22")
    measured = [
        s
        for s in published.snapshots.values()
        if s.kind == "measured" and not s.calibration and s.last_day and s.last_day <= launch
    ]

    assert len({s.tag.generation for s in measured}) >= 3
    for found in measured:
        manifest = json.loads((ROOT / "snapshots" / str(found.tag) / "manifest.json").read_text())
        assert found.figures["n"] >= 30
        assert (manifest["config"]["exhaustive"], manifest["config"]["control"]) == (
            True,
            "measured",
        )
        assert manifest["evaluator"]["details"]["weights"]["sha256"]


def test_instruments_are_listed_apart_and_show_what_they_were_made_to_show(
    published: Registry,
) -> None:
    """A coin and a fixed place show no coupling, planted opposite preferences do."""
    states = snapshot_states(published, day("2026-11-22"))
    rows = {row.tag: row for row in entries(published, states, lambda _: True)}
    instruments = {tag: row for tag, row in rows.items() if row.calibration}
    audits = {tag: row.audit for tag, row in instruments.items() if row.kind == "measured"}

    assert audits == {
        "v1.0-AlwaysA": "no_coupling_beyond_margin",
        "v1.0-CoinFlip": "no_coupling_beyond_margin",
        "v1.0-Scripted-Opposed": "coupled",
    }
    assert {row.rule for row in instruments.values() if row.kind == "measured"} == {4}
    low, high = rows["v1.0-Scripted-Opposed"].excess_ci95 or (0, 0)
    assert 0 < low < high
    apart = text(list(rows.values())).split("Calibration and examples")
    assert all(tag not in apart[0] and tag in apart[1] for tag in instruments)


def test_reading_r71_the_word_shown_is_todays_and_the_published_one_stands_beside_it() -> None:
    """Rule 1 said `no_detectable_coupling` of the coin, of which rule 4 can say more."""
    card = json.loads((ROOT / "snapshots" / "v1.0-CoinFlip" / "snapshot.json").read_text())
    arguments = ("snapshot", "show", "v1.0-CoinFlip", "--registry", str(ROOT))
    output = epc(*arguments).stdout
    document = json.loads(epc(*arguments, "--format", "json").stdout)

    assert card["audit"]["verdict"] == "no_detectable_coupling"
    assert "rule" not in card["audit"]
    assert "  audit      no_coupling_beyond_margin (rule 4), p = " in output
    assert "published as no_detectable_coupling (rule 1, 2026-11-22)\n" in output
    assert "training in text first redirects" in output
    assert (document["audit"]["rule"], document["audit_published"]) == (4, card["audit"])


def test_a_real_evaluator_that_always_says_a_measures_what_the_instrument_does(
    published: Registry,
) -> None:
    """The constrained model answers A whatever it sees, so its figures are the instrument's."""
    snapshots = published.snapshots
    real, instrument = snapshots["v1.0-SmolLM2-135M-Constrained"], snapshots["v1.0-AlwaysA"]

    assert real.figures["gamma"] == instrument.figures["gamma"]
    assert real.figures["jsd"] == instrument.figures["jsd"]


def test_a_mock_judges_scores_are_the_instruments_own_and_no_evaluators(
    published: Registry,
) -> None:
    """Its scores follow from the outputs' digests, so it quotes rightly and is always valid."""
    snapshot = published.snapshots["v1.0-DigestJudge"]
    run = json.loads(
        (ROOT / "snapshots" / "v1.0-SmolLM2-135M-Likelihood" / "manifest.json").read_text()
    )

    assert (snapshot.kind, snapshot.calibration, snapshot.model) == ("judged", True, "judge")
    (target,) = snapshot.figures["targets"]
    assert target["value"] == run["executor"]["model"]
    answers = len(run["strategies"]) * sum(len(tasks) for tasks in run["tasks"].values())
    assert (snapshot.figures["n"], snapshot.figures["valid"]) == (answers, answers) == (176, 176)
    assert snapshot.figures["invented_quotes"]["hits"] == snapshot.figures["invalid"]["hits"] == 0
