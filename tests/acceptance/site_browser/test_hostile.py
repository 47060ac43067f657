"""Text that would be code, in every field of a snapshot and of an evaluator: it shows as text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attack_support import attack
from browser_support import Visit, visit
from judge_support import grid
from playwright.sync_api import Browser
from registry_support import card, commit, date_claim, generation_record, life_record
from shared_support import shared
from site_support import BuiltSite, build, epc, evaluated, judged, with_documents

from epc.records.strict_json import dumps

CODE = (
    '"><img src=x onerror="window.canary=1"></script><script>window.canary=1</script>'
    "<svg onload=window.canary=1> {{ 7*7 }} {% raw %} `c` **b** [l](javascript:window.canary=1)"
)
# Keys whose values are ids, days and kinds that schemas hold to a pattern.
HELD = {
    *("tag", "kind", "trust", "generation", "protocol_version", "from", "to", "platform", "date"),
    "confidence",
}


def hostile(value: Any, key: str = "") -> Any:
    """Return a document with code in place of each text that may be free."""
    if isinstance(value, dict):
        return {name: hostile(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [hostile(item, key) for item in value]
    return f"{key} {CODE}" if isinstance(value, str) and key not in HELD else value


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "hostile to browsers", _site)


def _site(folder: Path) -> BuiltSite:
    checkout = with_documents(folder / "clone")
    fault = {"id": "a", "says": "b"}
    free = hostile(card("v1.0-Judge-1") | {"known_faults": [fault, fault]})
    checkout.publish("v1.0-Judge-1", **{k: v for k, v in free.items() if k not in HELD})
    life = life_record(
        notes=["n"], replacement="r", retires=date_claim("2026-07-01"), aliases=["a"]
    )
    record = generation_record("Judge-1", life)
    checkout.evaluator(hostile(record))
    checkout.tell(
        {"date": "2026-02-02", "event": "drifted", "tag": "v1.0-Judge-1"}
        | hostile({"reason": "r", "source": "s"})
    )
    checkout.init()
    # Strategies and tasks are hostile in a real measurement, of verdicts that were recorded.
    table = checkout.folder.parent / "verdicts.csv"
    cell = '"{}"'.format(CODE.replace('"', '""'))
    rows = [
        f"{name},{domain},{task},{'AB'[(place + len(domain)) % 2]}"
        for place, name in enumerate(("step_by_step", cell))
        for domain in ("text", "visual")
        for task in (cell, "plain")
    ]
    table.write_text("strategy,domain,task,verdict\n" + "\n".join(rows) + "\n", "utf-8")
    run = checkout.folder.parent / "run"
    arguments = ("--seeds", "0-2", "--rounds", "3", "--out", str(run))
    epc(checkout.folder, "run", "--evaluator", f"recorded:{table}", *arguments)
    checkout.evaluator(generation_record("Recorded", life_record(platform="recorded", pinned=True)))
    arguments = ("--generation", "Recorded", "--platform", "recorded", "--contributor", "A. Tester")
    epc(checkout.folder, "admin", "snapshot", "publish", str(run), *arguments, "--no-git")
    commit(checkout.folder, "publish")
    outputs = [{**row, "prompt_variant": CODE, "target_model": CODE} for row in grid("12", "A")]
    folder = evaluated(checkout.folder.parent / "judged", judge="mock/judge", rows=outputs)
    judged(checkout, folder, generation="DigestJudge")
    for tag in ("v1.0-Recorded", "v1.0-DigestJudge"):
        path = checkout.home / tag / "snapshot.json"  # no command takes such a name any more
        path.write_text(dumps(json.loads(path.read_text()) | {"contributor": CODE}))
        checkout.seal(tag)
    return build(checkout)


@pytest.fixture(scope="module")
def seen(browser: Browser, home: str) -> Iterator[Visit]:
    """Return one window: what a page's code does in it ends with the page."""
    with visit(browser, home) as opened:
        yield opened


@pytest.fixture
def window(seen: Visit) -> Iterator[Visit]:
    yield seen
    seen.assert_quiet()


PAGES = (
    *("", "expired/", "snapshots/", "evaluators/", "changes/"),
    *("snapshots/v1.0-Judge-1/", "snapshots/v1.0-Recorded/", "evaluators/Judge-1/"),
    "snapshots/v1.0-DigestJudge/",
    "compare/?a=v1.0-Judge-1&b=v1.0-Recorded",
)


@attack("rendering")
@pytest.mark.parametrize("path", PAGES)
def test_code_in_any_field_does_nothing(window: Visit, path: str) -> None:
    page = window.to(path)
    window.enlivened()

    assert page.evaluate("window.canary") is None
    assert page.locator("img[src=x], svg[onload], a[href^='javascript:']").count() == 0
    assert " 49 " not in page.locator("main").inner_text(), "a template was filled in"


@attack("rendering")
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("snapshots/v1.0-Judge-1/", ("model", "contributor", "says", "work", "place", "reason")),
        ("evaluators/Judge-1/", ("maker", "aliases", "notes", "replacement", "source")),
        ("expired/", ("reason",)),
        ("changes/", ("reason",)),
    ],
)
def test_code_in_a_field_shows_as_it_stands(
    window: Visit, path: str, fields: tuple[str, ...]
) -> None:
    page = window.to(path)
    window.unfold()
    text = page.locator("main").inner_text()

    for field in fields:
        assert f"{field} {CODE}" in text, field


@attack("rendering")
def test_code_as_the_name_of_a_strategy_shows_in_tables(window: Visit) -> None:
    page = window.to("snapshots/v1.0-Recorded/")
    window.unfold()

    assert CODE in page.locator("table#win-rates-table").inner_text()
    assert CODE in page.locator("#strategies").evaluate("place => place.textContent")


@attack("rendering")
def test_code_as_the_name_of_a_variant_shows_on_a_judged_snapshots_page(window: Visit) -> None:
    page = window.to("snapshots/v1.0-DigestJudge/")
    window.unfold()

    for place in ("#variants", "#targets", "main"):
        assert CODE in page.locator(place).first.inner_text(), place


@pytest.mark.parametrize("bypass_csp", [True, False])
def test_the_canary_would_sing_where_no_policy_is(
    browser: Browser, seen: Visit, *, bypass_csp: bool
) -> None:
    """It acts as code once it stands in a page unescaped; the page's policy stops it even there."""
    with visit(browser, seen.home, bypass_csp=bypass_csp) as other_visit:
        page = other_visit.to("")
        page.evaluate("code => { document.body.insertAdjacentHTML('beforeend', code); }", CODE)
        page.wait_for_function("() => [...document.images].every((image) => image.complete)")

        assert page.locator("img[src=x], svg[onload]").count() == 2
        assert page.evaluate("window.canary === 1") is bypass_csp
