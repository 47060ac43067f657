"""What a reader finds of an alias: its page, its target's page, the search, the API."""

import html
import json
import re

from site_support import BuiltSite

SOURCE = "https://maker.example/models"


def test_the_page_of_an_alias_says_what_it_points_to_since_when_and_who_says_so(
    site: BuiltSite,
) -> None:
    page = site.text("evaluators/other/index.html")

    assert "other means other-2 (since 1 Feb 2026)" in page
    rows = re.findall(r'<tr><th scope="row">alias of</th>(.*?)</tr>', page, re.DOTALL)
    assert len(rows) == 2
    assert "start not stated" in rows[0]
    assert 'href="../Other-1/"' in rows[0]
    assert 'datetime="2026-02-01"' in rows[1]
    assert 'href="../Other-2/"' in rows[1]
    assert SOURCE in html.unescape(rows[1])
    assert "2026-03-15" in rows[1]


def test_the_page_of_a_target_names_the_aliases_that_point_to_it_today(site: BuiltSite) -> None:
    assert 'href="../other/"' in site.text("evaluators/Other-2/index.html")
    assert 'href="../other/"' not in site.text("evaluators/Other-1/index.html")


def test_the_search_and_the_index_find_an_alias_by_its_name(site: BuiltSite) -> None:
    index = json.loads(site.text("api/v1/index.json"))

    assert "other" in [evaluator["name"] for evaluator in index["evaluators"]]
    assert "evaluators/other/" in site.text("search/search_index.json")


def test_the_answers_for_programs_hold_the_targets_and_the_one_that_counts(
    site: BuiltSite,
) -> None:
    document = json.loads(site.text("api/v1/evaluators/other.json"))

    (state,) = document["expiry"]
    assert (state["status"], state["until"]) == ("current", "2026-12-01")
    assert state["alias_of"] == {
        "to": "other-2",
        "since": "2026-02-01",
        "source": SOURCE,
        "seen": "2026-03-15",
    }
    (life,) = document["record"]["platforms"]
    assert [pointer["to"] for pointer in life["points_to"]] == ["other-1", "other-2"]
