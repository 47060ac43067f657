"""A folder that a build makes anew, and the Content-Security-Policy of its pages."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from attack_support import attack

from epc.errors import UsageError
from epc.site.with_mkdocs import Folder, guarded, themes

HOME = 'here=new URL("{}",location)'
DOCUMENT = f"<meta charset='utf-8'><script>{HOME.format('..')}</script><script>palette()</script>"


def page(*scripts: str) -> str:
    return f'<head><meta charset="utf-8"><title>t</title></head>{"".join(scripts)}'


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def scripts_of(made: str) -> str:
    (match,) = re.findall(r"script-src ([^;]*);", made)
    return str(match)


def test_a_page_runs_the_themes_scripts_and_its_own_files() -> None:
    home = HOME.format("../../..")

    text = guarded(
        page(f"<script>{home}</script>", "<script>palette()</script>"), themes([DOCUMENT])
    )

    assert scripts_of(text) == f"'self' {digest(home)} {digest('palette()')}"
    assert "default-src 'none'" in text
    assert text.index("Content-Security-Policy") < text.index("<title>")


@attack("rendering")
@pytest.mark.parametrize(
    "smuggled",
    [
        "<script>alert(1)</script>",
        "<SCRIPT >alert(1)</SCRIPT>",
        '<script>here=new URL("..",location);alert(1)</script>',
        '<script>here=new URL("https://evil.example",location)</script>',
        '<script>here=new URL("javascript:alert(1)",location)</script>',
    ],
)
def test_a_script_that_somebody_elses_text_brings_does_not_run(smuggled: str) -> None:
    assert scripts_of(guarded(page(smuggled), themes([DOCUMENT]))) == "'self'"


def test_data_needs_no_leave() -> None:
    data = '<script type="application/json">{"a": 1}</script><script src="a.js"></script>'

    assert scripts_of(guarded(page(data), themes([DOCUMENT]))) == "'self'"


def test_a_page_in_which_no_policy_can_stand_is_no_page() -> None:
    with pytest.raises(ValueError, match="charset"):
        guarded("<html></html>", frozenset())


def test_what_an_earlier_build_left_is_gone(tmp_path: Path) -> None:
    Folder(tmp_path / "out").put("old/deep/file.txt", "x")
    Folder(tmp_path / "out", "https://a.example/").put("kept.txt", "x")

    files = {path.name: path.read_text() for path in (tmp_path / "out").rglob("*")}
    assert files == {".epc-site": "https://a.example/", "kept.txt": "x"}


def test_of_two_names_that_a_disk_does_not_tell_apart_the_first_one_stays(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    folder.put("evaluators/GPT.html", "first")
    folder.put("evaluators/GPT.html", "second")

    assert (tmp_path / "out" / "evaluators" / "GPT.html").read_text() == "first"


def test_an_empty_folder_is_taken_and_what_somebody_else_filled_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")

    assert Folder(tmp_path / "empty").path.is_dir()
    for name in ("file", "full"):
        with pytest.raises(UsageError, match="holds something else"):
            Folder(tmp_path / name)
    assert (tmp_path / "full" / "mine").read_text() == "x"
