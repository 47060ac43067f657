"""Content of the page "Which judge?": the program's own answers, for each platform and budget."""

from collections.abc import Iterator
from math import isinf
from typing import Any

from epc.analysis.choosing import Choice, Option
from epc.analysis.domains import domains
from epc.answers.choose import choose, steps
from epc.answers.domains import of_domain
from epc.protocol.results import Json
from epc.records.choices import ALL, Choices
from epc.report.domains_text import verdict
from epc.report.which_text import beaten, faults_text, sentence, untried
from epc.site.charts.prices import price_chart
from epc.site.pages import Site

_Table = dict[str, int]  # texts that stand in the page once, by their place in it


def context(site: Site) -> dict[str, Any]:
    """Return what the template is given: an answer for each domain, without limits."""
    choices = site.registry.choices
    names = sorted(choices.domains, key=lambda name: (name != ALL, name)) if choices else ()
    answers = [choose(site.registry, name, site.as_of) for name in names]
    served = answers[0].served if answers else {}
    platforms = sorted({platform for places in served.values() for platform in places})
    return {
        "answers": answers,
        "beaten": beaten,
        "faults": faults_text(answers[0].faults, answers[0].ranked) if answers else [],
        "untried": untried(answers[0]) if answers else "",
        "choices": choices,
        "price_chart": price_chart,
        "data": _data(site, choices, answers[0], platforms) if choices else {},
        "dollars": "${:,.2f}".format,
        "domains": [of_domain(site.registry, name, site.as_of) for name in domains()],
        "platforms": platforms,
        "sentence": sentence,
        "verdict": verdict,
        "title": lambda domain: "All kinds of task" if domain == ALL else domain,
    }


def _data(site: Site, choices: Choices, answer: Choice, platforms: list[str]) -> Json:
    """Return every answer: by domain and platform, from which budget on it is which.

    A row of `cells` is the budget from which on it holds, null where there is none, the ways that
    are listed, the reward models, which of all is first, and the place of its sentence.
    """
    sentences: _Table = {}
    ways = {way: n for n, way in enumerate(choices.ways)}
    cells: dict[str, dict[str, list[list[Any]]]] = {name: {} for name in choices.domains}
    for platform in ("", *platforms):
        for usd, choice in steps(site.registry, site.as_of, platform or None):
            rows = cells[choice.short.domain].setdefault(platform, [])
            row = [*_row(choice, ways, sentences)]
            if not rows or rows[-1][1:] != row or isinf(usd):
                rows.append([None if isinf(usd) else usd, *row])
    options = {option.way: option for option in answer.ranked}
    return {
        "ways": [
            {"words": _label(options.get(way), way.words), "models": way.models, "usd": way.usd}
            | ({"month": options[way].dated} if way in options else {})
            for way in choices.ways
        ],
        "served": answer.served,
        "domains": {
            name: {
                "right": domain.right,
                "interval": [choices.figure(domain, way).ci95 for way in range(len(choices.ways))],
            }
            for name, domain in choices.domains.items()
        },
        "cells": cells,
        "sentences": list(sentences),
    }


def _row(choice: Choice, ways: dict[Any, int], sentences: _Table) -> Iterator[Any]:
    yield [ways[option.way] for option in choice.short.options]
    yield [ways[option.way] for option in choice.scorers.options]
    yield ways[choice.first.way] if choice.first else None
    limit = "" if choice.budget is None else " within the budget"
    text = sentence(choice, limit)
    yield sentences.setdefault(text, len(sentences))


def _label(option: Option | None, label: str) -> str:
    return f"{label} †" if option and option.faults else label
