"""A snapshot's page is kept under all that it follows from, and made again when that changes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import Markup
from registry_support import Checkout, day, generation_record, life_record, stated
from site_support import with_documents

from epc.analysis.succession import Agreed
from epc.registry.repository import Repository
from epc.registry.subjects import subject
from epc.registry.succession import succession_of
from epc.site.alone import alone, of_snapshot
from epc.site.collecting import collect
from epc.site.machines import of_alone
from epc.site.pages import Site
from epc.site.rendering import page_alone

TAG = "v1.0-Judge-1"
KNOWN = frozenset({"Judge-1", "Judge-2"})


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    made = with_documents(tmp_path / "registry")
    made.evaluator(generation_record("Judge-1", life_record(retires=stated("2026-07-01"))))
    made.publish(TAG)
    made.publish("v1.0-Other")
    return made


def collected(made: Checkout, on: str = "2026-04-01") -> Site:
    return collect(made.folder, as_of=day(on), address="https://registry.example/")


def digest(site: Site, known: frozenset[str] = KNOWN, beside: str | None = None) -> str:
    page = next(page for page in site.snapshots if page.row.tag == TAG)
    return of_snapshot(site, page, known, beside).given


def test_it_is_the_same_whatever_becomes_of_others(made: Checkout) -> None:
    before = digest(collected(made))
    made.publish("v1.1-Other")
    made.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    made.tell({"date": "2026-03-01", "event": "withdrawn", "reason": "why", "tag": "v1.0-Other"})

    assert digest(collected(made), KNOWN | {"Judge-3"}) == before


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
    given += [digest(site, frozenset({"Judge-2"})), digest(site, beside="v1.1-Judge-1")]

    assert len({*given}) == len(given)


def of_evaluator(site: Site, name: str = "Judge-1") -> str:
    return next(each.given for each in alone(site) if each.place == f"evaluators/{name}/")


def test_an_evaluator_is_the_same_whatever_becomes_of_others(made: Checkout) -> None:
    before = of_evaluator(collected(made))
    made.publish("v1.1-Other")
    made.evaluator(generation_record("Judge-2", life_record(model="judge-2")))

    assert of_evaluator(collected(made)) == before


def published(made: Checkout) -> None:
    made.publish("v1.1-Judge-1")


def pointed_at(made: Checkout) -> None:
    points = {"to": "judge-1", "since": "2026-01-01", "source": "a list", "seen": "2026-01-01"}
    life = life_record(model="judge-latest") | {"points_to": [points]}
    made.evaluator(generation_record("Judge-latest", life))


@pytest.mark.parametrize("change", [withdrawn, retired, held_longer, published, pointed_at])
def test_an_evaluator_is_another_if_the_registry_says_something_else_of_it(
    made: Checkout, change: Callable[[Checkout], None]
) -> None:
    before = of_evaluator(collected(made))
    change(made)

    assert of_evaluator(collected(made)) != before


def test_an_evaluator_is_another_if_others_may_replace_it(made: Checkout) -> None:
    site = collected(made)
    who = subject(site.registry, "Judge-1")
    succession = succession_of(site.registry, who, site.as_of, Agreed(recorded=0, agreements=()))

    assert of_evaluator(replace(site, successions=(succession,))) != of_evaluator(site)


def test_the_page_of_what_was_left_out_is_that_of_the_whole_site(made: Checkout) -> None:
    site = collected(made)
    known = frozenset(page.name for page in site.evaluators)

    for each in alone(site):
        whole = replace(each, site=site, known=known)
        drawn = page_alone(each, lambda _: Markup(""))
        assert drawn == page_alone(whole, lambda _: Markup(""))
        assert dict(of_alone(each)) == dict(of_alone(whole))
