"""Which versions of Python are tested, and which is the least: pages, package and machine agree."""

import re
import sys
import tomllib
from importlib.metadata import metadata

from registry_support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FLOOR = "3.11"
DOCS = ROOT / "site" / "docs"


def test_what_the_package_names_as_tested_is_what_runs_the_tests() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))

    assert f"{sys.version_info.major}.{sys.version_info.minor}" in named
    page = (DOCS / "python.md").read_text()
    assert f"Tested: Python {', '.join(named)}." in page
    assert f"python:{named[-1]}-" in (ROOT / ".devcontainer" / "devcontainer.json").read_text()


def test_the_floor_is_one_and_has_its_reason() -> None:
    assert PROJECT["requires-python"] == f">={FLOOR}"
    assert f"--python-version {FLOOR} " in (ROOT / "Makefile").read_text()
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", DOCS / "getting-started.md"):
        assert f"Python {FLOOR}" in page.read_text(), page
    locked = (ROOT / "requirements" / "dev.lock").read_text()
    for name in ("numpy", "pandas", "platformdirs"):
        assert f"\n{name}=={metadata(name)['Version']} " in locked
        assert metadata(name)["Requires-Python"] == f">={FLOOR}"
