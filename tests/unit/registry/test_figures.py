"""Figures side by side, and the intervals that a publication's numbers allow."""

import json

import pytest
from registry_support import (
    CONDITIONS,
    FIGURES,
    JUDGED_CONDITIONS,
    ROOT,
    audit_record,
    card,
    judged,
    measured,
    observed_figures,
    snapshot,
)
from scipy.stats import binomtest, t

from epc.protocol.results import Json
from epc.registry.comparison import compare_snapshots, disagreement
from epc.registry.figures import (
    figure_at,
    figures,
    figures_of,
    headline_of,
    headline_of_groups,
    misstated,
)
from epc.registry.reading import of_folder
from epc.registry.record import Fault
from epc.registry.snapshots import Snapshot
from epc.statistics.intervals import moments_interval


def test_reading_r8_a_run_failed_by_its_audits_word_or_by_the_fault_that_its_record_states() -> (
    None
):
    fault = {"id": "failed-runs", "says": "25 of 30 seeds counted no verdict."}
    other = {"id": "no-spread", "says": "No spread was published."}
    arguments = ("coupled", "no_detectable_coupling", "collapsed", "inconclusive")
    reported_one = Snapshot.parse(card() | {"known_faults": [other, fault]}, FIGURES)

    assert reported_one.failed
    assert not Snapshot.parse(card() | {"known_faults": [other]}, FIGURES).failed
    assert measured(audit=audit_record("no_verdicts_counted")).failed
    assert not any(measured(audit=audit_record(word)).failed for word in arguments)
    assert not judged().failed
    comparison = compare_snapshots(reported_one, snapshot("v1.1-Judge-1"))
    assert [operand.name for operand in comparison.failed] == ["v1.0-Judge-1"]


def test_only_in_the_reference_design_a_published_gamma_is_held_against_a_coin_flip() -> None:
    """1.1 lies within 0.73 to 1.62, where 90% of seeds of a coin flip lie (K = 11, R = 30)."""
    gamma = {"n": 8, "gamma": {"a_to_b": {"mean": 1.1, "ci95": None}}}

    def reading(version: str) -> str:
        (figure,) = figures_of(Snapshot.parse(card() | {"protocol_version": version}, gamma))
        return figure.reading

    assert reading("EPC-v1.0") == "substantial, within coin-flip range"
    for variant in ("AltLR", "AltRounds", "AltRule", "AltStrategies"):
        assert reading(f"EPC-v1.0-{variant}") == "substantial, noise unknown"


def test_reading_r39_the_interval_of_printed_moments_is_students() -> None:
    low, high = moments_interval(0.741, 0.195, 10) or (0.0, 0.0)

    expected = t.interval(0.95, 9, loc=0.741, scale=0.195 / 10**0.5)
    assert (low, high) == pytest.approx(expected, abs=1e-12)
    assert moments_interval(0.741, 0.195, 1) is None


def test_figures_are_found_at_any_depth_and_those_without_a_value_left_out() -> None:
    given = {"n": 3, "b": {"x": {"mean": None, "ci95": None}}, "a": {"mean": 1.0, "ci95": [0, 2]}}

    (figure,) = figures(given)

    assert (figure.name, figure.mean, figure.interval) == ("a", 1.0, (0, 2))


CROSSING: Json = {
    "redirected": 0.1,
    "redirected_ci95": None,
    "regret": -0.02,
    "regret_ci95": None,
    "chance": 0.0,
}
SYSTEMS: Json = {"word": "inconclusive", "strategies": ["s", "t"]}


def test_figures_of_recorded_verdicts_have_both_ends_of_their_intervals() -> None:
    document = observed_figures("J/1")
    (group,) = document["groups"]
    group["figures"]["accuracy"] = {"value": 0.75, "ci95": None, "n": 8, "items": 8}
    into = CROSSING | {"redirected_ci95": [0.0, 0.2], "regret": 0.02}
    crossed = {"directions": {"x_to_y": into}, "verdicts": 8, "domains": {"x": 2, "y": 3}}
    group["transfer"] = crossed | SYSTEMS

    found = {figure.name: (figure.mean, figure.interval) for figure in figures(document)}

    assert found == {
        "ties/J/1": (0.25, (0.125, 0.5)),
        "accuracy/J/1": (0.75, None),
        "transfer/redirected/x_to_y/J/1": (0.1, (0.0, 0.2)),
        "transfer/regret/x_to_y/J/1": (0.02, None),
    }


def figure_group(*settings: str, note: str = "", **rested: tuple[int, int]) -> Json:
    """Return a group of settings, each figure with its n and its items."""
    group: Json
    (group,) = observed_figures(settings[0])["groups"]
    figures_given = {
        name: {"value": 0.75, "ci95": [0.5, 1.0], "n": n, "items": items}
        for name, (n, items) in rested.items()
    }
    setting = group["setting"] | ({"note": note} if note else {})
    return group | {"settings": [*settings], "setting": setting, "figures": figures_given}


def first(*groups: Json, faults: tuple[Fault, ...] = ()) -> tuple[str, int | None] | None:
    figure = headline_of_groups({"groups": [*groups]}, faults)
    return (figure.name, figure.n) if figure else None


def test_reading_r97_a_headline_is_the_first_question_that_100_items_answer() -> None:
    request = figure_group(
        "J/1", ties=(9000, 900), place_consistency=(400, 200), repeat_consistency=(900, 300)
    )
    right = figure_group("J/2", accuracy=(200, 100))
    few = figure_group("J/3", humans_majority=(5000, 99))

    assert first(request, right, few) == ("accuracy/J/2", 200)
    assert first(request, few) == ("place_consistency/J/1", 400)
    assert first(figure_group("J/1", ties=(9000, 900))) is None
    assert headline_of_groups({"n": 3}) is None


def test_reading_r97_where_100_items_answer_nothing_the_first_question_is_answered_by_fewer() -> (
    None
):
    group = figure_group("J", place_consistency=(38, 26), repeat_consistency=(134, 54))
    people = figure_group("J/2", humans_majority=(5000, 99))

    assert first(group, people) == ("place_consistency/J", 38)
    assert first(figure_group("J", judges=(99, 99)), people) == ("humans_majority/J/2", 5000)


def test_reading_r97_of_several_settings_the_most_items_count_and_then_the_larger_n() -> None:
    groups = (figure_group("J/1", accuracy=(900, 300)), figure_group("J/2", accuracy=(600, 300)))

    assert first(*groups, figure_group("J/3", accuracy=(400, 301))) == ("accuracy/J/3", 400)
    assert first(*groups) == ("accuracy/J/1", 900)


def test_reading_r97_the_regret_of_a_headline_is_the_larger_of_the_two_directions() -> None:
    group = figure_group("J", repeat_consistency=(10, 9))
    directions = {"x_to_y": CROSSING, "y_to_x": CROSSING | {"regret": 0.01}}
    crossed = {"directions": directions, "verdicts": 80, "domains": {"x": 60, "y": 40}}
    group["transfer"] = crossed | SYSTEMS

    assert first(group) == ("transfer/regret/y_to_x/J", 80)


def test_reading_r97_a_pool_with_a_known_misreading_is_no_headline_nor_is_a_second_step() -> None:
    """text-bison-001: three askings of CoT, one of them misread, pooled to 0.529."""
    pool = figure_group("PaLM2/CoT", "PaLM2/Swap/1", accuracy=(4404, 732))
    hard = figure_group("PaLM2/Swap", note="asked only about hard items", accuracy=(582, 289))
    clean = figure_group("PaLM2/Reference", accuracy=(838, 119))
    fault = Fault(id="against", says="226 differ. The figures of PaLM2/CoT carry this fault.")

    assert first(pool, hard, clean) == ("accuracy/PaLM2/CoT", 4404)
    assert first(pool, hard, clean, faults=(fault,)) == ("accuracy/PaLM2/Reference", 838)
    out = {figure.left_out for figure in figures({"groups": [pool, hard]}, faults=(fault,))}
    assert out == {"known misreading, against", "asked only about hard items"}


def test_reading_r97_no_published_headline_rests_on_a_misreading_and_each_has_its_n() -> None:
    registry = of_folder(ROOT)
    actual_figures = {
        tag: headline_of(s) for tag, s in registry.snapshots.items() if s.kind == "observed"
    }

    bison, preview = (
        actual_figures["v1.0-text-bison-001"],
        actual_figures["v1.0-gpt-4-1106-preview"],
    )
    assert bison
    assert (bison.name, bison.n, bison.items) == ("accuracy/PaLM2/Metrics_Reference", 2400, 1095)
    assert preview
    assert preview.name.startswith("transfer/regret/")
    assert not [best for best in actual_figures.values() if best and (best.left_out or not best.n)]
    assert not [best for best in actual_figures.values() if best and best.name.startswith("ties")]


@pytest.mark.parametrize(
    ("figure", "problem"),
    [
        ({"mean": 1.0, "ci95": [0.5, 1.5]}, "allow none"),
        ({"mean": 1.0, "sd": 0.1, "ci95": None}, "allow one"),
        ({"mean": 1.0, "sd": 0.1, "ci95": [0.9, 1.2]}, "recomputed"),
    ],
)
def test_reading_r56_an_interval_that_the_numbers_do_not_give_is_named(
    figure: dict[str, object], problem: str
) -> None:
    ((name, text),) = misstated({"n": 10, "pci": figure})

    assert name == "pci"
    assert problem in text


def test_reading_r56_an_interval_that_the_numbers_give_is_not_named() -> None:
    """Student's t of 9 degrees of freedom has 2.262157 at 97.5%: 0.1 / sqrt(10) times it."""
    apart = t.ppf(0.975, 9) * 0.1 / 10**0.5
    student = {"mean": 1.0, "sd": 0.1, "ci95": [1.0 - apart, 1.0 + apart]}
    wilson = binomtest(8, 10).proportion_ci(0.95, method="wilson")
    share = {"mean": 0.8, "hits": 8, "ci95": [wilson.low, wilson.high]}

    assert not list(misstated({"n": 10, "pci": student, "share": share}))
    moved = student | {"ci95": [1.0 - apart, 1.0 + apart + 1e-8]}
    assert [name for name, _ in misstated({"n": 10, "pci": moved, "share": share})] == ["pci"]


def test_a_figure_is_found_by_its_name_alone() -> None:
    given = {"n": 3, "a": {"x": {"mean": 1.0, "ci95": [0, 2]}, "y": {"mean": None}}, "b": 1}

    figure = figure_at(given, "a/x")

    assert figure
    assert (figure.name, figure.mean, figure.interval) == ("a/x", 1.0, (0, 2))
    assert [figure_at(given, name) for name in ("a", "a/y", "a/z", "b/x", "n")] == [None] * 5


def test_two_snapshots_of_one_thing_are_like_for_like() -> None:
    comparison = compare_snapshots(snapshot(), snapshot("v1.1-Judge-1"))

    assert comparison.like_for_like
    assert comparison.as_json()["figures"]["gamma/text_to_visual"]["difference"] == 0


@pytest.mark.parametrize(
    ("key", "value", "alike"),
    [("gateway", "G", False), ("proxy", True, False), ("as_printed", "spelt so", True)],
)
def test_another_gateway_is_another_condition_and_another_spelling_is_not(
    key: str, value: object, *, alike: bool
) -> None:
    other_fields = card("v1.1-Judge-1")
    other_fields["evaluator"][key] = value

    comparison = compare_snapshots(snapshot(), Snapshot.parse(other_fields, FIGURES))

    assert comparison.like_for_like is alike


@pytest.mark.parametrize(
    ("low", "high", "agrees"),
    [(1.0, 1.2, True), (1.2, 1.3, True), (1.3, 1.4, False), (0.5, 0.9, False), (0.5, 1.0, True)],
)
def test_two_measurements_agree_where_their_intervals_share_a_value(
    low: float, high: float, *, agrees: bool
) -> None:
    text = disagreement(measured(), measured(by="B", low=low, high=high))

    assert (text == "") is agrees


def test_a_reported_figure_replicates_nothing() -> None:
    assert "measured" in disagreement(measured(), snapshot())


@pytest.mark.parametrize("key", ["tasks", "rounds", "exhaustive", "evaluator_prompt"])
def test_other_conditions_of_two_measurements_are_not_like_for_like(key: str) -> None:
    other_snapshot = measured("v1.1-Judge-1", conditions=CONDITIONS | {key: "another"})

    comparison = compare_snapshots(measured(), other_snapshot)

    assert list(comparison.condition_differences) == [key]


def test_a_condition_that_one_card_alone_states_is_held_against_both() -> None:
    other_snapshot = measured("v1.1-Judge-1", conditions=CONDITIONS | {"added": "later"})

    assert compare_snapshots(measured(), other_snapshot).condition_differences == {
        "added": (None, "later")
    }
    assert compare_snapshots(other_snapshot, measured()).condition_differences == {
        "added": ("later", None)
    }


@pytest.mark.parametrize("key", ["samples", "prompts", "constraint", "mapping", "decoding"])
def test_other_conditions_of_two_evaluations_are_not_like_for_like(key: str) -> None:
    other_snapshot = judged("v1.1-Judge-1", conditions=JUDGED_CONDITIONS | {key: "another"})

    assert list(compare_snapshots(judged(), other_snapshot).condition_differences) == [key]
    assert compare_snapshots(judged(), judged("v1.1-Judge-1", share=0.6)).like_for_like


def test_what_a_model_says_as_a_judge_is_nothing_like_its_coupling() -> None:
    comparison = compare_snapshots(measured(), judged())

    assert list(comparison.condition_differences) == ["protocol_version"]
    assert comparison.figures == {}
    assert "only measured" in disagreement(measured(), judged())
    assert "only measured" in disagreement(judged(), judged(share=0.6))


def test_a_publication_states_no_conditions_so_none_are_held_against_it() -> None:
    assert not {"tasks", "rounds"} & set(
        compare_snapshots(measured(), snapshot()).condition_differences
    )


def test_a_noise_floor_has_the_spread_of_single_seeds_and_no_interval() -> None:
    (floor,) = figures({"floor": {"mean": 1.1, "q025": 0.5, "q975": 1.9}})

    assert (floor.interval, floor.spread) == (None, (0.5, 1.9))
    assert str(floor) == "1.100 (0.500 to 1.900 for 95% of single seeds)"


def test_a_sources_name_of_the_judge_does_not_keep_two_judges_apart() -> None:
    """Of one source: `gpt-5.4/base` and `gpt-5.4-mini/base` are one way of asking two judges."""
    snapshots = of_folder(ROOT).snapshots
    tags = ("v1.0-gpt-5.4", "v1.0-gpt-5.4-mini")
    stated = []
    for tag in tags:
        groups = json.loads((ROOT / "snapshots" / tag / "metrics.json").read_text())["figures"][
            "groups"
        ]
        (group,) = (each for each in groups if each["settings"][0].endswith("/base"))
        stated.append(group["figures"]["accuracy"]["value"])

    left, right = compare_snapshots(*(snapshots[tag] for tag in tags)).figures["accuracy/base"]

    assert [left.mean, right.mean] == stated
    assert stated[0] != stated[1]
