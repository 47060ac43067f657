"""Content of the page "Which judge?", and what its script decides with."""

from collections.abc import Mapping
from typing import Any

from epc.answers.which import best_judges
from epc.protocol.results import Json
from epc.records.choices import ALL, Choices, Domain
from epc.report.which_text import beaten, by_client, sentence
from epc.site.charts.prices import price_chart
from epc.site.pages import Site


def context(site: Site) -> dict[str, Any]:
    """Return what the template is given: an answer for each domain, without limits."""
    choices = site.registry.choices
    names = sorted(choices.domains, key=lambda name: (name != ALL, name)) if choices else ()
    answers = [best_judges(site.registry, name, site.as_of) for name in names]
    served = answers[0].served if answers else {}
    return {
        "answers": answers,
        "beaten": beaten,
        "by_client": by_client(answers[0]) if answers else "",
        "choices": choices,
        "price_chart": price_chart,
        "data": _data(choices, served) if choices else {},
        "dollars": "${:,.2f}".format,
        "platforms": sorted({platform for places in served.values() for platform in places}),
        "sentence": sentence,
        "title": lambda domain: "All kinds of task" if domain == ALL else domain,
    }


def _data(choices: Choices, served: Mapping[str, Mapping[str, str]]) -> Json:
    return {
        "ways": [
            {"words": w.words, "models": w.models, "askings": w.askings, "usd": w.usd}
            for w in choices.ways
        ],
        "served": served,
        "domains": {name: _domain(choices, domain) for name, domain in choices.domains.items()},
        "sentence": {
            "none": "No measured judge fits.",
            "one": "It is shown to be right more often than every other measured judge that fits.",
            "alone": "No other measured judge fits.",
            "several": "No measured judge that fits is shown to be better than any of these.",
            "cheapest": "The cheapest is",
            "ask": "Ask",
        },
    }


def _domain(choices: Choices, domain: Domain) -> Json:
    """Return each way's share and interval, and the numbers of the ways that beat it."""
    ways = range(len(choices.ways))
    return {
        "right": domain.right,
        "interval": [choices.figure(domain, way).ci95 for way in ways],
        "beaten_by": [[other for other in ways if domain.beats(other, way)] for way in ways],
    }
