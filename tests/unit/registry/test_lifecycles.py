import pytest
from registry_support import generation, generation_record, life_record

from epc.registry.lifecycles import Generation, find

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

    assert [life.platform for _, life in find(asked, [OTHER, HERE])] == platforms


def test_a_platform_that_does_not_serve_a_generation_says_nothing_of_it() -> None:
    assert HERE.on("cloud") is HERE.lives[1]
    assert HERE.on("elsewhere") is None
    assert HERE.on(None) is None
