"""Any edit or deletion of what was published fails, against a real git history."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_support import served
from program_support import as_text, run_program
from records_support import epc
from registry_support import ROOT, Checkout, commit, git

from epc.digests import file_sha256, sums_text
from epc.records.strict_json import dumps_line
from epc.registry.history import lost_events
from epc.registry.reading import document
from epc.registry.verify import verify

SECOND = "v1.1-Judge-1"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "clone")
    checkout.publish()
    checkout.init()
    checkout.publish(SECOND, day="2026-03-01")
    commit(checkout.folder, "publish another")
    return checkout


def places(checkout: Checkout) -> list[str]:
    return [f.where for f in verify(checkout.folder) if f.severity == "error"]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_what_was_only_added_to_is_clean(checkout: Checkout) -> None:
    assert verify(checkout.folder) == []
    reason = {"date": "2026-04-01", "event": "withdrawn", "tag": SECOND, "reason": "r"}
    checkout.tell(reason)
    assert verify(checkout.folder) == []


@pytest.mark.parametrize("place", ["a folder", "an address"])
def test_reading_r99_a_mirror_s_own_seal_counts_for_nothing_where_the_true_one_is_known(
    checkout: Checkout, tmp_path: Path, place: str
) -> None:
    """The mirror changes a figure, and every digest of its own, down to the event."""
    shutil.copytree(checkout.folder, tmp_path / "mirror")
    mirror = Checkout.__new__(Checkout)
    mirror.folder, mirror.home = tmp_path / "mirror", tmp_path / "mirror" / "snapshots"
    edit(mirror.home / SECOND / "metrics.json", "1.1", "9.9")
    mirror.seal(SECOND)
    (true,), (forged,) = (
        [e["sha256"] for e in made.events() if e["tag"] == SECOND] for made in (checkout, mirror)
    )

    with served(mirror.folder) as address:
        where = str(mirror.folder) if place == "a folder" else address
        arguments = ("snapshot", "fetch", SECOND, "--from", where, "--out", tmp_path / "out")
        done = as_text(run_program(*arguments, cwd=checkout.folder))

    assert forged != true
    assert done.returncode == 2, done.stderr
    assert f"SHA-256 is {forged}, published with {true}" in done.stderr
    assert not (tmp_path / "out").exists()


def test_reading_r99_outside_a_checkout_the_digests_of_the_program_s_own_are_known(
    tmp_path: Path,
) -> None:
    """A mirror of what is published really, with a contributor's name changed and sealed again."""
    mirror = Checkout.__new__(Checkout)
    mirror.folder, mirror.home = tmp_path / "mirror", tmp_path / "mirror" / "snapshots"
    shutil.copytree(ROOT / "snapshots" / "v1.0-CoinFlip", mirror.home / "v1.0-CoinFlip")
    shutil.copytree(ROOT / "snapshots" / "evaluators", mirror.home / "evaluators")
    shutil.copy(ROOT / "snapshots" / "events.jsonl", mirror.home)
    edit(mirror.home / "v1.0-CoinFlip" / "snapshot.json", '"contributor": "', '"contributor": "M. ')
    folder = mirror.home / "v1.0-CoinFlip"
    lines = [line.split() for line in (folder / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    sums["snapshot.json"] = file_sha256(folder / "snapshot.json")
    before = file_sha256(folder / "SHA256SUMS")
    (folder / "SHA256SUMS").write_text(sums_text(sums))
    edit(mirror.home / "events.jsonl", before, file_sha256(folder / "SHA256SUMS"))
    away = tmp_path / "away"
    away.mkdir()
    arguments = ("snapshot", "fetch", "v1.0-CoinFlip", "--from", mirror.folder)

    done = as_text(run_program(*arguments, "--out", "out", cwd=away))

    assert done.returncode == 2, done.stderr
    assert "published with" in done.stderr
    assert not (away / "out").exists()


@pytest.mark.parametrize(
    ("printed", "figures", "problem"),
    [
        ("J | N = 8 | gamma 1.176", {"n": 9}, "n: says 9.0, its citation prints 8"),
        ("J | gamma 1.176", {"gamma": {"text_to_visual": 1.167}}, "gamma: says 1.167"),
        (
            "J | JSD 0.189, 0.186",
            {"jsd": {"text_to_visual": 0.189, "visual_to_text": 0.168}},
            "jsd",
        ),
        ("J | N = 8 | gamma 1.176", {"n": 8, "gamma": {"text_to_visual": 1.176}}, ""),
        ("as the text says, in words", {"n": 8}, ""),
    ],
)
def test_epc_4_verify_names_a_reported_figure_that_its_own_citation_contradicts(
    tmp_path: Path, printed: str, figures: dict[str, Any], problem: str
) -> None:
    checkout = Checkout(tmp_path / "clone")
    means = {
        name: {way: {"mean": mean, "ci95": None} for way, mean in figure.items()}
        for name, figure in figures.items()
        if isinstance(figure, dict)
    }
    citation = {"work": "w", "place": "p", "address": "a", "as_printed": printed}
    checkout.publish(figures={"n": 8, **figures, **means}, citation=citation)
    checkout.init()

    done = as_text(run_program("snapshot", "verify", cwd=checkout.folder))

    said = done.stdout
    assert (done.returncode, "citation prints" in said) == ((1, True) if problem else (0, False))
    assert problem in said


@pytest.mark.parametrize("separator", ["\u2028", "\x85"])
def test_a_line_separator_inside_an_event_does_not_break_its_line(
    checkout: Checkout, separator: str
) -> None:
    reason = f"one{separator}two"
    event = {"date": "2026-04-01", "event": "withdrawn", "tag": SECOND, "reason": reason}
    checkout.tell(event)
    commit(checkout.folder, "withdraw")

    assert verify(checkout.folder) == []
    assert document(checkout.folder)["events"][-1] == event
    edit(checkout.home / "events.jsonl", "two", "three")
    lost = lost_events(checkout.folder)
    assert lost == [dumps_line(event).rstrip("\n")]


EDITS: dict[str, tuple[Callable[[Checkout], object], str]] = {
    "a figure": (lambda c: edit(c.home / SECOND / "metrics.json", "1.1", "1.2"), "metrics.json"),
    "a card": (lambda c: edit(c.home / SECOND / "snapshot.json", "a test", "b"), "snapshot.json"),
    "a deleted file": (lambda c: (c.home / SECOND / "metrics.json").unlink(), "metrics.json"),
    "the sums": (lambda c: edit(c.home / SECOND / "SHA256SUMS", "a", "b"), "SHA256SUMS"),
    "a file more": (lambda c: (c.home / SECOND / "more.txt").touch(), "more.txt"),
}


@pytest.mark.parametrize("what", EDITS)
@pytest.mark.parametrize("committed", [False, True])
def test_an_edit_of_a_published_folder_is_named(
    checkout: Checkout, what: str, *, committed: bool
) -> None:
    change, name = EDITS[what]
    change(checkout)
    if committed:
        commit(checkout.folder)

    assert f"snapshots/{SECOND}/{name}" in {w.split(".json/")[0] for w in places(checkout)}


def test_a_card_of_a_day_that_there_is_not_is_found(checkout: Checkout) -> None:
    """The schema knows only the shape of a day."""
    edit(checkout.home / SECOND / "snapshot.json", '"to": "2026-01-01"', '"to": "2026-02-31"')

    assert f"snapshots/{SECOND}/snapshot.json/measured/to" in places(checkout)


def reseal(checkout: Checkout) -> None:
    """Edit a figure and everything that vouches for it, as a forger would."""
    folder = checkout.home / SECOND
    seals = [event["sha256"] for event in checkout.events()]
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    checkout.publish(SECOND, day="2026-03-01", contributor="another")
    lines = (checkout.home / "events.jsonl").read_text().splitlines(keepends=True)
    (checkout.home / "events.jsonl").write_text(lines[0] + lines[2])
    assert seals[1] not in (checkout.home / "events.jsonl").read_text()


@pytest.mark.parametrize("committed", [False, True])
def test_an_edit_that_mends_every_digest_is_held_against_history(
    checkout: Checkout, *, committed: bool
) -> None:
    reseal(checkout)
    if committed:
        commit(checkout.folder)

    (finding,) = [f for f in verify(checkout.folder) if f.severity == "error"]

    assert finding.where == "snapshots/events.jsonl"
    assert SECOND in finding.problem


def test_a_deleted_snapshot_is_named_even_with_its_event(checkout: Checkout) -> None:
    for path in (checkout.home / SECOND).iterdir():
        path.unlink()
    (checkout.home / SECOND).rmdir()
    assert places(checkout) == [f"snapshots/{SECOND}"]

    edit(
        checkout.home / "events.jsonl",
        checkout.home.joinpath("events.jsonl").read_text().splitlines()[1],
        "",
    )
    (checkout.home / "events.jsonl").write_text(
        (checkout.home / "events.jsonl").read_text().replace("\n\n", "\n")
    )
    commit(checkout.folder, "delete it all")
    assert places(checkout) == ["snapshots/events.jsonl"]


def test_an_event_that_was_taken_out_and_put_back_is_not_lost(checkout: Checkout) -> None:
    path = checkout.home / "events.jsonl"
    whole_text = path.read_text()
    path.write_text(whole_text.splitlines(keepends=True)[0])
    commit(checkout.folder, "by mistake")
    path.write_text(whole_text)
    commit(checkout.folder, "mended")

    assert verify(checkout.folder) == []


def test_two_branches_may_both_publish(checkout: Checkout) -> None:
    git(checkout.folder, "checkout", "--quiet", "-b", "side", "HEAD~1")
    checkout.publish("v1.0-Other", day="2026-03-02")
    commit(checkout.folder, "publish beside")
    lines = (checkout.home / "events.jsonl").read_text()
    git(checkout.folder, "merge", "--quiet", "-s", "ours", "--no-commit", "main")
    git(checkout.folder, "checkout", "main", "--", f"snapshots/{SECOND}")
    theirs = git(checkout.folder, "show", "main:snapshots/events.jsonl").splitlines(keepends=True)
    (checkout.home / "events.jsonl").write_text(
        theirs[0] + theirs[1] + lines.splitlines()[1] + "\n"
    )
    commit(checkout.folder, "merge")

    assert verify(checkout.folder) == []

    (checkout.home / "events.jsonl").write_text(lines)  # a merge that loses main's event
    commit(checkout.folder, "lose it")
    assert "snapshots/events.jsonl" in places(checkout)


def test_without_a_whole_history_the_check_says_so(checkout: Checkout, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    source = checkout.folder.as_uri()
    git(tmp_path, "clone", "--quiet", "--depth", "1", source, str(shallow))

    (finding,) = verify(shallow)

    assert finding.severity == "warning"
    assert "fetch-depth: 0" in finding.remedy


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"date":"2026-03-03","event":"withdrawn","tag":"v1.1-Judge-1"}', "events.jsonl:3"),
        ('{"date":"2026-03-03","event":"mended","tag":"v1.1-Judge-1"}', "events.jsonl:3"),
        ("not JSON", "events.jsonl:3"),
        (
            '{"date":"2026-03-03","event":"withdrawn","reason":"r","tag":"v1.9-Judge-1"}',
            "was not published before this",
        ),
    ],
)
def test_an_event_that_says_too_little_is_found_on_its_line(
    checkout: Checkout, line: str, problem: str
) -> None:
    with (checkout.home / "events.jsonl").open("a") as file:
        file.write(f"{line}\n")

    done = epc("snapshot", "verify", checkout.folder)

    assert done.returncode == 1
    assert problem in done.stdout.decode()
