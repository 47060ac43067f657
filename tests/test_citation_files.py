"""Tests that catalogues and archives read one thing about this software."""

import json
import tomllib

import pytest
import yaml
from registry_support import ROOT, Json

from epc.version import __version__


@pytest.fixture(scope="module")
def cff() -> Json:
    stated_document: Json = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return stated_document


@pytest.fixture(scope="module")
def project() -> Json:
    stated_document: Json = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return stated_document


def citation_document(name: str) -> Json:
    stated_document: Json = json.loads((ROOT / name).read_text("utf-8"))
    return stated_document


def test_codemeta_says_what_the_project_and_its_citation_say(cff: Json, project: Json) -> None:
    stated_document = citation_document("codemeta.json")
    paper, _ = cff["references"]  # and the judge protocol, which has no identifier

    assert stated_document["version"] == cff["version"] == __version__
    assert stated_document["name"] == cff["title"]
    assert stated_document["identifier"] == project["name"]
    assert stated_document["description"] == project["description"]
    assert stated_document["datePublished"] == str(cff["date-released"])
    assert stated_document["license"] == f"https://spdx.org/licenses/{project['license']}"
    assert [author["name"] for author in stated_document["author"]] == [
        a["name"] for a in cff["authors"]
    ]
    assert stated_document["runtimePlatform"] == f"Python {project['requires-python']}"
    assert stated_document["referencePublication"]["name"] == paper["title"]
    assert stated_document["referencePublication"]["identifier"] == paper["identifiers"][0]["value"]


def test_a_deposit_has_the_same_title_version_licence_and_creators(
    cff: Json, project: Json
) -> None:
    stated_document = citation_document(".zenodo.json")
    paper, _ = cff["references"]  # and the judge protocol, which has no identifier

    assert stated_document["version"] == cff["version"]
    assert stated_document["title"] == cff["title"]
    assert stated_document["description"] == project["description"]
    assert stated_document["publication_date"] == str(cff["date-released"])
    assert stated_document["license"] == project["license"] == cff["license"]
    assert stated_document["creators"] == cff["authors"]
    assert [identifier["identifier"] for identifier in stated_document["related_identifiers"]] == [
        paper["identifiers"][0]["value"]
    ]
