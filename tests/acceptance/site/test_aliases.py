"""What a reader finds of an alias: its page, its target's page, the search, the API."""

import html
import json
import re
from pathlib import Path

import pytest
from registry_support import generation_record, life_record, stated
from shared_support import shared
from site_support import BuiltSite, build, with_documents

SOURCE = "https://maker.example/models"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "aliases", _site)


def _site(folder: Path) -> BuiltSite:
    made = with_documents(folder / "clone")
    made.evaluator(generation_record("Judge-1", life_record(retires=stated("2026-03-01"))))
    later = life_record(model="judge-2", retires=stated("2026-12-01"))
    made.evaluator(generation_record("Judge-2", later))
    targets = [
        {"to": "judge-1", "since": None, "source": SOURCE, "seen": "2026-01-31"},
        {"to": "judge-2", "since": "2026-02-01", "source": SOURCE, "seen": "2026-03-15"},
    ]
    alias = life_record(model="judge", points_to=targets)
    made.evaluator(generation_record("judge", alias))
    made.publish()
    return build(made)


def test_the_page_of_an_alias_says_what_it_points_to_since_when_and_who_says_so(
    site: BuiltSite,
) -> None:
    page = site.text("evaluators/judge/index.html")

    assert "judge means judge-2 (since 2026-02-01)" in page
    rows = re.findall(r'<tr><th scope="row">alias of</th>(.*?)</tr>', page, re.DOTALL)
    assert len(rows) == 2
    assert "start not stated" in rows[0]
    assert 'href="../Judge-1/"' in rows[0]
    assert 'datetime="2026-02-01"' in rows[1]
    assert 'href="../Judge-2/"' in rows[1]
    assert SOURCE in html.unescape(rows[1])
    assert "2026-03-15" in rows[1]


def test_the_page_of_a_target_names_the_aliases_that_point_to_it_today(site: BuiltSite) -> None:
    assert 'href="../judge/"' in site.text("evaluators/Judge-2/index.html")
    assert 'href="../judge/"' not in site.text("evaluators/Judge-1/index.html")


def test_the_search_and_the_index_find_an_alias_by_its_name(site: BuiltSite) -> None:
    index = json.loads(site.text("api/v1/index.json"))

    assert "judge" in [evaluator["name"] for evaluator in index["evaluators"]]
    assert "evaluators/judge/" in site.text("search/search_index.json")


def test_the_answers_for_programs_hold_the_targets_and_the_one_that_counts(
    site: BuiltSite,
) -> None:
    given = json.loads(site.text("api/v1/evaluators/judge.json"))

    (state,) = given["expiry"]
    assert (state["status"], state["until"]) == ("current", "2026-12-01")
    assert state["alias_of"] == {
        "to": "judge-2",
        "since": "2026-02-01",
        "source": SOURCE,
        "seen": "2026-03-15",
    }
    (life,) = given["record"]["platforms"]
    assert [pointer["to"] for pointer in life["points_to"]] == ["judge-1", "judge-2"]
