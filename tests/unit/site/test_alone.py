"""A snapshot's page is kept under all that it follows from, and made again when that changes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, cast

import pytest
from markupsafe import Markup
from registry_support import Checkout, day, generation_record, life_record, stated
from site_support import with_documents

from epc.registry.repository import Repository
from epc.site.alone import Alone
from epc.site.collecting import collect
from epc.site.pages import Site
from epc.site.rendering import pages

T = TypeVar("T")
TAG = "v1.0-Judge-1"
KNOWN = {"Judge-1", "Judge-2"}


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    made = with_documents(tmp_path / "registry")
    made.evaluator(generation_record("Judge-1", life_record(retires=stated("2026-07-01"))))
    made.publish(TAG)
    made.publish("v1.0-Other")
    return made


def collected(made: Checkout, on: str = "2026-04-01") -> Site:
    return collect(made.folder, as_of=day(on), address="https://registry.example/")


def digest(site: Site, known: set[str] = KNOWN, beside: str | None = None) -> list[str]:
    page = next(page for page in site.snapshots if page.row.tag == TAG)
    return Alone.of(site, page, known, beside).follows_from()


def test_it_is_the_same_whatever_becomes_of_others(made: Checkout) -> None:
    before = digest(collected(made))
    made.publish("v1.1-Other")
    made.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    made.tell({"date": "2026-03-01", "event": "withdrawn", "reason": "why", "tag": "v1.0-Other"})

    assert digest(collected(made), {*KNOWN, "Judge-3"}) == before


def withdrawn(made: Checkout) -> None:
    made.tell({"date": "2026-03-01", "event": "withdrawn", "reason": "why", "tag": TAG})


def retired(made: Checkout) -> None:
    made.evaluator(generation_record("Judge-1", life_record(retires=stated("2026-06-01"))))


def held_longer(made: Checkout) -> None:
    policy = made.folder / "params.yaml"
    policy.write_text(policy.read_text().replace("notice_days: ", "notice_days: 1"))


@pytest.mark.parametrize("change", [withdrawn, retired, held_longer])
def test_it_is_another_if_the_registry_says_something_else_of_it(
    made: Checkout, change: Callable[[Checkout], None]
) -> None:
    before = digest(collected(made))
    change(made)

    assert digest(collected(made)) != before


def test_it_is_another_on_another_day(made: Checkout) -> None:
    assert digest(collected(made)) != digest(collected(made, "2026-04-02"))


def test_it_is_another_elsewhere_and_beside_another(made: Checkout) -> None:
    site = collected(made)
    moved = replace(site, address="https://elsewhere.example/")
    of_somebody = replace(site, repository=Repository(address="x", issues="", edit=""))
    given = [digest(each) for each in (site, moved, of_somebody)]
    given += [digest(site, {"Judge-2"}), digest(site, beside="v1.1-Judge-1")]

    assert len({*map(str, given)}) == len(given)


def test_the_page_of_what_was_left_out_is_that_of_the_whole_site(made: Checkout) -> None:
    site = collected(made)
    asked: list[list[str]] = []

    def recall(kind: type[T], given: Sequence[str], work: Callable[[], T], /) -> T:
        asked.append([*given])
        assert kind is str
        return cast("T", f"kept: {work()}")

    anew = dict(pages(site, lambda _: Markup("")))
    kept = dict(pages(site, lambda _: Markup(""), recall))

    known = {page.name for page in site.evaluators}
    assert asked == [Alone.of(site, page, known, None).follows_from() for page in site.snapshots]
    own = {f"snapshots/{page.row.tag}/index.md" for page in site.snapshots}
    assert kept == {name: f"kept: {text}" if name in own else text for name, text in anew.items()}
