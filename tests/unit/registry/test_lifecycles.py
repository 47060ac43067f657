from typing import Any

import pytest
from registry_support import date_claim, generation, generation_record, life_record

from epc.registry.families import models
from epc.registry.lifecycles import Generation
from epc.registry.names import Names

HERE = generation(
    life_record(aliases=["judge-latest"]), life_record(platform="cloud", model="Judge.One")
)
OTHER = Generation.parse(generation_record("Other", life_record(model="other-1")))


@pytest.mark.parametrize(
    ("asked", "platforms"),
    [
        ("judge-1", ["maker"]),
        ("JUDGE-LATEST", ["maker"]),
        ("Judge-1", ["maker", "cloud"]),
        ("maker/judge-1", ["maker"]),
        ("cloud/Judge-1", ["cloud"]),
        ("cloud/judge.one", ["cloud"]),
        ("cloud/judge-latest", []),
        ("judge", []),
        ("", []),
    ],
)
def test_a_name_means_a_model_an_alias_or_a_generation_with_or_without_its_platform(
    asked: str, platforms: list[str]
) -> None:
    if asked == "judge-1":  # the generation's name too, as case does not count
        platforms = ["maker", "cloud"]

    matches = Names(models([OTHER, HERE], [], {}), []).meaning(asked).matches

    assert [life.platform for _, life in matches] == platforms


def test_a_platform_that_does_not_serve_a_generation_says_nothing_of_it() -> None:
    assert HERE.on("cloud") is HERE.lives[1]
    assert HERE.on("elsewhere") is None
    assert HERE.on(None) is None


def test_the_stages_of_a_life_are_in_their_order() -> None:
    record = life_record(released=date_claim("2024-01-01"), retires=date_claim("2026-01-01"))
    (life,) = generation(record).record.platforms

    days = {name: stage and stage.date.isoformat() for name, stage in life.stages.items()}
    assert list(days.items()) == [
        ("released", "2024-01-01"),
        ("deprecated", None),
        ("retires", "2026-01-01"),
    ]


@pytest.mark.parametrize(
    ("life", "expected"),
    [
        (life_record(), True),
        (life_record(platform="cloud"), False),
        (life_record(platform="huggingface", pinned=True), True),
    ],
)
def test_a_life_is_its_makers_where_the_maker_serves_it_or_gave_the_weights_away(
    life: dict[str, Any], *, expected: bool
) -> None:
    whole_generation = generation(life)

    assert whole_generation.is_makers(whole_generation.lives[0]) is expected
