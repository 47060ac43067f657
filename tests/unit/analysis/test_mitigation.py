"""What a wrapper does to transfer (Reading R80), on evaluators whose answers are known."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from records_support import Run, make_run

from epc.analysis import mitigation
from epc.analysis.mitigation import Mitigated, Reduction, mitigated
from epc.errors import UsageError

WRAPPED = "balanced:mock/scripted"
OPPOSED = {"default": 0, "text": {"synthesis": 1}, "visual": {"creative_leap": 1}}


def script(folder: Path, odds: dict[str, Any]) -> str:
    """Return an evaluator that prefers one strategy to another whatever place it stands in."""
    file = folder / "script.json"
    file.write_text(json.dumps(odds), "utf-8")
    return f"mock/scripted:{file}"


def measured(folder: Path, evaluator: str, rounds: int = 30) -> Run:
    return make_run(folder, evaluator=evaluator, seeds=2, rounds=rounds, exhaustive=True)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where a plain run stands beside one of a wrapper; no test changes them."""
    home = tmp_path_factory.mktemp("wrapped")
    name = script(home, OPPOSED)
    measured(home / "plain", name)
    measured(home / "balanced", f"balanced:{name}")
    return home


@pytest.fixture(scope="module")
def opposed(home: Path) -> Mitigated:
    (found,) = mitigated(home / "plain", [home / "balanced"])
    return found


def reduction(
    *, ci95: tuple[float, float] | None, plain: float = 0.2, less: float = 0.05
) -> Reduction:
    return Reduction(
        plain=plain,
        plain_ci95=ci95,
        mitigated=plain - less,
        mitigated_ci95=ci95,
        less=less,
        less_ci95=None,
    )


def test_reading_r80_a_preference_that_no_place_moves_crosses_as_before(opposed: Mitigated) -> None:
    assert opposed.reductions is not None
    assert set(opposed.reductions) == {"text_to_visual", "visual_to_text"}
    for figures in opposed.reductions.values():
        assert set(figures) == {"regret", "redirected"}
        for one in figures.values():
            assert (one.plain, one.plain_ci95) == (one.mitigated, one.mitigated_ci95)
            assert (one.less, one.less_ci95, one.share) == (0, (0, 0), 0)
        # Only one strategy ever wins: each choice led away from it costs a whole win.
        assert figures["regret"].plain == pytest.approx(figures["redirected"].plain)
        assert figures["regret"].plain > 0.3
    assert not opposed.nothing


def test_reading_r80_the_price_is_in_calls_and_what_both_decided_on_is_counted(
    opposed: Mitigated,
) -> None:
    # 10 strategies on 16 tasks in both places, and the baseline with itself once; 176 plainly.
    assert (opposed.calls, opposed.times) == (336, 336 / 176)
    assert (opposed.strategies, opposed.tasks) == (10, {"text": 8, "visual": 8})
    # What wins against itself in both places ties when it is balanced: 16 of 176 pairs.
    assert opposed.decided == (1, 160 / 176)
    assert (opposed.evaluator, opposed.shared) == (WRAPPED, True)


def test_reading_r80_json_has_every_figure_with_its_share(opposed: Mitigated) -> None:
    found = json.loads(json.dumps(opposed.as_json()))

    assert found["nothing_to_reduce"] is False
    into = found["reductions"]["text_to_visual"]["regret"]
    assert (into["less"], into["less_ci95"], into["share"]) == (0, [0, 0], 0)
    assert into["plain"] == into["mitigated"] > 0.3


def test_reading_r72_where_too_little_was_decided_there_is_no_figure(
    home: Path, tmp_path: Path
) -> None:
    wrapped = Run(folder=Path(shutil.copytree(home / "balanced", tmp_path / "ties")))

    def tie(manifest: Any) -> None:
        for rows in manifest["results"]["verdict_table"]["counts"].values():
            for name, row in rows.items():
                rows[name] = [[0, 0, sum(cell)] for cell in row]

    wrapped.edit(tie)

    (found,) = mitigated(home / "plain", [wrapped.folder])

    assert (found.reductions, found.decided, found.nothing) == (None, (1, 0), True)
    said = found.as_json()
    assert (said["reductions"], said["nothing_to_reduce"]) == (None, True)


@pytest.mark.parametrize(
    ("ci95", "share"),
    [((0.1, 0.3), 0.25), ((0.0, 0.4), None), ((1e-16, 4e-16), None), (None, None)],
)
def test_reading_r80_a_share_is_only_of_a_figure_that_is_clear_of_0(
    ci95: tuple[float, float] | None, share: float | None
) -> None:
    one = reduction(ci95=ci95)  # 0.05 less of 0.2

    assert (one.reducible, one.share) == (share is not None, share)
    assert one.as_json()["share"] == share


def test_reading_r80_a_run_that_the_wrapper_is_not_round_is_refused(
    home: Path, tmp_path: Path
) -> None:
    other = measured(tmp_path / "other", "mock/deterministic", rounds=2)

    for plain, wrapped in ((other.folder, home / "balanced"), (home / "balanced", home / "plain")):
        with pytest.raises(UsageError, match=r"is no wrapper round .*\n.*name the plain run first"):
            mitigated(plain, [wrapped])


def test_reading_r80_two_designs_are_refused_with_what_differs(home: Path, tmp_path: Path) -> None:
    shorter = measured(tmp_path / "shorter", f"balanced:{script(tmp_path, OPPOSED)}", rounds=5)

    with pytest.raises(UsageError, match=f"{shorter.folder}: has other rounds than {home}/plain"):
        mitigated(home / "plain", [shorter.folder])


def test_reading_r80_one_executor_that_answered_anew_is_shared_all_the_same(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"executor": SimpleNamespace(count=1, answers=2)}
    monkeypatch.setattr(mitigation, "shared_by_runs", lambda *_: few)

    (found,) = mitigated(home / "plain", [home / "balanced"])

    assert found.shared
