"""Tests of who a name means, among evaluators and among the judges of verdict files."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from registry_support import FIGURES, card, day, generation_record, life_record

from epc.answers.subjects import subject
from epc.errors import UsageError
from epc.registry.registry import Registry
from epc.registry.subjects import (
    Crossing,
    Group,
    Transfer,
    judges_of,
    pointing,
    recorded_of,
    subject_of_page,
    target_of,
)
from epc.statistics.figures import ClusteredFigure

AS_OF = day("2026-11-28")


def recorded(*judges: tuple[str, str]) -> Any:
    groups = [
        SimpleNamespace(setting=SimpleNamespace(judge=SimpleNamespace(model=model, name=name)))
        for model, name in judges
    ]
    return SimpleNamespace(figures=SimpleNamespace(groups=groups))


def test_judges_are_named_by_their_models_and_their_names_once_each() -> None:
    files = [recorded(("gpt-4o", "judge"), ("unknown", "other")), recorded(("gpt-4o", "judge"))]

    assert judges_of(files) == ["gpt-4o", "judge", "other"]


def test_verdicts_are_of_a_model_in_any_of_its_spellings() -> None:
    file = recorded(("GPT-4o", "judge"), ("unknown", "other"))
    who: Any = SimpleNamespace(spellings=frozenset({"gpt-4o"}))

    assert recorded_of(file, who) == file.figures.groups[:1]


def registry(*published: str) -> Registry:
    """Return a registry with `judge`: judge-1 from January 2026 on, judge-2 from April on."""
    pointers = [
        {"to": to, "since": since, "source": "https://maker.example/models", "seen": None}
        for to, since in (("judge-1", "2026-01-01"), ("judge-2", "2026-04-01"))
    ]
    lives = (
        ("Judge", life_record(model="judge", points_to=pointers)),
        ("Judge-1", life_record(model="judge-1")),
        ("Judge-2", life_record(model="judge-2", aliases=["judge-two"])),
    )
    return Registry.from_document(
        {
            "evaluators": [generation_record(name, life) for name, life in lives],
            "snapshots": [{"card": card(tag), "figures": FIGURES} for tag in published],
            "events": [],
            "policy": {"maximum_age_days": 180, "notice_days": 60},
        }
    )


def test_a_name_means_lives_and_snapshots_in_any_case() -> None:
    own_subject = subject(registry("v1.0-Judge-1"), "JUDGE-1", AS_OF)

    assert (own_subject.name, own_subject.maker, [life.model for life in own_subject.lives]) == (
        *("Judge-1", "maker", ["judge-1"]),
    )
    assert [str(snapshot.tag) for snapshot in own_subject.snapshots] == ["v1.0-Judge-1"]
    assert {"judge-1"} <= own_subject.spellings


def test_an_alias_name_means_its_generation() -> None:
    assert subject(registry(), "judge-two", AS_OF).name == "Judge-2"


def test_a_name_that_only_a_verdict_file_has_is_known_by_it() -> None:
    own_subject = subject(registry(), "Elsewhere", AS_OF, ["elsewhere"])

    assert (own_subject.name, own_subject.maker, own_subject.lives, own_subject.snapshots) == (
        "Elsewhere",
        None,
        (),
        (),
    )


def test_a_name_that_nobody_knows_names_what_the_verdict_files_have() -> None:
    with pytest.raises(UsageError, match=r"nobody: .*; the verdict files have one, other"):
        subject(registry(), "nobody", AS_OF, ["one", "other", "one"])
    with pytest.raises(UsageError) as reduced_error:
        subject(registry(), "nobody", AS_OF)
    assert "verdict files" not in str(reduced_error.value)


def test_a_page_is_of_its_generation_with_the_snapshots_that_are_given() -> None:
    known_subject, unknown = (
        subject_of_page(registry(), name, []) for name in ("Judge-2", "Other")
    )

    assert (known_subject.maker, [life.model for life in known_subject.lives]) == (
        "maker",
        ["judge-2"],
    )
    assert (unknown.name, unknown.maker, unknown.lives) == ("Other", None, ())
    assert unknown.spellings == {"other"}


def test_what_ever_pointed_to_a_model_is_named() -> None:
    whole_registry = registry()

    assert [*pointing(whole_registry, subject(whole_registry, "judge-1", AS_OF))] == ["judge"]
    assert [*pointing(whole_registry, subject(whole_registry, "judge-2", AS_OF))] == ["judge"]
    assert [*pointing(whole_registry, subject(whole_registry, "judge", AS_OF))] == []


@pytest.mark.parametrize(
    ("on", "published", "expected"),
    [
        ("2026-02-01", ["v1.0-Judge-1"], ("judge-1", ["v1.0-Judge-1"])),
        ("2026-04-01", ["v1.0-Judge-1", "v1.0-Judge-2"], ("judge-2", ["v1.0-Judge-2"])),
        ("2026-04-01", ["v1.0-Judge-1"], ("", [])),
        ("2025-12-31", ["v1.0-Judge-1"], ("", [])),
        ("2026-02-01", ["v1.0-Judge", "v1.0-Judge-1"], ("", [])),
    ],
)
def test_reading_r54_a_name_stands_for_what_is_published_of_its_target_on_a_day(
    on: str, published: list[str], expected: tuple[str, list[str]]
) -> None:
    whole_registry = registry(*published)

    model, snapshots = target_of(whole_registry, subject(whole_registry, "judge", AS_OF), day(on))

    assert (model, [str(snapshot.tag) for snapshot in snapshots]) == expected


def test_what_crosses_stands_behind_the_other_figures_with_its_tasks() -> None:
    crossed = Crossing(
        redirected=0.2, redirected_ci95=(0.1, 0.3), regret=0.05, regret_ci95=None, chance=0.1
    )
    transfer = Transfer(
        verdicts=90,
        domains={"x": 4, "y": 6},
        word="inconclusive",
        strategies=("s", "t", "u"),
        left_out_strategies=("u",),
        directions={"x_to_y": crossed},
    )
    assert transfer.compared == 2
    plain = ClusteredFigure(value=0.5, ci95=None, n=9, items=3)
    group = Group(
        settings=("s",), setting=cast("Any", None), verdicts=9, figures={"ties": plain},
        transfer=transfer,
    )  # fmt: skip

    assert [*group.all_figures] == [
        ("ties", plain),
        ("transfer/redirected/x_to_y", ClusteredFigure(value=0.2, ci95=(0.1, 0.3), n=90, items=10)),
        ("transfer/regret/x_to_y", ClusteredFigure(value=0.05, ci95=None, n=90, items=10)),
    ]
    assert [*replace(group, transfer=None).all_figures] == [("ties", plain)]
