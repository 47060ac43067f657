"""Pages name repository and site by their addresses where these are known, and nobody's else."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from registry_support import ROOT
from shared_support import shared
from site_support import ADDRESS, AS_OF, BuiltSite, epc

EVERYWHERE = (
    *("index.html", "about/index.html", "contributing/index.html", "snapshots/index.html"),
    *("snapshots/v1.0-CoinFlip/index.html", "404.html"),
)
GITHUB = "https://github.com/lab/registry"
EDITED = re.compile(r'<a href="([^"]+)"[^>]* rel="edit"')


def text_files(out: Path) -> list[Path]:
    endings = {".parquet", ".png", ".gz"}
    own_paths = [path for path in out.rglob("*") if path.is_file() and path.suffix not in endings]
    return [path for path in own_paths if "snapshots/.store" not in path.as_posix()]


def naming(out: Path, text: str) -> list[str]:
    pattern = re.compile(text.encode())
    return [path.name for path in text_files(out) if pattern.search(path.read_bytes())]


def clone_of(site: BuiltSite, folder: Path) -> Path:
    """Return the same registry with its documents in a folder that is in no repository."""
    shutil.copytree(
        site.checkout.folder, folder, ignore=shutil.ignore_patterns(".git", "build", "public")
    )
    return folder


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, site: BuiltSite) -> Path:
    """Build a registry's site with no workflow, no remote and no address."""

    def make(folder: Path) -> Path:
        epc(clone_of(site, folder / "clone"), "admin", "site", "build", "--as-of", AS_OF)
        return folder / "clone" / "public"

    return shared(tmp_path_factory, "alone", make)


def test_without_any_address_nothing_names_one(alone: Path) -> None:
    assert len(text_files(alone)) > 200
    assert naming(alone, r"example\.(?:org|com|net)") == []
    for path in EVERYWHERE:
        page = (alone / path).read_text("utf-8")
        assert "Built from this checkout." in page, path
        assert 'class="md-source"' not in page, path
        assert EDITED.findall(page) == [], path
    assert "is built from this checkout." in (alone / "about" / "index.html").read_text("utf-8")
    assert "In a clone of this checkout" not in (alone / "contributing" / "index.html").read_text(
        "utf-8"
    )


def test_without_any_address_the_commands_are_those_of_this_checkout(alone: Path) -> None:
    measured = (alone / "snapshots" / "v1.0-CoinFlip" / "index.html").read_text("utf-8")
    evaluator = (alone / "evaluators" / "Judge-1" / "index.html").read_text("utf-8")

    assert "in this checkout" in measured
    assert "--registry" not in measured + evaluator
    assert "--from" not in measured
    assert "epc expiry judge-1</code>" in evaluator


def test_in_a_workflow_every_page_leads_to_its_repository(deployed: Path) -> None:
    for path in deployed.rglob("*.html"):
        page = path.read_text("utf-8")
        assert f'<a href="{GITHUB}' in page, path
        assert f'<a href="{GITHUB}/issues">Report a fault</a>' in page, path
        assert "from this checkout." not in page, path
    for name in ("about", "contributing", "getting-started"):
        page = (deployed / name / "index.html").read_text("utf-8")
        assert f'<a href="{GITHUB}">this repository</a>' in page, name
    assert naming(deployed, r"example\.(?:org|com|net)") == []
    assert f"[The repository]({GITHUB})" in (deployed / "llms.txt").read_text("utf-8")


def test_what_can_be_edited_is_a_document_of_the_repository(deployed: Path) -> None:
    met = 0
    for path in deployed.rglob("*.html"):
        for address in EDITED.findall(path.read_text("utf-8")):
            place = address.removeprefix(f"{GITHUB}/edit/main/")
            assert (ROOT / place).is_file(), address
            met += 1
    assert met == len(list((ROOT / "site" / "docs").rglob("*.md")))


def test_the_documents_show_the_addresses_that_are_known(deployed: Path) -> None:
    marked = {
        name: (deployed / name / "index.html").read_text("utf-8") for name in ("expiry", "gate")
    }
    pages = {name: re.sub(r"<[^>]*>", "", page) for name, page in marked.items()}

    assert f"epc expiry --registry {ADDRESS}registry.json" in pages["expiry"]
    assert f"git+{GITHUB}" in pages["gate"]
    assert all("ADDRESS" not in page for page in pages.values())


def test_a_remote_is_shown_without_its_credentials(tmp_path: Path, site: BuiltSite) -> None:
    folder = clone_of(site, tmp_path / "clone")
    remote = "https://user:s3cret@code.lab/lab/registry.git"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", remote], check=True)

    done = epc(folder, "admin", "site", "build", "--as-of", AS_OF)

    out = folder / "public"
    assert "s3cret" not in done.stdout + done.stderr
    assert naming(out, "s3cret") == []
    for path in EVERYWHERE:
        page = (out / path).read_text("utf-8")
        assert 'href="https://code.lab/lab/registry' in page, path
        assert EDITED.findall(page) == [], "how this host calls its pages is not known"
        assert "Report a fault" not in page


def test_no_document_or_help_text_names_an_address_of_nobody() -> None:
    arguments = ("ls-files", "-z", "--", ":!tests", ":!snapshots")
    listed = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=True)
    files = [ROOT / name for name in listed.stdout.decode().split("\0") if name]

    named = re.compile(rb"\bexample\.(?:org|com|net)\b")
    assert [path.name for path in files if path.is_file() and named.search(path.read_bytes())] == []
