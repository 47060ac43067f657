"""What a pull request that publishes says of itself."""

from datetime import date
from pathlib import Path

from registry_support import Checkout

from epc.registry.submissions.merged import MARKER, Outcome, markdown, promote_all
from epc.registry.writing import locked

PUBLISHED = Outcome(slug="first", tag="v1.0-Judge-1", refused=None)
REFUSED = Outcome(slug="second", tag=None, refused="no `such`\n  fix: @all <b>")


def test_each_submission_has_a_line_and_every_text_of_others_is_code() -> None:
    said = markdown([PUBLISHED, REFUSED])

    first, published, refused, blank, how, end = said.split("\n")
    assert (first, blank, end) == (MARKER, "", "")
    assert published == "- publishes `v1.0-Judge-1` from `first`"
    assert refused == "- **refused** `second`: `no 'such'\\u{000a}  fix: @all <b>`"
    assert how.startswith("Merge it with a merge commit: ")


def test_a_reason_has_a_thousand_characters_at_most() -> None:
    said = markdown([Outcome(slug="s", tag=None, refused="x" * 1_001)])

    assert said.split("\n")[1] == f"- **refused** `s`: `{'x' * 997}...`"
    whole = markdown([Outcome(slug="s", tag=None, refused="x" * 1_000)])
    assert whole.split("\n")[1] == f"- **refused** `s`: `{'x' * 1_000}`"


def test_one_that_is_refused_stops_no_other(tmp_path: Path) -> None:
    """Neither folder holds a submission; a file beside them is none."""
    made = Checkout(tmp_path)
    for name in ("b", "a"):
        (made.folder / "submissions" / name).mkdir(parents=True)
    (made.folder / "submissions" / "README.md").touch()

    with locked(made.folder, progress=print) as lock:
        found = promote_all(lock, day=date(2026, 7, 10), progress=print)

    assert [(one.slug, one.tag) for one in found] == [("a", None), ("b", None)]
    assert all(one.refused for one in found)


def test_a_checkout_without_submissions_has_nothing_to_publish(tmp_path: Path) -> None:
    made = Checkout(tmp_path)

    with locked(made.folder, progress=print) as lock:
        assert promote_all(lock, day=date(2026, 7, 10), progress=print) == ()
