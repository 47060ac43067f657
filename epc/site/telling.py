"""A snapshot's result and story in plain words: the answer, what may be claimed, who checked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from epc.answers import words
from epc.audit.coupling import Into
from epc.audit.facts import Word
from epc.printable import begun
from epc.registry.figures import Figure
from epc.registry.kinds.loop import reports_of
from epc.registry.kinds.table import KINDS
from epc.registry.record import Citation, Origin, Record, Trust
from epc.registry.snapshots import FAILED
from epc.report.coupling_text import MEANING, beyond_chance
from epc.report.document import sentence
from epc.report.figure_names import in_words
from epc.report.loop_text import starts_sentences
from epc.simulation.training import Band
from epc.site import describing
from epc.site.pages import Direction, EvaluatorPage, Row, SnapshotPage
from epc.spec.domains import Pair
from epc.statistics.figures import NO_INTERVAL, ClusteredFigure, figure_text, number_text

_CORRELATION: Final = "rank_correlation"
_COUPLED: Final = "Training on its verdicts in one domain changes choices in another, and costs"
_MAY: Final[Mapping[Word, str]] = {
    "coupled": f"{_COUPLED} win rate there, on tasks like these and in this setting.",
    "no_coupling_beyond_margin": "Training in one domain first costs less than 2 points "
    "of win rate in the other, on tasks like these and in this setting.",
    "no_detectable_coupling": "It was measured, and the measurement decides nothing: it shows "
    "neither coupling nor its absence.",
}
_DECIDES_NOTHING: Final = "It was measured, and the measurement decides nothing."


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultBox:
    """A result box: a question, its answer, and what may and may not be said of it."""

    query: str
    answer: tuple[str, ...]
    may: tuple[str, ...]
    may_not: tuple[str, ...]


def no_baseline(page: EvaluatorPage) -> str:
    """Return why an evaluator has no baseline, and what is published of it instead."""
    if page.failed:
        return f"It has no baseline. What was published is of a failed run: {FAILED}."
    if page.baselines:
        return "It has no baseline: every published one was withdrawn."
    related = [*page.records, *page.judgments]
    if related:
        tags = ", ".join(related_page.row.tag for related_page in related)
        return f"Its coupling was not measured here. Published as a judge: {tags}."
    if page.card.means:
        return (
            f"Nothing is published under this name. It means {page.card.means}, whose figures "
            "stand below."
        )
    return "No measurement of it is in this registry."


def result_box(page: SnapshotPage, coin: Band | None, of_month: str) -> ResultBox:
    """Return a snapshot's result box, with the month of its figures.

    `coin` is what a coin flip's gamma is in its setting.
    """
    row, card = page.row, page.card
    if card.citation:
        return _reported(page, card.citation, coin, of_month)
    if card.origin:
        return _recorded(page, card.origin, of_month)
    if row.about == "loops":
        return _optimised(page, of_month)
    if row.about == "judgments":
        return _judged(page, of_month)
    return _measured(page, coin, of_month)


def _measured(page: SnapshotPage, coin: Band | None, of_month: str) -> ResultBox:
    row, name = page.row, page.card.evaluator.model
    word = row.verdict
    assert page.audit is not None  # every measured snapshot is audited
    crossing = [(direction, into) for direction in row.directions if (into := direction.into)]
    answer = [sentence(MEANING[page.audit.verdict]), *_largest_regret(crossing)]
    seeds = f"It rests on {row.n:,} seeds{_behind(of_month)}"
    if page.audit.unit:
        seeds += f", and on its {page.audit.unit}s being independent of each other"
    wrong = [] if row.failed or coin is None else [_gamma_shows_nothing(coin)]
    if word == "no_detectable_coupling":
        wrong.append(f"That {name} does not couple: the intervals leave room for it.")
    if word == "no_coupling_beyond_margin":
        wrong.append(f"That {name} has no preferences: they may differ without any cost.")
    return ResultBox(
        query=f"Does an agent that learns from the verdicts of {name} in one domain choose "
        f"otherwise in another ({_domains(row)})?",
        answer=(*answer, f"{seeds}."),
        may=(_MAY.get(page.audit.verdict, _DECIDES_NOTHING),),
        may_not=(
            *words.by_place(name, page.audit.equal_answers),
            *wrong,
            *_never(page.card),
        ),
    )


def _largest_regret(crossing: list[tuple[Direction, Into]]) -> Iterator[str]:
    """Yield the direction whose regret is largest, in a sentence with its noise."""
    if not crossing:
        return
    direction, into = max(crossing, key=lambda item: item[1].regret)
    pair = Pair.parse(direction.name)
    subject = "Where the regret is largest, training" if len(crossing) > 1 else "Training"
    share = f"an estimated {100 * into.redirected:.0f} of 100"
    interval, chance = _between(into.redirected_ci95, ".0f"), f"{100 * into.chance:.0f}"
    if beyond_chance(into):
        effect = f"{share} later choices in {pair.target}{interval}. Chance alone changes {chance}"
    else:
        effect = f"no more later choices in {pair.target} than chance alone: {share}{interval}, "
        effect += f"chance {chance}"
    yield (
        f"{subject} in {pair.source} first changes {effect}. The regret is estimated at "
        f"{number_text(into.regret, '+.1p')} points of win rate"
        f"{_between(into.regret_ci95, '+.1f')}."
    )


def _between(interval: tuple[float, float] | None, form: str) -> str:
    if interval is None:
        return " (no interval)"
    low, high = interval
    return f" (95% interval {100 * low:{form}} to {100 * high:{form}})"


def _domains(row: Row) -> str:
    pairs = [Pair.parse(direction.name) for direction in row.directions]
    return ", ".join(dict.fromkeys(name for pair in pairs for name in (pair.source, pair.target)))


def _gamma_shows_nothing(coin: Band) -> str:
    return (
        f"That gamma shows coupling: a coin flip has {coin.mean:.2f} here on average, and 90% of "
        f"its seeds lie between {coin.low:.2f} and {coin.high:.2f}."
    )


def _never(card: Record) -> Iterator[str]:
    """Yield what no snapshot of this origin can say."""
    if card.calibration:
        yield "Anything of a real evaluator: this is a mock, made to show what is measured then."
    if card.evaluator.proxy:
        yield "That it is the maker's own endpoint: a third party's gateway was asked."
    yield "Anything of another model, prompt or task, or of the days after its end."


def _reported(
    page: SnapshotPage, citation: Citation, coin: Band | None, of_month: str
) -> ResultBox:
    row, name = page.row, page.card.evaluator.model
    work = citation.work.partition(",")[0]
    answer = [f"{begun(_listed(page.figures))}; over {row.n:,} seeds{_behind(of_month)}."]
    if row.failed:
        answer = [f"Nothing: it is a failed run, because {row.snapshot.failure}."]
    elif row.directions and coin:
        answer.append(_against(row.directions[0].gamma, coin))
    return ResultBox(
        query=f"What does {work} print about {name}, in {citation.place}?",
        answer=tuple(answer),
        may=(f"That {work} prints these figures in {citation.place}.",),
        may_not=(
            f"That {name} couples, or that it does not: no control was published.",
            "That this registry measured it, or that anybody can compute it again without trials.",
            *_never(page.card),
        ),
    )


def _listed(figures: tuple[Figure, ...]) -> str:
    return "; ".join(
        f"{in_words(figure.name)} {figure_text(figure.mean, figure.interval, absent=NO_INTERVAL)}"
        for figure in figures
    )


def _against(gamma: Figure, coin: Band) -> str:
    among = f"({coin.low:.2f} to {coin.high:.2f} for 90% of seeds)"
    if coin.low <= gamma.mean <= coin.high:
        return f"Gamma is within the range of a coin flip {among}, so it does not show coupling."
    return (
        f"Gamma differs from a coin flip {among}. The run has no control, so the cause is unknown."
    )


def _judged(page: SnapshotPage, of_month: str) -> ResultBox:
    row, figures, name = page.row, page.row.snapshot.figures, page.card.evaluator.model
    targets = ", ".join(str(target["value"]) for target in figures["targets"])
    shares = "; ".join(
        f"{verdict} {figure_text(share['mean'], share['ci95'], '.1%')}"
        for verdict, share in figures["verdict"].items()
        if share["mean"] is not None
    )
    counted = f"Of {figures['valid']:,} valid evaluations{_behind(of_month)}"
    answer = [f"{counted}: {shares}." if shares else "Nothing valid."]
    answer.append(f"Invalid: {figures['invalid']['hits']:,} of {row.n:,} samples.")
    if row.failed:
        answer = [f"Nothing: it is a failed run, because {row.snapshot.failure}."]
    answer += [f"{remark}." for remark in figures.get("remarks") or ()]
    word = (figures.get("competence") or {}).get("word", "capable")
    unable = [f"That it can judge. Its test with spoilt texts: {word.replace('_', ' ')}."]
    return ResultBox(
        query=f"What does {name} say, under the judge protocol, of {row.n:,} samples of {targets}?",
        answer=tuple(answer),
        may=("What this judge said of these outputs, with this prompt.",),
        may_not=(
            "How good the outputs are: judges err, and judges that agree can be wrong together.",
            *(unable if word != "capable" else ()),
            "Anything about coupling: no agent learned from these verdicts.",
            *_never(page.card),
        ),
    )


def _optimised(page: SnapshotPage, of_month: str) -> ResultBox:
    name = page.card.evaluator.model
    return ResultBox(
        query=f"What happens to an optimiser under {name}: does it improve the work, or only what "
        "this judge says of it?",
        answer=(
            *starts_sentences(reports_of(page.row.snapshot)),
            f"The runs are of {of_month}.",
        ),
        may=("What this optimiser gained on these items under this judge.",),
        may_not=(
            "What another optimiser, task or prompt of the judge gains: epc loop measures it.",
            *_never(page.card),
        ),
    )


def _behind(of_month: str) -> str:
    """Return the month of figures as it stands behind their n."""
    return f", {of_month}" if of_month else ""


def _first(best: Figure, of_month: str) -> str:
    """Return the headline of recorded verdicts in a sentence, with its interval, n and month."""
    family = best.name.partition("/")[0]
    setting = best.name.split("/", 3 if family == "transfer" else 1)[-1]
    figure = ClusteredFigure(
        value=best.mean, ci95=best.interval, n=best.n or 0, items=best.items or 0
    )
    return f"In the setting {setting}, it {words.verdict_clause(best.name, figure)}{of_month}."


def _recorded(page: SnapshotPage, origin: Origin, of_month: str) -> ResultBox:
    row, best = page.row, page.row.headline
    name = page.card.evaluator.model
    count = f"{row.n:,} {KINDS[page.card.kind].unit}"
    silent = "are right, change with the place or are repeated"
    answer = [f"Nothing says whether these {count} {silent}."]
    if best and best.n:
        answer = [_first(best, _behind(of_month))]
        family = best.name.partition("/")[0]
        like = [f for f in page.figures if f.name.partition("/")[0] == family and not f.left_out]
        if len(like) > 1 and family not in ("transfer", _CORRELATION):
            low, high = (f"{100 * pick(f.mean for f in like):.1f}%" for pick in (min, max))
            answer.append(
                f"In {len(like)} settings this goes from {low} to {high}: it depends on how the "
                "judge is asked."
            )
    return ResultBox(
        query=f"What do the {count} of {name} show? Source: {origin.name}.",
        answer=tuple(answer),
        may=(f"What {origin.name} recorded in the setting named, at the snapshot's commit.",),
        may_not=(
            "Anything of the model as it is served today: nothing was measured for this registry.",
            "What the source does not state: nobody knows it.",
            *_never(page.card),
        ),
    )


_CHECKED: Final[Mapping[Trust, str]] = {
    "reported": "by nobody: its raw trials are not here, so nobody can compute it again",
    "observed": "its figures follow from the verdicts that the source recorded",
    "recomputed": "every figure follows from the raw files, which are kept here",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Step of a story: `day` is None where nobody states it."""

    day: date | None
    event: str
    how: str


def story(page: SnapshotPage) -> Iterator[Step]:
    """Yield what happened to a snapshot, from the measurement to the checks."""
    yield Step(
        day=page.row.snapshot.last_day,
        event=KINDS[page.card.kind].origin_phrase,
        how=_origin_text(page),
    )
    for event in page.events:
        sealed = f"SHA-256 of its record: {event.sha256}" if event.sha256 else ""
        yield Step(
            day=event.date, event=event.event, how="; ".join(filter(None, [event.reason, sealed]))
        )
    audit, before = page.audit, page.row.snapshot.earlier_word
    if audit and before:
        yield Step(
            day=None,
            event="audited anew",
            how=f"published as {before}; rule {audit.rule} says {audit.verdict}".replace("_", " "),
        )
    yield Step(day=None, event="checked", how=_CHECKED[page.card.trust])
    if repeated := page.card.replicates:
        command = f"epc compare {repeated} {page.card.tag}"
        how = f"it repeats {repeated}, and every interval of mean gamma shares a value: {command}"
        yield Step(day=None, event="compared", how=how)


def _origin_text(page: SnapshotPage) -> str:
    """Return who asked whom, and at which commit, as far as it is stated."""
    card = page.card
    name = describing.model(card.evaluator)
    days = describing.measured(card)
    if citation := card.citation:
        return (
            f"{citation.work}, {citation.place}, of {name}, measured {days}; "
            f"put into this registry by {card.contributor}"
        )
    if origin := card.origin:
        return (
            f"{origin.name}, {origin.repository} at commit {origin.commit}, "
            f"of {name}, {days}; put into this registry by {card.contributor}"
        )
    if page.row.about == "loops":
        return (
            f"{card.contributor} ran an optimiser under {name}, as it was recorded: {card.source}"
        )
    with_whom = f", with answers of {describing.model(card.executor)}" if card.executor else ""
    return f"{card.contributor} asked {name}{with_whom}, {days}"
