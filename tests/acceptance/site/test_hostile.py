"""Hostile text in every field of a snapshot, an evaluator and an event shows as text."""

import csv
import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from attack_support import attack
from icalendar import Calendar
from judge_support import grid
from registry_support import Checkout, date_claim, generation_record, life_record
from shared_support import shared
from site_support import BuiltSite, build, evaluated, judged, measured, with_documents

from epc.printable import FORMULA
from epc.records.strict_json import dumps

HOSTILE = (
    '"><script>marmot()</script><img src=x onerror=marmot()>',
    "</code></pre></td></table><marmot-x onclick='marmot()'>",
    "[click](javascript:marmot()) ![x](https://marmot.example/x.png)",
    "{{ marmot }} {% raw %} {{ ''.__class__ }} {# no #}",
    "```\n</script>\n```\n\n# Canary heading\n\n| a | b |\n|---|---|\n\n    code\n",
    "{: onclick=marmot() } ]]> <!-- --> &lt;marmot&gt; &#60;marmot-y&#62;",
    "=cmd|' /C calc'!A0,+1\r\n\x02wzxhzdk:0\x03 \u202eyranac\u202c",
    "javascript:marmot()",
    "harmless\n=cmd|' /C calc'!A0\r\n@marmot(1)\n::error::marmot",
)
# What a manifest holds in the writer's own words.
FREE = {
    "evaluator_prompt",
    "prompt",
    "prompt_template",
    "version",
    "endpoint",
    "gateway",
    "generator",
}


class _Words:
    """Hostile text by turns, each with a number of its own, and all that was given out."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self) -> str:
        text = f"no{len(self.given)} {HOSTILE[len(self.given) % len(HOSTILE)]}"
        self.given.append(text)
        return text


def poisoned(value: Any, say: _Words, key: str = "") -> Any:
    """Return a manifest with every free text replaced."""
    if isinstance(value, dict):
        if key in {"served_models", "software", "details"}:
            return {k: say() if isinstance(v, str) else v for k, v in value.items()}
        return {k: poisoned(v, say, k) for k, v in value.items()}
    if isinstance(value, list):
        return [
            say() if key in {"text", "visual"} and isinstance(v, str) else poisoned(v, say)
            for v in value
        ]
    return say() if key in FREE and isinstance(value, str) else value


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[BuiltSite, list[str]]:
    return shared(tmp_path_factory, "hostile", _hostile)


def _hostile(folder: Path) -> tuple[BuiltSite, list[str]]:
    checkout, say = with_documents(folder / "clone"), _Words()
    model = {"model": say(), "platform": "maker", "gateway": say(), "proxy": True}
    cited = {key: say() for key in ("work", "place", "address", "as_printed")}
    checkout.publish(
        "v1.0-Judge-1",
        contributor=say(),
        evaluator={**model, "as_printed": None},
        executor={**model, "as_printed": None},
        citation=cited,
        known_faults=[{"id": "a-fault", "says": say()}],
    )
    life = life_record(
        aliases=[say()],
        replacement=say(),
        notes=[say()],
        checked={"source": say(), "via": say(), "seen": None},
        released=date_claim("2025-01-01", source=say()),
        retires=date_claim("2026-06-01", source=say()),
        routes=[{"date": "2026-07-01", "to": say(), "source": say(), "seen": None}],
    )
    life["retires"]["others"] = [
        {"by": say(), "date": "2026-05-01", "seen": None, "settled": say()}
    ]
    checkout.evaluator(generation_record("Judge-1", life) | {"maker": say()})
    checkout.tell(
        {"date": "2026-03-01", "event": "withdrawn", "reason": say(), "tag": "v1.0-Judge-1"}
    )
    tag = measured(checkout)
    folder = checkout.home / tag
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(dumps(poisoned(manifest, say)))
    card = json.loads((folder / "snapshot.json").read_text())
    card["contributor"] = say()
    judge(checkout, say)
    for finding in card["audit"]["findings"]:
        finding["problem"] = say()
    (folder / "snapshot.json").write_text(dumps(card))
    checkout.seal(tag)
    return build(checkout), say.given


def judge(made: Checkout, say: _Words) -> None:
    """Publish what a mock judge said of hostile outputs, by a hostile prompt."""
    prompt = made.folder.parent / "own.txt"
    prompt.write_text(f'{say()}\n$output\n"meta": $meta\n', "utf-8")
    targets = [say(), say()]
    variants = [say(), say(), say()]
    rows = [
        {
            **row,
            "target_model": target,
            "prompt_variant": variant,
            "output_id": f"{t}{v}{row['question_id']}",
        }
        for t, target in enumerate(targets)
        for v, variant in enumerate(variants)
        for row in grid("12", "A")
    ]
    folder = made.folder.parent / "judged"
    evaluated(folder, judge="mock/judge", rows=rows, plan=("--prompt", str(prompt)))
    tag = judged(made, folder, generation="DigestJudge")
    path = made.home / tag / "snapshot.json"  # no command takes such a name any more
    path.write_text(json.dumps(json.loads(path.read_text()) | {"contributor": say()}))
    path = made.home / tag / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["figures"]["remarks"] = [say()]
    path.write_text(dumps(metrics))
    made.seal(tag)


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def pages(site: BuiltSite) -> Iterator[tuple[Path, _Page]]:
    for path in site.out.rglob("*.html"):
        yield path, _Page(path.read_text("utf-8"))


def folded(text: str) -> str:
    shown_text = "".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in text)
    return " ".join(shown_text.split())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@attack("rendering")
def test_no_page_gets_an_element_an_attribute_or_an_address_from_it(
    hostile: tuple[BuiltSite, list[str]],
) -> None:
    for path, page in pages(hostile[0]):
        for tag, attributes in page.elements:
            assert "marmot" not in tag, path
            for name, value in attributes.items():
                assert not name.startswith("on"), (path, tag, name)
                assert "marmot" not in name, path
                if name in {"href", "src", "id", "action"}:
                    assert "marmot" not in (value or "").lower(), (path, tag, value)


def test_every_word_of_it_is_shown(hostile: tuple[BuiltSite, list[str]]) -> None:
    site, given = hostile
    expected_text = folded(" ".join(page.words for _, page in pages(site)))

    missing = [text for text in given if folded(text) not in expected_text]
    assert len(given) > 60
    assert missing == []


@attack("rendering")
def test_the_files_for_programs_hold_it_as_what_it_is(
    hostile: tuple[BuiltSite, list[str]],
) -> None:
    site, _ = hostile
    ET.fromstring(site.text("feed.xml"))
    for badge in site.out.glob("badges/*.svg"):
        assert {e.tag.split("}")[1] for e in ET.fromstring(badge.read_text()).iter()} <= {
            *("svg", "title", "clipPath", "rect", "g", "text")
        }
    for calendar in site.out.glob("calendars/*.ics"):
        Calendar.from_ical(calendar.read_text())
    assert not set("<>()=+@") & set(site.text("figures.csv"))
    tables = [path.read_bytes().decode() for path in site.out.rglob("*.csv")]
    cells = [cell for table in tables for row in csv.reader(io.StringIO(table)) for cell in row]
    lines = [line for cell in cells for line in cell.splitlines() if not _is_number(line)]
    assert not [line for line in lines if line.startswith(FORMULA)]
    assert any("marmot" in line for line in lines)
    index = json.loads(site.text("search/search_index.json"))
    assert not any(
        "<marmot" in entry["text"] or "<script" in entry["text"] for entry in index["docs"]
    )
