"""Content of the page "Which judge?": the program's own answers, for each platform and budget.

An answer changes only on a few days, so the page holds it for each of these.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from math import isinf
from typing import Any, Final

from epc.analysis.choosing import Choice, Option
from epc.analysis.domains import Benchmark, BenchmarkAnswer, domains
from epc.answers.choose import (
    Usable,
    choose_everywhere,
    steps_by_turn,
    turns_of_untried,
    turns_of_ways,
    usable_on,
)
from epc.answers.domains import of_domain, turns_of_domains
from epc.protocol.results import Json
from epc.records.choices import ALL, Choices, Domain
from epc.registry.registry import Registry
from epc.report.domains_text import verdict
from epc.report.which_text import beaten, faults_text, may_say, sentence, unserved, untried
from epc.site.charts.forest import place
from epc.site.charts.prices import price_chart
from epc.site.pages import Site
from epc.site.turning import Turns, add_turn
from epc.statistics.figures import interval_text, number_text

_ANY: Final = ""  # any platform
_Steps = Sequence[tuple[float, Choice]]  # choices in each domain, with the budgets they begin at


def context(site: Site) -> dict[str, Any]:
    """Return what the template is given: an answer for each domain, without limits."""
    choices = site.registry.choices
    if choices is None:
        return {"answers": []}
    by_domain = choose_everywhere(site.registry, site.as_of)
    names = sorted(by_domain, key=lambda name: (name != ALL, name))
    answers = [by_domain[name] for name in names]
    days = [site.as_of, *turns_of_ways(site.registry, site.as_of)]
    usables = usable_on(site.registry, days)
    unlimited = list(steps_by_turn(choices, usables, None))
    platforms = _platforms(unlimited)
    notes = _notes(site.registry, answers[0], unlimited)
    return {
        "answers": answers,
        "beaten": beaten,
        "choices": choices,
        "price_chart": price_chart,
        "data": _data(choices, usables, unlimited, platforms) | {"notes": notes},
        "dollars": "${:,.2f}".format,
        "benchmarks": _benchmarks(site.registry, site.as_of),
        "may_say": may_say,
        "notes": {name: turns[0][1] for name, turns in notes.items()},
        "platforms": platforms,
        "sentence": sentence,
        "title": lambda domain: "All kinds of task" if domain == ALL else domain,
    }


def _benchmarks(registry: Registry, as_of: date) -> list[tuple[Benchmark, list[Turns]]]:
    """Return the benchmarks of domains that have a judge, and what their cells hold on which day.

    The cells are the highest judge, its figure, what that is, and what the benchmark decides.
    """
    columns: dict[Benchmark, list[Turns]] = {}
    for day in (as_of, *turns_of_domains(registry, as_of)):
        answers = (of_domain(registry, name, day) for name in domains())
        parts = {part.benchmark: part for answer in answers for part in answer.benchmarks}
        if day == as_of:
            judged = (benchmark for benchmark, part in parts.items() if part.candidates)
            columns = {benchmark: [[], [], [], []] for benchmark in judged}
        for benchmark, cells in columns.items():
            texts = _cells(benchmark, parts.get(benchmark))
            for turns, text in zip(cells, texts, strict=True):
                add_turn(turns, day, text)
    return [*columns.items()]


def _cells(benchmark: Benchmark, part: BenchmarkAnswer | None) -> tuple[str, str, str, str]:
    highest = part.candidates[0] if part and part.candidates else None
    if highest is None or highest.figure is None:
        return "none", benchmark.says, "", verdict(part)
    counts = f"{highest.figure.n:,} verdicts on {highest.figure.items:,} items"
    return (
        f"{highest.judge}{' †' if highest.marks else ''}",
        f"{highest.figure.value:.2f}",
        f"{benchmark.says}, {counts}, {highest.dated}",
        verdict(part),
    )


def _platforms(unlimited: Iterable[tuple[date, _Steps]]) -> list[str]:
    """Return the platforms that serve a judge which was tried on one of the days."""
    served = (steps[0][1].served.values() for _, steps in unlimited)
    return sorted({platform for models in served for places in models for platform in places})


def _data(
    choices: Choices,
    usables: Sequence[Usable],
    unlimited: Sequence[tuple[date, _Steps]],
    platforms: Iterable[str],
) -> Json:
    """Return every answer: by domain and platform, from which day and budget on it is which.

    Whatever turns is a list of what holds from a day on. A row of `cells` is the budget from which
    on it holds, null where there is none, the ways that are listed, the reward models, which of all
    is first, and the place of its sentence. `rest` are the lists below an answer without limits,
    and what may be said of its first.
    """
    texts: dict[str, int] = {}
    cells: dict[str, dict[str, Turns]] = {name: {} for name in choices.domains}
    for platform in (_ANY, *platforms):
        for day, steps in steps_by_turn(choices, usables, platform or None):
            for name, rows in _rows(choices, steps, texts).items():
                add_turn(cells[name].setdefault(platform, []), day, rows)
    return {
        "built": usables[0].day.isoformat(),
        "days": [day.isoformat() for day, _ in unlimited],
        "ways": _ways(choices, unlimited),
        "served": _served(unlimited),
        "figures": {name: _figures(choices, domain) for name, domain in choices.domains.items()},
        "cells": cells,
        "rest": _rest(choices, unlimited, texts),
        "sentences": list(texts),
    }


def _rows(choices: Choices, steps: _Steps, texts: dict[str, int]) -> dict[str, list[list[Any]]]:
    """Return the rows of a day's answers by domain, without those that say nothing new."""
    rows_of: dict[str, list[list[Any]]] = {}
    for usd, choice in steps:
        rows = rows_of.setdefault(choice.short.domain, [])
        limit = "" if choice.budget is None else " within the budget"
        row = [
            _numbers(choices, choice.short.options),
            _numbers(choices, choice.scorers.options),
            choices.ways.index(choice.first.way) if choice.first else None,
            texts.setdefault(sentence(choice, limit), len(texts)),
        ]
        if not rows or rows[-1][1:] != row or isinf(usd):
            rows.append([None if isinf(usd) else usd, *row])
    return rows_of


def _numbers(choices: Choices, options: Iterable[Option]) -> list[int]:
    return [choices.ways.index(option.way) for option in options]


def _answers(unlimited: Iterable[tuple[date, _Steps]]) -> Iterator[tuple[date, Choice]]:
    """Yield the answers of the days that have no limit."""
    for day, steps in unlimited:
        for usd, choice in steps:
            if isinf(usd):
                yield day, choice


def _ways(choices: Choices, unlimited: Sequence[tuple[date, _Steps]]) -> list[Json]:
    """Return each way with its words, its marks, and the month of its figures."""
    marked: dict[int, str] = {}
    months: dict[int, Turns] = {}
    for day, choice in _answers(unlimited):
        for option in choice.ranked:
            way = choices.ways.index(option.way)
            marked[way] = f"{option.way.words}{' †' if option.faults else ''}"
            add_turn(months.setdefault(way, []), day, option.dated)
    return [
        {
            "words": marked.get(n, way.words),
            "models": way.models,
            "usd": way.usd,
            "months": months.get(n, []),
        }
        for n, way in enumerate(choices.ways)
    ]


def _served(unlimited: Iterable[tuple[date, _Steps]]) -> dict[str, Turns]:
    """Return by model who serves it and until when, while anybody does."""
    turns: dict[str, Turns] = {}
    for day, steps in unlimited:
        for model, places in steps[0][1].served.items():
            add_turn(turns.setdefault(model, []), day, list(places.items()))
    return turns


def _figures(choices: Choices, domain: Domain) -> list[list[str]]:
    """Return of each way the share, its interval, and the places of these three on the line."""
    figures = []
    for way, share in enumerate(domain.right):
        ends = choices.figure(domain, way).ci95
        on_line = (_place(choices, value) for value in (*(ends or (share, share)), share))
        figures.append([number_text(share, ".1c"), interval_text(ends, ".0c"), *on_line])
    return figures


def _place(choices: Choices, share: float | None) -> str:
    return place(((1.0 if share is None else share) - choices.chance) / (1 - choices.chance))


def _rest(
    choices: Choices, unlimited: Sequence[tuple[date, _Steps]], texts: dict[str, int]
) -> dict[str, Turns]:
    rest: dict[str, Turns] = {}
    for day, choice in _answers(unlimited):
        lists = [_numbers(choices, beaten(short)) for short in (choice.short, choice.scorers)]
        said = texts.setdefault(may_say(choice), len(texts))
        add_turn(rest.setdefault(choice.short.domain, []), day, [*lists, said])
    return rest


def _notes(
    registry: Registry, answer: Choice, unlimited: Sequence[tuple[date, _Steps]]
) -> dict[str, Turns]:
    """Return the sentences below the answers: marks, judges without a figure, and those gone."""
    faults: Turns = []
    untried_judges: Turns = []
    gone: Turns = []
    domains = (pair for pair in _answers(unlimited) if pair[1].short.domain == answer.short.domain)
    for day, choice in domains:
        lines = faults_text(choice.faults, choice.ranked)
        add_turn(faults, day, " ".join(f"† {line}" for line in lines))
        add_turn(gone, day, unserved(choice))
    for day, judges in turns_of_untried(registry, date.fromisoformat(answer.as_of)):
        text = untried(replace(answer, untried=judges))
        add_turn(untried_judges, day, f"{text}." if text else "")
    return {"faults": faults, "untried": untried_judges, "gone": gone}
