"""How much of a long list stands in the pages that people open first."""

import json
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from registry_support import (
    ROOT,
    date_claim,
    day,
    generation_record,
    life_record,
    observed_card,
    observed_figures,
)
from site_support import with_documents

from epc.site.collecting import collect
from epc.site.guessing import for_people
from epc.site.rendering import _pair, lists, pages

PUBLISHED = 60


def test_every_expired_snapshot_is_a_line_of_under_a_kilobyte(tmp_path: Path) -> None:
    """A script pages them; without one they are all there."""
    checkout = with_documents(tmp_path / "registry")
    checkout.evaluator(generation_record("Judge-1", life_record(retires=date_claim("2026-03-01"))))
    for number in range(PUBLISHED):
        tag = f"v1.{number}-Judge-1"
        card = observed_card(tag)
        del card["tag"]
        checkout.publish(tag, figures=observed_figures("J/1", n=number + 1), **card)
    site = collect(checkout.folder, as_of=day("2026-04-01"), address="")

    written = dict(islice(lists(site), 3))

    expired, every = (written[name] for name in ("expired.md", "snapshots/index.md"))
    assert [text.count("<tr data-tag=") for text in (expired, every)] == [PUBLISHED, 0]
    assert len(expired.encode()) < 1200 * PUBLISHED


def row(tag: str, *, failed: bool = False, about: str = "coupling") -> Any:
    standing, card = SimpleNamespace(holds=True), SimpleNamespace(origin=None)
    row = SimpleNamespace(tag=tag, failed=failed, about=about, standing=standing)
    return SimpleNamespace(row=row, card=card)


def test_without_records_the_first_two_of_an_evaluator_are_compared_or_else_any() -> None:
    one, two, three, bad = row("1"), row("2"), row("3"), row("0", failed=True)
    judged = row("j", about="judgments")
    alone: Any = SimpleNamespace(
        evaluators=[SimpleNamespace(baselines=[bad, one])], snapshots=[bad, judged, two, one]
    )
    several: Any = SimpleNamespace(
        evaluators=[*alone.evaluators, SimpleNamespace(baselines=[bad, three, two, one])],
        snapshots=alone.snapshots,
    )

    assert _pair(several) == ["3", "2"]
    assert _pair(alone) == ["2", "1"]


def test_reading_r93_a_judge_s_page_says_what_happens_to_an_optimiser_under_it(
    tmp_path: Path,
) -> None:
    published = ROOT / "snapshots" / "v1.1-gpt-5.4-nano"
    document = json.loads((published / "snapshot.json").read_text("utf-8")) | {
        "generation": "Judge-1"
    }
    document["evaluator"]["model"] = "judge-1"
    figures = json.loads((published / "metrics.json").read_text("utf-8"))["figures"]
    checkout = with_documents(tmp_path / "registry")
    checkout.evaluator(generation_record("Judge-1", life_record()))
    del document["tag"]
    checkout.publish("v1.0-Judge-1", figures=figures, **document)
    site = collect(checkout.folder, as_of=day("2026-04-01"), address="")

    written = dict(pages(site))
    every = dict(islice(lists(site), 3))["snapshots/index.md"]

    lead = (
        "From a good start: Over 30 runs judge-1 reports &#43;0.20 &#91;&#43;0.15, &#43;0.26&#93;"
    )
    lead = lead.replace(": ", "&#58; ", 1)
    judge = written["evaluators/Judge-1/"]
    assert "What happens to an optimiser under this judge" in judge
    assert lead in judge
    assert 'href="../../snapshots/v1.0-Judge-1/"' in judge
    assert lead in written["snapshots/v1.0-Judge-1/"]
    assert "ran an optimiser under" in written["snapshots/v1.0-Judge-1/"]
    assert "right answers of 100, change under an optimiser from a good start" in every


def test_reading_r100_a_judge_is_named_as_people_type_it_and_keeps_its_address(
    tmp_path: Path,
) -> None:
    """The record calls it Judge2-0806, which nobody types: its maker sells `judge-2-2026-08-06`."""
    checkout = with_documents(tmp_path / "registry")
    life = life_record(
        model="judge-2-2026-08-06",
        released=date_claim("2026-01-06"),
        retires=date_claim("2026-04-20"),
    )
    checkout.evaluator(generation_record("Judge2-0806", life))
    site = collect(checkout.folder, as_of=day("2026-04-01"), address="")

    written = dict(lists(site)) | dict(pages(site))
    judge = written["evaluators/Judge2-0806/"]
    listed = ("index.md", "evaluators/index.md", "makers/maker/index.md", "changes.md")

    assert judge.startswith("---\ntitle: judge-2-2026-08-06\n")
    assert "\n# judge-2-2026-08-06\n" in judge
    assert "Aliases: Judge2-0806." in judge
    assert [name for name in listed if "Judge2-0806<" in written[name]] == []
    assert 'evaluators/Judge2-0806/">judge-2-2026-08-06' in written["makers/maker/index.md"]
    page = next(page for page in site.evaluators if page.name == "Judge2-0806")
    followed = dict(for_people(site, page))
    assert b"<title>EPC registry: judge-2-2026-08-06</title>" in followed["feeds/Judge2-0806.xml"]
    assert "X-WR-CALNAME:EPC: judge-2-2026-08-06" in followed["calendars/Judge2-0806.ics"]
    assert "SUMMARY:judge-2-2026-08-06 expires" in followed["calendars/Judge2-0806.ics"]
