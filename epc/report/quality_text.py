"""Text of what is known of quality, beside a word about coupling (Reading R91)."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from epc.audit.quality import Detour, Quality, Work
from epc.report.document import Facts, Part, Section, Table
from epc.spec.coupling import UNKNOWN_QUALITY, NotMeasured
from epc.spec.domains import pair_title
from epc.statistics.figures import figure_text

if TYPE_CHECKING:
    from epc.analysis.selection import PickersQuality

_NOT_MEASURED: Final = UNKNOWN_QUALITY.removeprefix("quality: ")
SAYS: Final = {
    "gains": "what the judge teaches is better work",
    "harms": "what the judge teaches is worse work than choosing at random",
    "gain_not_shown": "it is not shown to be better work, nor worse",
}
_POINTS: Final = "+.1p"


def quality_line(quality: Quality | NotMeasured) -> str:
    """Return what is known of quality in a line."""
    if isinstance(quality, NotMeasured):
        return f"{_NOT_MEASURED}: {quality.why}; {quality.how}"
    return "; ".join(
        f"{work.word} in {domain}, gold gain {work.gold_gain.text(_POINTS)}"
        for domain, work in quality.domains.items()
    )


def parts(quality: Quality | NotMeasured) -> Iterator[Part]:
    """Yield what an agent is worth by gold, what a detour costs by it, and what a judge misses."""
    if isinstance(quality, NotMeasured):
        return
    sections: list[Part] = []
    for domain, work in quality.domains.items():
        sections += [Section(f"in {domain}: {work.word}", [*_of_work(work)], "open")]
    for direction, detour in quality.directions.items():
        sections += [Section(pair_title(direction), [Facts([*_of_detour(detour)])], "open")]
    yield Section("Quality by gold", sections, "open")


def of_pickers(done: "Iterable[PickersQuality]") -> Iterator[Part]:
    """Yield what each judge of a bank teaches an agent that chooses among the others' picks."""
    for result in done:
        rows = [
            ("strategies", f"hand in what is the highest for {', '.join(result.pickers)}"),
            ("items", f"{result.items:,} that all of them scored"),
            ("quality", quality_line(result.quality)),
        ]
        yield Section(result.judge, [Facts(rows), *parts(result.quality)], "open")


def _of_work(work: Work) -> Iterator[Part]:
    rows = [
        (
            "by gold at random",
            f"{work.start:.1%}, over {work.groups} tasks, {work.labels:,} labels",
        ),
        ("trained by judge", f"{work.gold_gain.text(_POINTS)} by gold: {SAYS[work.word]}"),
        ("as it sees it", work.proxy_gain.text(_POINTS)),
        ("trained by gold", _or_sparse(work.gold_trained_gain)),
        ("home floor", f"{work.floor:.0%} of choices differ after training on other tasks here"),
        ("blind spots", f"{len(work.blind)} pairs that gold separates and the judge does not"),
    ]
    yield Facts(rows)
    if work.blind:
        head = ("better, worse by gold", "by gold", "by the judge", "")
        yield Table("blind spots", [head, *_blind(work)])


def _blind(work: Work) -> Iterator[tuple[str, ...]]:
    for spot in sorted(work.blind, key=lambda blind_spot: -abs(blind_spot.gold.value or 0)):
        turned = (spot.gold.value or 0) < 0
        names = spot.strategies[::-1] if turned else spot.strategies
        figures = [
            figure_text(-f.value, (-f.ci95[1], -f.ci95[0]), _POINTS)
            if turned and f.value is not None and f.ci95 is not None
            else f.text(_POINTS)
            for f in (spot.gold, spot.judge)
        ]
        yield (", ".join(names), *figures, "reversed" if spot.reversed else "not separated")


def _of_detour(detour: Detour) -> Iterator[tuple[str, str]]:
    yield "lost by gold", detour.gold_loss.text(_POINTS)
    yield "by its verdicts", f"{detour.regret.text(_POINTS)}, of policies from other tasks"
    yield "trained by gold", _or_sparse(detour.gold_trained_loss)
    if detour.beyond is not None:
        yield "beyond that", detour.beyond.text(_POINTS)


def _or_sparse(figure: object) -> str:
    return "labels are too sparse to train by" if figure is None else format(figure, _POINTS)
