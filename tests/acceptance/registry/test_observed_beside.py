"""Judges of a source whose verdicts stay there: their agreement is published all the same."""

import json
from pathlib import Path

import pytest
from registry_support import Checkout, Json, commit, generation_record, git, life_record
from site_support import epc

# Who judge j and judge k chose of eight pairs: they agree on the first six.
SAID = {"j-1": "aabbabab", "k-1": "aabbabba"}
WHO = ("--contributor", "A. Name", "--no-git")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table under no licence, in a clone."""
    folder = tmp_path_factory.mktemp("source")
    lines = ["item,question,judge,model,prompt,a,b,a_by,b_by,verdict"]
    lines += [
        f"{n},q{n},{judge},{judge},s,one {n},two {n},p,q,{word}"
        for judge, words in SAID.items()
        for n, word in enumerate(words)
    ]
    (folder / "verdicts.csv").write_text("\n".join(lines) + "\n")
    git(folder, "init", "--quiet")
    commit(folder, "verdicts")
    return folder


@pytest.fixture(scope="module")
def registry(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry in which both judges are published, j twice: alone before, beside k now."""
    checkout = Checkout(tmp_path_factory.mktemp("registry") / "made")
    for judge in SAID:
        checkout.evaluator(generation_record(judge, life_record(model=judge)))
    checkout.init()
    file = checkout.folder.parent / "verdicts.jsonl"
    shape = ("--shape", "csv", "--repository", "https://example.org/v", "--commit", "a" * 40)
    epc(
        checkout.folder,
        "observe",
        "import",
        str(source / "verdicts.csv"),
        *shape,
        "--out",
        str(file),
    )
    for judge in SAID:
        options = ("--judge", judge, "--generation", judge, *WHO)
        epc(checkout.folder, "admin", "snapshot", "publish", str(file), *options)
    return checkout.folder


def figures(registry: Path, tag: str) -> Json:
    figures: Json = json.loads((registry / "snapshots" / tag / "metrics.json").read_bytes())[
        "figures"
    ]
    return figures


@pytest.mark.parametrize(("judge", "other"), [("j-1", "k-1"), ("k-1", "j-1")])
def test_reading_r77_agreement_is_published_where_the_verdicts_are_not(
    registry: Path, judge: str, other: str
) -> None:
    (group,) = figures(registry, f"v1.0-{judge}")["groups"]

    figure = group["figures"][f"judges/{other}"]
    assert (figure["value"], figure["n"], figure["items"]) == (6 / 8, 8, 8)
    # Each chose a and b four times, so they agree by chance in a half: (3/4 - 1/2) / (1 - 1/2).
    assert group["figures"][f"judges_kappa/{other}"]["value"] == pytest.approx(0.5)
    assert "judges" not in group["left_out"]
    assert not list((registry / "snapshots" / f"v1.0-{judge}").glob("*.jsonl"))


def test_reading_r97_where_nothing_says_who_is_right_another_judge_s_choice_is_said(
    registry: Path,
) -> None:
    output = epc(registry, "evaluators", "card", "j-1").stdout

    assert (
        "It chooses as k-1 does on 75.0 [33.0, 94.8] of 100, where nobody says who is right, "
        "verdicts.csv, 8 verdicts"
    ) in output


def test_reading_r77_agreement_is_computed_again_from_the_source(
    registry: Path, source: Path
) -> None:
    arguments = ("v1.0-j-1", "--source", str(source / "verdicts.csv"))

    repeated_output = epc(registry, "snapshot", "recompute", *arguments).stdout

    assert "v1.0-j-1  as published" in repeated_output


def test_reading_r57_the_same_verdicts_beside_other_judges_supersede_them_alone(
    registry: Path,
) -> None:
    snapshots = registry / "snapshots"
    alone = {key: value for key, value in figures(registry, "v1.0-j-1").items() if key != "beside"}
    metrics = json.loads((snapshots / "v1.0-j-1" / "metrics.json").read_bytes())
    (snapshots / "v1.0-j-1" / "metrics.json").write_text(json.dumps({**metrics, "figures": alone}))
    file = registry.parent / "verdicts.jsonl"
    options = ("--judge", "j-1", "--generation", "j-1", *WHO)

    done = epc(registry, "admin", "snapshot", "publish", str(file), *options)

    assert done.stdout == "v1.1-j-1\n"
    events = [json.loads(line) for line in (snapshots / "events.jsonl").read_text().splitlines()]
    assert [e["by"] for e in events if e["event"] == "superseded"] == ["v1.1-j-1"]
