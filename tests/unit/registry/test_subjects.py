"""Who a name means, among evaluators and among the judges of verdict files."""

from types import SimpleNamespace
from typing import Any

from epc.registry.subjects import judges_of, recorded_of


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
