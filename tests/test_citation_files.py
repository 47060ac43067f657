"""What catalogues and archives read about this software says one thing."""

import json
import tomllib

import pytest
import yaml
from registry_support import ROOT, Json

from epc.version import __version__


@pytest.fixture(scope="module")
def cff() -> Json:
    stated: Json = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return stated


@pytest.fixture(scope="module")
def project() -> Json:
    stated: Json = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return stated


def of(name: str) -> Json:
    stated: Json = json.loads((ROOT / name).read_text("utf-8"))
    return stated


def test_codemeta_says_what_the_project_and_its_citation_say(cff: Json, project: Json) -> None:
    stated = of("codemeta.json")
    paper, _ = cff["references"]  # and the judge protocol, which has no identifier

    assert stated["version"] == cff["version"] == __version__
    assert stated["name"] == cff["title"]
    assert stated["identifier"] == project["name"]
    assert stated["description"] == project["description"]
    assert stated["datePublished"] == str(cff["date-released"])
    assert stated["license"] == f"https://spdx.org/licenses/{project['license']}"
    assert [author["name"] for author in stated["author"]] == [a["name"] for a in cff["authors"]]
    assert stated["runtimePlatform"] == f"Python {project['requires-python']}"
    assert stated["referencePublication"]["name"] == paper["title"]
    assert stated["referencePublication"]["identifier"] == paper["identifiers"][0]["value"]


def test_a_deposit_has_the_same_title_version_licence_and_creators(
    cff: Json, project: Json
) -> None:
    stated = of(".zenodo.json")
    paper, _ = cff["references"]  # and the judge protocol, which has no identifier

    assert stated["version"] == cff["version"]
    assert stated["title"] == cff["title"]
    assert stated["description"] == project["description"]
    assert stated["publication_date"] == str(cff["date-released"])
    assert stated["license"] == project["license"] == cff["license"]
    assert stated["creators"] == cff["authors"]
    assert [each["identifier"] for each in stated["related_identifiers"]] == [
        paper["identifiers"][0]["value"]
    ]
