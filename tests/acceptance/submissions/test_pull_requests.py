"""What a pull request touches beside its submission: that alone is looked at, the rest refused."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from attack_support import attack
from submissions_support import SLUG, Json, Offered, errors, matching_errors, offered

from epc.printable import one_line
from epc.records.typed import parse
from epc.registry.submissions.report import Report, headline
from epc.registry.submissions.summary import markdown

FOREIGN = [
    "epc/registry/submissions/check.py",
    ".github/workflows/submission.yml",
    "snapshots/events.jsonl",
    "snapshots/v1.0-GPT4o-0806/metrics.json",
    "snapshots/evaluators/GPT4o-0806.json",
    ".dvc/config",
    ".gitattributes",
    "Makefile",
    "pyproject.toml",
    "submissions/README.md",
    f"submissions/{SLUG}/evil.sh",
    f"submissions/{SLUG}/sub/manifest.json",
    f"submissions/{SLUG}/../../epc/cli/run.py",
    "/etc/passwd",
    '"submissions/\\303\\251/manifest.json"',
    "submissions",
    "params.yaml\r",
    "a\x1b[31mred",
]


OWN = [f"submissions/{SLUG}/{name}" for name in ("manifest.json", "submission.json")]


@pytest.fixture(scope="module")
def refused(submissions_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Json:
    """Report on a pull request with all of these, of which each case reads its part."""
    honest = offered(submissions_home, tmp_path_factory.mktemp("foreign"))
    return honest.check([*OWN, *FOREIGN])


@attack("outside")
@pytest.mark.parametrize("path", FOREIGN)
def test_a_pull_request_that_changes_anything_else_is_refused(path: str, refused: Json) -> None:
    name = refused["foreign"][FOREIGN.index(path)]

    assert name == one_line(path)
    assert name.isprintable()
    assert matching_errors(refused, ("Submission S1", name, "which is no file of a submission"))
    assert f"`{re.sub('[`|]', '', name)}`" in markdown(parse(refused, Report))
    assert (refused["ok"], len(refused["foreign"])) == (False, len(FOREIGN))


@attack("publication")
def test_a_pull_request_with_two_submissions_is_refused(honest: Offered) -> None:
    value = honest.check([f"submissions/{slug}/manifest.json" for slug in (SLUG, "another")])

    assert matching_errors(value, ("Submission S1", "submissions", "changes 2 submissions"))
    assert matching_errors(value, ("Submission S1", "another", "is changed, and not there"))


@attack("publication")
def test_a_pull_request_that_removes_a_submission_is_refused(honest: Offered) -> None:
    value = honest.check(["submissions/gone/manifest.json"])

    assert matching_errors(value, ("Submission S1", "gone", "is changed, and not there"))
    assert value["submissions"] == []


@pytest.mark.parametrize(
    "changed", [[], ["epc/cli/run.py", "README.md"], ["submissions/README.md"]]
)
def test_a_pull_request_that_offers_nothing_is_none_of_our_business(
    changed: list[str], honest: Offered
) -> None:
    (honest.folder / "evil.py").touch()

    value = honest.check(changed)

    assert (value["ok"], value["submissions"], value["findings"]) == (True, [], [])
    assert headline(parse(value, Report)) == "There is no submission to check."


@attack("outside")
@pytest.mark.parametrize(
    "folder", ["submissions", "Submissions", "submi\u0455sions", "SUBMISSIONS", "subm1ssions"]
)
def test_a_folder_that_could_be_taken_for_the_submissions_is_refused(
    folder: str, honest: Offered
) -> None:
    value = honest.check([folder if folder == "submissions" else f"{folder}/x/manifest.json"])

    assert matching_errors(value, ("Submission S1", folder, "which is no file of a submission"))


def test_a_pull_request_of_one_submission_is_about_it_alone(honest: Offered) -> None:
    (honest.checkout / "submissions" / "Broken One").mkdir()

    value = honest.check([f"submissions/{SLUG}/manifest.json"])

    assert (value["ok"], value["foreign"]) == (True, [])
    assert [s["slug"] for s in value["submissions"]] == [SLUG]


STATED = OWN[1:]


def elsewhere(submission: Offered, **changed: str) -> Path:
    """Return the folder that a pull request would leave: a merged submission, changed."""
    folder = submission.checkout.parent / "offered" / "submissions" / SLUG
    shutil.copytree(submission.folder, folder)
    replace(submission, folder=folder).statement(**changed)
    return folder.parent


@attack("publication")
@pytest.mark.parametrize("author", [None, "mallory", "a-name2"])
@pytest.mark.parametrize("changed", [{"contributor": "M. Allory"}, {"login": "mallory"}, {}])
def test_a_merged_submission_is_changed_by_nobody_else(
    author: str | None, changed: dict[str, str], honest: Offered
) -> None:
    value = honest.check(STATED, author=author, path=elsewhere(honest, **changed))

    problem = f"{SLUG} is merged already, offered by a-name: nobody else can change it"
    assert value["ok"] is False
    assert matching_errors(value, ("Submission S1", "", problem))


def test_a_merged_submission_is_changed_by_its_own_contributor(honest: Offered) -> None:
    path = elsewhere(honest, conflicts="I work there")

    assert honest.check(STATED, author="A-Name", path=path)["ok"] is True


@attack("publication")
def test_a_contributor_is_whoever_opened_the_pull_request(honest: Offered) -> None:
    value = honest.check(STATED, author="mallory")

    problem = "says a-name, the pull request is mallory's"
    assert matching_errors(value, ("Submission S7", "submission.json/login", problem))
    assert honest.check(STATED, author="A-name")["ok"] is True


@attack("publication")
@pytest.mark.parametrize("login", ["", "-a", "a b", "a/b", "@a", "a" * 40, "\u0430-name", None])
def test_a_login_is_one_of_github(login: str | None, honest: Offered) -> None:
    honest.statement(login=login)

    (wrong,) = [e for e in errors(honest.check()) if e["where"] == "submission.json/login"]

    assert wrong["clause"] == "Submission S7"
    assert wrong["remedy"].startswith('write "login": "octocat"')
