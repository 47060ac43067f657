"""What is kept between builds is shown only while all that it follows from is the same."""

import json
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from registry_support import ROOT, Checkout
from site_support import epc, measured

from epc.errors import MalformedError, WorldError
from epc.records.strict_json import dumps
from epc.report import picture
from epc.site import evidence_cache
from epc.site.accounting import made
from epc.site.collecting import collect
from epc.site.evidence import GALLERY, Evidence

TAG = "v1.0-CoinFlip"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    registry = Checkout(tmp_path_factory.mktemp("keeping") / "clone")
    (registry.folder / ".gitignore").write_text("/build/\n")
    measured(registry)
    return registry.folder


@pytest.fixture
def checkout(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(published, tmp_path / "clone"))


@pytest.fixture
def renewed() -> Iterator[None]:
    """Let the program be digested again, and afterwards once more."""
    evidence_cache.program.cache_clear()
    yield
    evidence_cache.program.cache_clear()


def gathered(checkout: Path) -> Evidence:
    site = collect(checkout, as_of=date(2026, 4, 1), address="")
    return evidence_cache.gathered(site.snapshots, checkout / "build")[TAG]


def trials(checkout: Path) -> Path:
    (page,) = collect(checkout, as_of=date(2026, 4, 1), address="").snapshots
    return page.raw["trials.jsonl"]


def never(*_: Any) -> dict[str, str]:
    raise AssertionError("it was worked out again")


@pytest.mark.slow
def test_what_did_not_change_is_not_worked_out_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = gathered(checkout)
    monkeypatch.setattr(evidence_cache, "made", never)

    again = gathered(checkout)

    assert again == first
    assert again.gallery.count("<figure") == 9
    assert len(list(again.files())) == 2 * 9
    shutil.rmtree(first.home)
    with pytest.raises(AssertionError, match="worked out again"):
        gathered(checkout)


def test_changed_trials_stop_the_build_and_name_the_snapshot(checkout: Path) -> None:
    gathered(checkout)
    path = trials(checkout)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    first = next(row for row in rows if row["phase"] == "text" and row["verdict"] != "tie")
    first["verdict"] = "B" if first["verdict"] == "A" else "A"
    path.chmod(0o644)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    with pytest.raises(MalformedError, match=f"{TAG}/trials: seed 0 does not end text where"):
        gathered(checkout)


@pytest.mark.slow
def test_another_run_under_the_same_id_has_its_own_pictures(checkout: Path) -> None:
    first = gathered(checkout)
    shown = first.gallery
    run = checkout.parent / "other"
    words = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
    epc(
        checkout,
        "run",
        *words,
        "--exhaustive",
        "--seeds",
        "3-5",
        "--rounds",
        "3",
        "--out",
        str(run),
    )
    shutil.copy(run / "manifest.json", checkout / "snapshots" / TAG / "manifest.json")
    place = trials(checkout)
    place.chmod(0o644)
    place.write_bytes((run / "trials.jsonl").read_bytes())

    second = gathered(checkout)

    numbers = dict(second.files())["pictures/gamma.csv"].decode().splitlines()
    assert {line.split(",")[0] for line in numbers[1:]} == {"3", "4", "5"}
    assert second.gallery != shown
    assert not first.home.exists(), "nobody needs it any more"


def test_a_changed_card_is_read_again(checkout: Path) -> None:
    gathered(checkout)
    path = checkout / "snapshots" / TAG / "snapshot.json"
    card = json.loads(path.read_text())
    assert card["audit"]["competence"] is None
    overall = {"pairs": 24, "accuracy": {"mean": 0.875}}
    card["audit"]["competence"] = {"word": "poor", "overall": overall}
    path.write_text(dumps(card))

    assert "poor (24 pairs)" in gathered(checkout).account


def test_another_renderer_draws_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, renewed: None
) -> None:
    assert "drawn otherwise" not in gathered(checkout).gallery
    evidence_cache.program.cache_clear()
    other = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><text>{}</text></svg>'
    monkeypatch.setattr(picture, "renderer", lambda: "another renderer")
    monkeypatch.setattr(picture, "svg", lambda _: other.format("drawn otherwise"))

    assert gathered(checkout).gallery.count("drawn otherwise") == 9


def test_any_other_line_of_the_program_gives_another_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renewed: None
) -> None:
    copy = tmp_path / "epc"
    shutil.copytree(ROOT / "epc", copy)
    monkeypatch.setattr("epc.__file__", str(copy / "__init__.py"))
    digests = {evidence_cache.program()}
    for name in (
        "site/charts/gallery.py",
        "protocol/weights.py",
        "site/templates/account.md.j2",
        "spec/schemas/v1/trial.json",
    ):
        with (copy / name).open("a") as file:
            file.write("\n")
        evidence_cache.program.cache_clear()
        digests.add(evidence_cache.program())

    assert len(digests) == 5


def test_what_was_damaged_is_worked_out_again(checkout: Path) -> None:
    first = gathered(checkout)
    whole = first.gallery
    for spoilt in (whole.replace("gamma", "gemma"), ""):
        (first.home / GALLERY).write_text(spoilt)

        assert gathered(checkout).gallery == whole
    (first.home / "SHA256SUMS").write_text("")

    assert gathered(checkout).gallery == whole


def test_what_changes_while_it_is_read_is_not_kept(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*given: Any) -> dict[str, str]:
        done = made(*given)
        with (checkout / "snapshots" / TAG / "manifest.json").open("a") as file:
            file.write("\n")
        return done

    monkeypatch.setattr(evidence_cache, "made", meanwhile)

    with pytest.raises(WorldError, match="changed while it was being read"):
        gathered(checkout)
    assert list((checkout / "build" / "kept").iterdir()) == []


@pytest.mark.slow
def test_many_are_worked_out_side_by_side_and_what_is_wrong_with_one_is_said(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = gathered(checkout)
    shutil.rmtree(checkout / "build")
    monkeypatch.setattr(evidence_cache, "_MOST_IN_ONE_PROCESS", 0)

    assert gathered(checkout).gallery == one.gallery

    (checkout / "snapshots" / TAG / "manifest.json").write_text("{")
    with pytest.raises(MalformedError, match=f"{TAG}/manifest.json: not JSON"):
        gathered(checkout)
