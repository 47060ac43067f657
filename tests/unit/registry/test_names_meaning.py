"""Tests of which published measurements a name means."""

from types import SimpleNamespace
from typing import Any

from epc.registry.names import spellings_of
from epc.registry.registry import Registry


def snapshot(generation: str, model: str) -> Any:
    return SimpleNamespace(tag=SimpleNamespace(generation=generation), model=model)


def test_a_snapshot_is_meant_by_its_generation_or_its_model_in_any_case() -> None:
    first, second = snapshot("GPT4o-0806", "gpt-4o"), snapshot("Claude", "claude-3")
    registry: Any = SimpleNamespace(snapshots={"v1": first, "v2": second})

    assert Registry.snapshots_spelled(registry, frozenset({"gpt4o-0806"})) == (first,)
    assert Registry.snapshots_spelled(registry, frozenset({"claude-3", "gpt-4o"})) == (
        first,
        second,
    )
    assert Registry.snapshots_spelled(registry, frozenset({"other"})) == ()


def test_the_spellings_of_a_name_are_those_of_all_lives_that_it_means() -> None:
    life: Any = SimpleNamespace(model="M-1", aliases=("m-latest",))
    generation: Any = SimpleNamespace(name="Gen")

    assert spellings_of("Asked", [(generation, life)]) == {"asked", "gen", "m-1", "m-latest"}
