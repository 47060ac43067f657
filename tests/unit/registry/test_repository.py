"""Tests of which repository a checkout is of, from whoever may say so, and from nobody else."""

import subprocess
from pathlib import Path

import pytest

from epc.errors import MalformedError
from epc.registry.repository import repository, web_address

IN_A_WORKFLOW = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "lab/registry",
}
POLICY = "expiry:\n  maximum_age_days: 180\n  notice_days: 60\n"


@pytest.mark.parametrize(
    "remote",
    [
        "https://code.lab/owner/name",
        "https://code.lab/owner/name.git",
        "https://code.lab/owner/name.git/",
        "https://CODE.lab/owner/name",
        "https://user:s3cret@code.lab/owner/name.git",
        "https://ghp_token@code.lab/owner/name.git",
        "git@code.lab:owner/name.git",
        "code.lab:owner/name",
        "git@code.lab:/owner/name.git",
        "ssh://git@code.lab/owner/name.git",
        "ssh://git@code.lab:2222/owner/name.git",
        "git+ssh://git@code.lab/owner/name.git",
        "git://code.lab/owner/name.git",
    ],
)
def test_a_remote_in_every_form_is_one_address_without_credentials(remote: str) -> None:
    assert web_address(remote) == "https://code.lab/owner/name"


def test_a_web_address_keeps_its_scheme_and_its_port() -> None:
    assert web_address("http://code.lab:8080/a/b.git") == "http://code.lab:8080/a/b"
    assert web_address("https://[2001:db8::1]:8443/a/b") == "https://[2001:db8::1]:8443/a/b"


@pytest.mark.parametrize(
    "remote",
    [
        *("", "/srv/git/name", "../name", "./a.b:c/name", "name.git", "~/name", "C:\\code\\name"),
        *("C:/code/name", "file:///srv/git/name", "host:owner/name", "ssh://alias/owner/name"),
        *("https://localhost/a/b", "http://127.0.0.1:3000/a/b", "http://127.9.9.9/a/b"),
        *("http://[::1]/a/b", "http://0.0.0.0/a/b", "git@127.0.0.1:a/b", "http://x.localhost/a/b"),
        *("https://code.lab", "https://code.lab/", "https://code.lab/.git", "https:///a/b"),
        *("https://code.lab/a/../b", "https://code.lab/a//b", "https://code.lab/a/b?x=1"),
        *("https://code.lab/a/b#c", "https://code.lab/<script>/b", 'https://code.lab/"/b'),
        *("https://code.lab:port/a/b", "javascript://code.lab/a/b", "ext::sh -c touch% x"),
        *("https://[code.lab/a/b", "s3://bucket.lab/a/b"),
    ],
)
def test_what_is_no_address_on_the_web_is_none(remote: str) -> None:
    assert web_address(remote) is None


def checkout(folder: Path, origin: str | None, setting: str = "") -> Path:
    folder.mkdir()
    (folder / "params.yaml").write_text(POLICY + setting)
    if origin is not None:
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
        arguments = ("remote", "add", "origin", origin)
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)
    return folder


def test_a_workflow_has_the_first_word_then_the_remote_then_the_setting(tmp_path: Path) -> None:
    setting = "repository: https://set.lab/a/b\n"
    cloned = checkout(tmp_path / "cloned", "git@gitlab.com:group/sub/name.git", setting)
    local = checkout(tmp_path / "local", "/srv/git/name", setting)
    silent = checkout(tmp_path / "silent", None, "repository: null\n")

    said = [
        repository(cloned, IN_A_WORKFLOW),
        repository(cloned, {}),
        repository(local, {"GITHUB_REPOSITORY": "lab/registry"}),
        repository(silent, {}),
    ]

    assert [one and one.address for one in said] == [
        "https://github.com/lab/registry",
        "https://gitlab.com/group/sub/name",
        "https://set.lab/a/b",
        None,
    ]


def test_edit_and_issues_are_said_of_hosts_that_are_known_and_of_no_other(tmp_path: Path) -> None:
    own_host = {**IN_A_WORKFLOW, "GITHUB_SERVER_URL": "https://github.lab.org"}
    cloned = checkout(tmp_path / "cloned", "https://gitlab.com/g/n")
    other_path = checkout(tmp_path / "other", "https://code.lab/g/n")

    github, gitlab, unknown = (
        repository(cloned, own_host),
        repository(cloned, {}),
        repository(other_path, {}),
    )

    assert github
    assert gitlab
    assert unknown
    assert github.edit == "https://github.lab.org/lab/registry/edit/main"
    assert github.issues == "https://github.lab.org/lab/registry/issues"
    assert gitlab.edit == "https://gitlab.com/g/n/-/edit/main"
    assert (unknown.address, unknown.edit, unknown.issues) == ("https://code.lab/g/n", "", "")
    assert (github.name, unknown.name) == ("lab/registry", "g/n")


def test_a_folder_inside_another_repository_is_not_that_repository(tmp_path: Path) -> None:
    outer = checkout(tmp_path / "outer", "https://code.lab/somebody/else")

    assert repository(checkout(outer / "inner", None), {}) is None


@pytest.mark.parametrize("setting", ["repository: 7\n", "repository: /srv/git\n", "- 1\n"])
def test_a_setting_that_is_no_address_is_refused(tmp_path: Path, setting: str) -> None:
    path = checkout(tmp_path / "made", None, "")
    (path / "params.yaml").write_text(setting)

    with pytest.raises(MalformedError, match=r"params\.yaml"):
        repository(path, {})
