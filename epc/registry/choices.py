"""The table of ways to decide, brought up to date from the verdicts that a registry keeps.

Beside the ways stand what picking by a judge gains, and what it pays an optimiser for.

`params.yaml` says which prompts of which source are compared: a source's plain ones, so that no
judge has the best of several prompts. `snapshots/choices.json` is what `epc which` answers from.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from pathlib import Path

from epc.analysis.choice_table import BenchmarkJudge, PriceOf, choices
from epc.analysis.selection import bank_of, selections
from epc.analysis.verdicts_rows import fits
from epc.errors import UsageError
from epc.records.choices import PICKED, Choices, Picked
from epc.records.strict_json import dumps_line, write_text
from epc.records.typed import as_json, parse
from epc.records.verdicts.columns import Verdicts, joined
from epc.registry import layout
from epc.registry.kinds.loop import paid_in
from epc.registry.reading import malformed, of_folder
from epc.registry.snapshots import Snapshot
from epc.registry.succession import VerdictStore
from epc.registry.verdicts import kept_verdicts
from epc.registry.writing import RegistryLock
from epc.statistics.figures import Figure
from epc.statistics.gains import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class _ComparisonSettings:
    """Sources to compare: `settings` are patterns of the settings' names, by the source's name."""

    benchmark: str
    decides: str
    chance: float
    settings: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameters:
    """The part of params.yaml that says so."""

    choices: _ComparisonSettings


def write_choices(lock: RegistryLock, price_of: PriceOf) -> Path:
    """Bring the table up to date with the verdicts that are kept, and return its path.

    Raises: UsageError if no verdicts of the sources are kept; MalformedError if params.yaml does
    not say what is compared; WorldError if the disk fails.
    """
    path = lock.home / layout.CHOICES
    document = dumps_line(as_json(choices_of(lock.checkout, price_of)))
    if not path.is_file() or path.read_text("utf-8") != document:
        write_text(path, [document])
    return path


def choices_of(checkout: Path, price_of: PriceOf) -> Choices:
    """Return the table as the kept verdicts give it.

    Raises: as `write_choices`.
    """
    compared = compared_in(checkout)
    store = VerdictStore.from_registry(of_folder(checkout), str(checkout))
    judges = [*compared_judges(store, compared.settings)]
    if not judges:
        raise UsageError(f"no verdicts are kept of {' or '.join(compared.settings)}")
    table = choices(
        [judge for judge, _ in judges],
        joined([verdicts for _, verdicts in judges]),
        price_of,
        benchmark=compared.benchmark,
        decides=compared.decides,
        chance=compared.chance,
    )
    picked = {judge.tag: dict(_picked(judge.tag, verdicts)) for judge, verdicts in judges}
    loops = (s for s in store.registry.snapshots.values() if s.kind == "loop")
    paid = {str(s.tag): dict(_paid(store, s)) for s in loops}
    return replace(table, picked={t: gains for t, gains in picked.items() if gains}, paid=paid)


def _paid(store: VerdictStore, snapshot: Snapshot) -> Iterator[tuple[str, Exchange]]:
    """Yield by start what the judge of an optimiser's runs pays for."""
    with store.folder(snapshot) as folder:
        for start, exchange in paid_in(folder).items():
            yield start, Exchange(price=_rounded(exchange.price), taste=_rounded(exchange.taste))


def _picked(tag: str, verdicts: Verdicts) -> Iterator[tuple[str, Picked]]:
    """Yield by domain what the best of all answers by one asking gains."""
    bank = bank_of(tag, verdicts)
    for done in selections([bank], 1) if bank else ():
        for name, domain in done.domains.items():
            last = domain.gains[-1]
            figures = {n: _rounded(last.figures[n]) for n in PICKED if n in last.figures}
            yield name, Picked(n=last.n, questions=domain.items, figures=figures)


def _rounded(figure: Figure) -> Figure:
    """Return a figure as exact as anybody prints it: the table is part of the look-up package."""
    value, low, high = (round(x, 4) for x in (figure.value or 0.0, *(figure.ci95 or (nan, nan))))
    return Figure(value=value, ci95=None if isnan(low) else (low, high))


def compared_judges(
    store: VerdictStore, settings: Mapping[str, Sequence[str]]
) -> Iterator[tuple[BenchmarkJudge, Verdicts]]:
    """Yield each judge of the sources that are compared, and what it said in these settings."""
    for source, snapshots in store.by_source.items():
        patterns = () if isinstance(source, str) else settings.get(source.name, ())
        for snapshot in snapshots if patterns else ():
            with store.folder(snapshot) as folder:
                header, verdicts = kept_verdicts(folder)
            chosen = {n: s for n, s in header.settings.items() if fits([n], patterns)}
            judge_verdicts = verdicts[verdicts.are_of(chosen)]
            if len(judge_verdicts):
                prompts = dict.fromkeys(setting.prompt.name for setting in chosen.values())
                judge = BenchmarkJudge(
                    model=snapshot.tag.generation,
                    tag=str(snapshot.tag),
                    source=header.source.name,
                    prompt=" or ".join(prompts),
                    settings=frozenset(chosen),
                )
                yield judge, judge_verdicts


def compared_in(checkout: Path) -> _ComparisonSettings:
    """Return what params.yaml says is compared.

    Raises: MalformedError if it does not say so.
    """
    import yaml

    path = checkout / layout.POLICY
    try:
        return parse(yaml.safe_load(path.read_text("utf-8")), _Parameters).choices
    except (yaml.YAMLError, LookupError, TypeError, ValueError) as error:
        problem = f"does not say what is compared: {error!r}"
        raise malformed(path, problem) from error
