"""Answers of the registry to a program: its own sentences, and the values that they rest on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from epc.analysis.domains import DomainAnswer
from epc.analysis.judge_card import card_json
from epc.answers.domains import judges_for
from epc.answers.judge_cards import card_of
from epc.answers.replacement import firsts_of, with_firsts
from epc.answers.scanning import scan
from epc.answers.service import replacements, service_on, states
from epc.answers.subjects import subject
from epc.answers.succession import succession_of, with_verdicts
from epc.engine.clock import now
from epc.protocol.results import Json
from epc.records.choices import ALL
from epc.records.typed import as_json
from epc.registry import expiry
from epc.registry.reading import open_registry
from epc.registry.scan.files import Rule, Text
from epc.registry.scan.forms import text as scan_text
from epc.registry.succession import VerdictStore, agreement_in_store
from epc.report import domains_text, judge_card_text, succession_text, which_text

_GONE: Final = Rule.parse("expired")
_NAMED: Final = 9  # models that were not tried and are named


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer in words, and as plain JSON with its sources."""

    text: str
    document: Json


class Answers:
    """Answers of one registry: of the day on which each is asked for.

    The methods are the tools of `epc mcp`, and their docstrings are what a model reads of them.
    """

    def __init__(
        self, location: str | None, clock: Callable[[], date] = lambda: now().date()
    ) -> None:
        self._location, self._clock = location, clock
        self._registry = open_registry(location)

    def judge_status(self, model: str) -> Answer:
        """Say until when each platform serves a model, and which judge to turn to instead.

        Use it before you recommend or call a model, above all as a judge. MODEL is spelt as in
        settings: gpt-4o, openai/gpt-4o-2024-08-06, openrouter/openai/gpt-4o, an ARN. A state is
        current, expiring, expired, unconfirmed (no source confirms it lately) or unknown.
        """
        day = self._clock()
        judge_states = states(self._registry, model, day)
        named = replacements(service_on(self._registry, model, day))
        firsts = firsts_of(self._registry, [model], day)
        lines = [
            *expiry.lines(judge_states),
            *(first.in_place_of(model) for first in firsts.values()),
        ]
        answered = [state.as_json() for state in with_firsts(judge_states, firsts)]
        document = {"states": answered, "replacements": [*named]}
        return self._answer("\n".join(lines), document)

    def judge_card(self, model: str) -> Answer:
        """Say how a model was measured as a judge: accuracy, place, repeats, with intervals.

        The first sentence is the answer; each figure names the measurement that it is of.
        """
        day = self._clock()
        card = card_of(self._registry, subject(self._registry, model, day), day)
        sentence = judge_card_text.sentence(card)
        return self._answer(
            judge_card_text.text(card),
            card_json(judge_card_text.with_shown_figures(card), sentence),
        )

    def which_judge(
        self, domain: str = ALL, budget: float | None = None, platform: str | None = None
    ) -> Answer:
        """Say which measured judge to try first, and which are not shown to be worse.

        DOMAIN is a kind of task: math, factuality, safety, focus, precise; all for all of them; or
        one with benchmarks of its own: rag, agent, faithfulness, translation, image, choices,
        preference. BUDGET is in US dollars for 1,000 questions, PLATFORM where the judge has to be
        served.
        """
        day = self._clock()
        answer = judges_for(self._registry, domain, day, platform=platform, budget=budget)
        if isinstance(answer, DomainAnswer):
            document = {"sentence": domains_text.sentence(answer), **answer.as_json()}
            return self._answer(domains_text.text(answer), document)
        listed = replace(
            answer,
            short=replace(answer.short, beaten=()),
            scorers=replace(answer.scorers, beaten=()),
            untried=answer.untried[:_NAMED],
        )
        return self._answer(
            which_text.text(answer), {"sentence": which_text.sentence(answer), **listed.as_json()}
        )

    def successor(self, model: str) -> Answer:
        """Say which judge may replace a model that ended or will, or why none can be named."""
        day = self._clock()
        judge = subject(self._registry, model, day)
        agreed = agreement_in_store(
            VerdictStore.from_registry(self._registry, self._location),
            with_verdicts(self._registry, judge, day),
        )
        result = succession_of(self._registry, judge, day, agreed)
        return self._answer(
            succession_text.text(result),
            {"sentence": succession_text.sentence(result), **as_json(result)},
        )

    def scan(self, text: str) -> Answer:
        """Find the models that a TEXT names, such as code or settings, and which have expired."""
        result = scan(
            self._registry, Text(text=text), rules=[_GONE], ignore=(), as_of=self._clock()
        )
        return self._answer("\n".join(scan_text(result)), result.as_json())

    def _answer(self, text: str, document: Json) -> Answer:
        """Add the day of which the copy is: what happened after it, nobody knows here."""
        day = self._registry.last_day.isoformat()
        return Answer(
            text=f"{text}\n(registry of {day})", document={"registry_day": day, **document}
        )
