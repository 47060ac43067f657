"""Whether two measurements agree more than their evaluator agrees with itself."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from epc.registry import overlap
from epc.registry.layout import FOLDER
from epc.registry.overlap import Repeats


@pytest.mark.parametrize(
    ("kept", "asked", "share", "often"),
    [
        (80, 100, 173 / 176, "more than"),  # 80 of 100: at most 0.87
        (80, 100, 0.8, "no more than"),
        (80, 100, 0.5, "less than"),
        (20, 20, 1.0, "no more than"),  # an honest repetition at temperature 0
        (20, 20, 0.5, "less than"),
        (1, 1, 1.0, "no more than"),  # one question asked again shows nothing
    ],
)
def test_overlap_is_judged_by_the_evaluators_own_repeat_rate(
    kept: int, asked: int, share: float, often: str
) -> None:
    repeats = Repeats(kept=kept, asked=asked)

    assert repeats.judged(share) == f"{often} it agrees with itself, {kept} of {asked} asked again"
    assert repeats.is_exceeded_by(share) is (often == "more than")


@pytest.mark.parametrize(
    ("problem", "share", "says"),
    [
        ("its answers are the other's", 0.9, "its answers are the other's"),
        ("", 0.9, "90% of its verdicts are the other's, more than it repeats"),
        ("", 0.5, ""),
        ("", None, ""),
    ],
)
def test_a_run_repeats_a_snapshot_with_answers_of_its_own_unless_they_agree_too_well(
    tmp_path: Path,
    problem: str,
    share: float | None,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repeats = SimpleNamespace(
        is_exceeded_by=lambda of: of > 0.8, judged=lambda _: "more than it repeats"
    )
    stubs = {
        "re_executed": lambda *_: problem,
        "calls_of": lambda _: [],
        "published_calls": lambda *_: [],
        "repeats_of": lambda _: repeats,
        "verdicts": lambda _: SimpleNamespace(agreement=lambda _: share),
        "Manifest": SimpleNamespace(parse=lambda _: None),
    }
    for name, stub in stubs.items():
        monkeypatch.setattr(overlap, name, stub)
    for folder in (tmp_path / "run", tmp_path / FOLDER / "v1.0-X"):
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")

    assert overlap.unrepeated(tmp_path / "run", tmp_path, "v1.0-X") == says
