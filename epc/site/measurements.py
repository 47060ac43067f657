"""Table of a judge's page: what is known of it, and the command and cost of what is not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from functools import lru_cache
from typing import Final

from epc.analysis.headline import Key
from epc.analysis.quotable import QuotableFigure
from epc.answers.quotable import right_by_domain
from epc.engine.budget import Price, price_of
from epc.engine.cost_estimate import USUAL_PACE, need
from epc.errors import UsageError
from epc.records.choices import ALL, price_text
from epc.records.model_names import EMBEDDED_EVALUATORS, PROVIDER_OF
from epc.records.typed import parse
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.registry.registry import Registry
from epc.registry.subjects import Figures, Group
from epc.report.judge_card_text import faults
from epc.report.loop_text import starts_sentences
from epc.site.pages import EvaluatorPage, Platform, Site
from epc.spec.epc_v1 import ROUNDS
from epc.statistics.figures import Figure, figure_text

_SEEDS: Final = 30
# LLMBar-short.jsonl of pipeline/pairs.py, 298 pairs in both orders, as `epc judge pairs --dry-run`
# expects them to be read and answered.
_PAIRS: Final = "LLMBar-short.jsonl"
_PAIRS_READ, _PAIRS_WRITTEN = 97_776, 1_788
_REPEATS: Final = 3
_SERVER: Final = "vllm"  # that people have for weights that no platform serves
_UNSERVED: Final = "nobody serves it any longer"
_TOKENS: Final = ("input_tokens", "output_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Row of the table: the answer to a question with its snapshots, or what would measure it.

    `dated` is the month of the figures. `command` is what to type where there is no answer, and
    `cost` what it takes.
    """

    question: str
    answer: str = ""
    dated: str = ""
    tags: tuple[str, ...] = ()
    command: str = ""
    cost: str = ""


def measurements(site: Site, page: EvaluatorPage) -> list[Measurement]:
    """Return the rows, the same for every judge: a missing one has its command and its cost."""
    asking = _Asking.of_page(site, page)
    rows = [
        _served(page),
        _figure(page, "right", "right", asking.pairs()),
        _domains(site.registry, page, asking),
        _figure(page, "places", "same verdict, places swapped", asking.pairs()),
        _figure(page, "repeats", "same verdict, asked again", asking.repeats()),
        _coupling(page, asking),
        _optimised(page, asking),
        _price(site.registry, page, asking),
        _faults(page),
    ]
    return list(_commands_once(rows))


def _commands_once(rows: Iterable[Measurement]) -> Iterator[Measurement]:
    """Yield rows, where one command measures several, with it in the first of these."""
    measured_with: dict[str, str] = {}
    for row in rows:
        first = measured_with.setdefault(row.command, row.question) if row.command else ""
        repeated = first not in ("", row.question)
        yield replace(row, command="", cost=f"it comes with “{first}”") if repeated else row


def known_count(rows: Sequence[Measurement]) -> int:
    """Return how many rows have an answer."""
    return sum(bool(row.answer) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """A model as it is asked today; `name` is empty where nobody serves it."""

    name: str
    price: Price | None
    now: datetime

    @classmethod
    def of_page(cls, site: Site, page: EvaluatorPage) -> "_Asking":
        chief = [page.chief] if page.chief else []
        names = (_model_name(platform) for platform in (*chief, *page.platforms))
        name = next(filter(None, names), "")
        now = datetime.combine(site.as_of, time(), UTC)
        return cls(name=name, price=_price_of(name) if name else None, now=now)

    def pairs(self) -> tuple[str, str]:
        """Return how it is asked about labelled pairs, and what that costs."""
        command = f"epc judge pairs {_PAIRS} --judge {self.name} --out pairs.jsonl"
        return self._offered(command, self._cost(_PAIRS_READ, _PAIRS_WRITTEN))

    def repeats(self) -> tuple[str, str]:
        """Return how it is asked about the same pairs three times."""
        command = (
            f"epc judge pairs {_PAIRS} --judge {self.name} --askings {_REPEATS} "
            "--temperature 0.7 --out again.jsonl"
        )
        return self._offered(command, self._cost(_REPEATS * _PAIRS_READ, _REPEATS * _PAIRS_WRITTEN))

    def coupling(self) -> tuple[str, str]:
        """Return how its coupling is measured by the protocol."""
        command = f"epc run --evaluator {self.name} --executor {self.name} --exhaustive --out run"
        return self._offered(command, _run_cost(self.name, self.now) if self.name else "")

    def optimiser(self) -> tuple[str, str]:
        """Return how a log of an optimiser's under it is checked."""
        command = f"epc loop plan LOG --test items.jsonl --judge {self.name}"
        return self._offered(command, "two questions an item")

    def _offered(self, command: str, cost: str) -> tuple[str, str]:
        return (command, cost) if self.name else ("", _UNSERVED)

    def _cost(self, read: int, written: int) -> str:
        if self.price is None:
            return f"{read:,} tokens read, {written:,} written"
        return _dollars(float(self.price.cost(read, written)))


def _model_name(platform: Platform) -> str:
    """Return the name by which a model is asked on a platform; empty where it is not."""
    record = platform.record
    if not platform.standing.holds:
        return ""
    if record.platform == "local" and record.model in EMBEDDED_EVALUATORS:
        return f"local/{record.model}"
    if record.platform == OPEN_WEIGHTS:
        return f"{_SERVER}/{record.model}"
    provider = PROVIDER_OF.get(record.platform)
    return f"{provider}/{record.model}" if provider else ""


@lru_cache(maxsize=1024)
def _price_of(name: str) -> Price | None:
    try:
        return price_of(name)
    except UsageError:
        return None


@lru_cache(maxsize=1024)
def _run_cost(name: str, now: datetime) -> str:
    """Return what the forecast says of a run by the protocol with a model in both roles."""
    try:
        run = need(name, name, "exhaustive", seeds=_SEEDS, rounds=ROUNDS, pace=USUAL_PACE, now=now)
    except UsageError:
        return "352 calls"
    if run.cost is None:
        return f"{run.tokens_in:,.0f} tokens read, {run.tokens_out:,.0f} written"
    return _dollars(run.cost)


def _dollars(usd: float) -> str:
    return f"about ${max(0.01, usd):.2f}" if usd else "nothing but time"


def _served(page: EvaluatorPage) -> Measurement:
    chief = page.chief
    answer = f"{chief.standing.state.status_text} ({chief.record.platform})" if chief else ""
    if chief and chief.record.pinned:
        answer = f"for good: its weights are pinned ({chief.record.platform})"
    return Measurement(question="served until", answer=answer or "no platform's dates are known")


def _figure(page: EvaluatorPage, key: Key, title: str, missing: tuple[str, str]) -> Measurement:
    """Return the row of a figure that may be stated, or how it is measured."""
    figure = page.card.quotable.figure(key)
    if figure is None:
        return _missing(title, missing)
    return Measurement(
        question=title,
        answer=f"{_of_100(figure)} of 100{' †' * bool(figure.marks)}, {figure.source}, "
        f"{figure.items:,} items",
        dated=figure.dated,
        tags=(figure.tag,),
    )


def _of_100(figure: Figure | QuotableFigure) -> str:
    return figure_text(figure.value, figure.ci95, ".1c")


def _missing(title: str, how: tuple[str, str]) -> Measurement:
    command, cost = how
    return Measurement(question=title, command=command, cost=cost)


def _domains(registry: Registry, page: EvaluatorPage, asking: _Asking) -> Measurement:
    """Return how often it is right in each domain of what it is right in most often quoted."""
    title, figure = "right, by domain", page.card.quotable.figure("right")
    shares: dict[str, Figure] = {}
    if figure and figure.is_common:
        shares = right_by_domain(registry, page.card.quotable)
    elif figure:
        shares = _by_subset(registry, figure)
    named = [(name, share) for name, share in shares.items() if name != ALL]
    if figure is None or not named:
        return _missing(title, asking.pairs())
    answer = "; ".join(f"{name.rpartition('/')[2]} {_of_100(share)}" for name, share in named)
    return Measurement(question=title, answer=answer, dated=figure.dated, tags=(figure.tag,))


def _by_subset(registry: Registry, figure: QuotableFigure) -> dict[str, Figure]:
    for group in _groups(registry, figure):
        if group.settings[0] == figure.setting:
            return {
                subset: figures[figure.name]
                for subset, figures in group.by_subset.items()
                if figure.name in figures
            }
    return {}


def _groups(registry: Registry, figure: QuotableFigure) -> Sequence[Group]:
    return parse(registry.snapshots[figure.tag].figures, Figures).groups


def _coupling(page: EvaluatorPage, asking: _Asking) -> Measurement:
    coupling = page.card.coupling
    if coupling is None:
        return _missing("coupling", asking.coupling())
    return Measurement(
        question="coupling", answer=coupling.says, dated=coupling.dated, tags=(coupling.tag,)
    )


def _optimised(page: EvaluatorPage, asking: _Asking) -> Measurement:
    title = "under an optimiser"
    if not page.card.optimised:
        return _missing(title, asking.optimiser())
    tags = tuple(loop.row.tag for loop in page.loops[-1:])
    return Measurement(
        question=title, answer=" ".join(starts_sentences(page.card.optimised)), tags=tags
    )


def _price(registry: Registry, page: EvaluatorPage, asking: _Asking) -> Measurement:
    """Return what 1,000 questions cost, or how much it reads and writes for one."""
    title, figure = "price", page.card.quotable.figure("right", "places")
    ways = registry.choices.ways if registry.choices else ()
    quoted = [w for w in ways if figure and (w.tags, w.askings) == ((figure.tag,), figure.askings)]
    if figure and quoted and quoted[0].usd is not None:
        answer = price_text(quoted[0].usd)
        return Measurement(question=title, answer=answer, dated=figure.dated, tags=(figure.tag,))
    if figure and (tokens := _tokens(registry, figure)):
        free = "nothing but time: " if asking.name.startswith("local/") else ""
        return Measurement(
            question=title, answer=f"{free}{tokens}", dated=figure.dated, tags=(figure.tag,)
        )
    return _missing(title, asking.pairs())


def _tokens(registry: Registry, figure: QuotableFigure) -> str:
    for group in _groups(registry, figure):
        counts = [group.figures.get(name) for name in _TOKENS]
        if group.settings[0] == figure.setting and all(counts):
            read, written = (count.value for count in counts if count)
            return f"{read:,.0f} tokens read and {written:,.1f} written a verdict"
    return ""


def _faults(page: EvaluatorPage) -> Measurement:
    listed = list(faults(page.card))
    tags: Iterator[str] = (tag for _, _, subjects in listed for tag in subjects)
    answer = (
        f"{len(listed)}: {', '.join(name for name, _, _ in listed)}" if listed else "none known"
    )
    return Measurement(question="known faults", answer=answer, tags=tuple(dict.fromkeys(tags)))
