"""What the registry needs: news apart from what is known, and nobody's Markdown but ours."""

import json
import re
from collections.abc import Sequence

import pytest
from attack_support import attack
from hypothesis import given
from hypothesis import strategies as st
from registry_support import card, date_claim, day, generation_record, life_record

from epc.answers.snapshot_status import snapshot_states
from epc.registry.lists import Claim
from epc.registry.registry import Registry
from epc.registry.upkeep.links import Link
from epc.registry.upkeep.report import MARK, Upkeep, markdown, text, upkeep

FIGURES = {"n": 8, "gamma": {"text_to_visual": {"mean": 1.1, "ci95": None}}}


def registry(first: str, **life: object) -> Registry:
    """Return a registry of one snapshot, where a figure holds 180 days and notice is 60."""
    return Registry.from_document(
        {
            "evaluators": [generation_record("Judge-1", life_record(**life))],
            "snapshots": [{"card": card(first=first), "figures": FIGURES}],
            "events": [],
            "policy": {"maximum_age_days": 180, "notice_days": 60},
        }
    )


def needed(
    found: Registry,
    as_of: str,
    claims: Sequence[Claim] = (),
    links: Sequence[Link] | None = None,
) -> Upkeep:
    states = snapshot_states(found, day(as_of)).values()
    return upkeep(found, claims, links, states, as_of=day(as_of))


def needs(first: str, as_of: str, **life: object) -> Upkeep:
    return needed(registry(first, **life), as_of)


@pytest.mark.parametrize(
    ("as_of", "where"),
    [
        # Measured on 1 January: 180 days later is 30 June, 60 days before that 1 May.
        ("2026-04-30", "nowhere"),
        ("2026-05-01", "expiring"),
        ("2026-06-29", "expiring"),
        ("2026-06-30", "expired"),
        # 60 days after 30 June is 29 August.
        ("2026-08-28", "expired"),
        ("2026-08-29", "before"),
    ],
)
def test_a_snapshot_is_news_from_its_notice_to_as_long_after_its_end(
    as_of: str, where: str
) -> None:
    actual_upkeep = needs("2026-01-01", as_of)

    assert len(actual_upkeep.expiring) == (where == "expiring")
    assert len(actual_upkeep.expired) == (where == "expired")
    assert actual_upkeep.gone_before == (where == "before")
    assert actual_upkeep.clean is (where in {"nowhere", "before"})


def test_what_nobody_can_tell_is_somebodys_task() -> None:
    """The judge was asked on a platform of which no record says anything."""
    actual_upkeep = needs("2026-01-01", "2026-03-02", platform="elsewhere")

    assert [state.status for state in actual_upkeep.unknown] == ["unknown"]
    assert not actual_upkeep.clean
    assert "no platform's dates are known for this evaluator" in text(actual_upkeep)


def test_reading_r103_a_figure_of_a_service_that_nobody_confirms_is_nobodys_task() -> None:
    past = date_claim("2026-03-01", "not_before")

    assert needs("2026-01-01", "2026-03-02", retires=past).clean


def test_a_date_that_moved_is_shown_as_the_diff_that_git_applies() -> None:
    known_registry = registry(
        "2026-01-01", retires=date_claim("2026-12-01") | {"seen": "2026-01-01"}
    )
    claim = Claim(
        platform="maker",
        model="judge-1",
        retires=day("2027-01-01"),
        kind="exact",
        source="list",
        seen=day("2026-02-01"),
    )

    actual_upkeep = needed(known_registry, "2026-02-02", [claim])

    assert not actual_upkeep.clean
    assert "Dates that moved: 1" in markdown(actual_upkeep)
    assert '+        "date": "2027-01-01",' in markdown(actual_upkeep)


def test_links_count_only_where_they_are_gone() -> None:
    known_registry = registry("2026-01-01")
    unclear = Link(address="https://a.com", places=("x",), state="unclear", said="403")
    gone = Link(address="https://b.com", places=("y", "z"), state="gone", said="404")

    assert needed(known_registry, "2026-01-02", links=[unclear]).clean
    actual_upkeep = needed(known_registry, "2026-01-02", links=[unclear, gone])
    assert not actual_upkeep.clean
    assert "https://b.com  404  in y, z" in markdown(actual_upkeep)
    assert "https://a.com" not in markdown(actual_upkeep)
    assert "addresses asked: 2, without a clear answer: 1" in text(actual_upkeep)


def test_a_clean_registry_has_no_issue() -> None:
    actual_upkeep = needs("2026-01-01", "2026-01-02")

    assert markdown(actual_upkeep) == ""
    assert text(actual_upkeep).startswith("nothing needs anybody")


def test_text_json_and_markdown_are_of_one_value() -> None:
    actual_upkeep = needs("2026-01-01", "2026-05-01")

    document = json.loads(json.dumps(actual_upkeep.as_json()))
    assert (document["as_of"], document["clean"], document["links"]) == ("2026-05-01", False, None)
    assert [entry["until"] for entry in document["expiring"]] == ["2026-06-30"]
    assert markdown(actual_upkeep).startswith(f"{MARK}\n")
    for shown in (text(actual_upkeep), markdown(actual_upkeep)):
        assert "v1.0-Judge-1 2026-06-30 (stale)" in shown


@attack("rendering")
@given(st.text(max_size=400))
def test_nothing_that_others_wrote_leaves_its_block(hostile: str) -> None:
    """Read back as CommonMark reads fences: outside of them stand our words alone."""
    printed_text = f"`````{hostile}\n```\n~~~\n</details>@all{hostile}"
    link = Link(address="https://a.com", places=("x",), state="gone", said=printed_text)
    actual_upkeep = needed(registry("2026-01-01"), "2026-01-02", links=[link])

    lines, fence, outside = markdown(actual_upkeep).split("\n"), "", []
    for line in lines:
        match = re.fullmatch(r" {0,3}(`{3,})([^`]*)", line)
        if fence:
            if match and len(match[1]) >= len(fence) and not match[2].strip():
                fence = ""
        elif match:
            fence = match[1]
        else:
            outside.append(line)

    assert not fence
    assert outside == [
        MARK,
        "",
        "What the registry needs, as of 2026-01-02 (`epc admin upkeep`).",
        "",
        "### Addresses that are gone: 1",
        "",
        "Name another source, or a copy of the page in an archive.",
        "",
        "",
        "expired before: 0; addresses asked: 1, without a clear answer: 0",
        "",
        "",
    ]


def test_a_long_section_is_cut_so_that_the_issue_fits() -> None:
    links = [
        Link(address=f"https://a.com/{n}", places=("x" * 90,), state="gone", said="404")
        for n in range(2_000)
    ]
    actual_upkeep = needed(registry("2026-01-01"), "2026-01-02", links=links)

    assert len(markdown(actual_upkeep)) < 65_536
    assert "... and more: run `epc admin upkeep`" in markdown(actual_upkeep)
