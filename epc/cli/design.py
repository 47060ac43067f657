"""`epc design`: new, check, show, diff."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epc.cli.common import exit_with, now, print_findings, print_note, print_result
from epc.cli.countdown import spread
from epc.cli.options import NEW_FILE, format_option
from epc.cli.planning import CROSSING
from epc.errors import UsageError, WorldError

if TYPE_CHECKING:
    from epc.analysis.comparability import Difference
    from epc.audit.power import Outcome
    from epc.records.designs import Design
    from epc.simulation.study_runs import Reuse

_SEEDS = 30
_RUNS = 100  # simulated measurements that a power rests on
_WIDTH = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many tasks a domain has, and in how many groups; None is each task by itself."""

    tasks: int
    groups: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSummary:
    """Summary of a design; `calls` are those of 30 seeds, by way of asking."""

    name: str
    description: str
    protocol_version: str
    labels: Sequence[str]
    rounds: int
    rule: dict[str, Any]
    strategies: int
    domains: Mapping[str, Sizes]
    calls: Mapping[str, int]
    differences: "Sequence[Difference]"
    checker: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignPower:
    """How often the audit calls a stated evaluator coupled, by way of asking."""

    evaluator: str
    domains: Sequence[str]
    answers: str
    ways: "Mapping[Reuse, Outcome]"

    def as_json(self) -> dict[str, Any]:
        """Return what `--format json` prints."""
        ways = {
            way: {"power": needs.power, "power_ci95": needs.interval, "runs": needs.runs}
            for way, needs in self.ways.items()
        }
        document = {"evaluator": self.evaluator, "domains": self.domains, "answers": self.answers}
        return {**document, "ways": ways}

    def lines(self) -> Iterator[str]:
        """Yield what is printed."""
        yield ""
        yield (
            f"how often the audit says `coupled` of {self.evaluator} "
            f"({' and '.join(self.domains)}, {_SEEDS} seeds, the reference's learning rule, "
            f"answers repeat {self.answers}):"
        )
        for way, needs in self.ways.items():
            low, high = needs.interval
            figure = f"{needs.power:.2f} ({low:.2f} to {high:.2f})"
            yield f"  {way:<{_WIDTH}}{figure}, {needs.runs} simulated measurements"


@click.group()
def command() -> None:
    """Your own question: tasks, strategies, prompts and rule of a measurement, in a file.

    A design names its domains, two or more. Of three, every ordered pair is measured in one run.
    """


@command.command()
@click.argument("file", required=False, type=NEW_FILE)
@click.option(
    "--from",
    "source",
    metavar="NAME",
    help="Begin with a design that the program brings: reference, reference-64, reviews or "
    "support-en-es.",
)
def new(file: Path | None, source: str | None) -> None:
    r"""Write an example design with comments to FILE, or to standard output.

    A file that is there stays as it is.

    \b
    Example:
      epc design new mine.yaml
      epc design new --from reference > mine.yaml
    """
    from epc.records.designs import NAMES, example, text

    if source is not None and source not in NAMES:
        raise UsageError(f"there is no design {source!r}: the program brings {', '.join(NAMES)}")
    content = example() if source is None else text(source)
    if file is None:
        click.echo(content, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(content)
    except FileExistsError:
        raise UsageError(f"{file} is there already: choose another name") from None
    except OSError as error:
        raise WorldError(f"cannot write {file}: {error.strerror or error}") from error
    print_note(f"{file} is written; change it, then: epc design check {file}")


@command.command()
@click.argument("designs", nargs=-1, required=True, metavar="FILE...")
@format_option
def check(designs: tuple[str, ...], form: str) -> None:
    r"""List everything that is wrong with a design, each with its line and clause.

    As JSON, one line a file. Exits 1 if anything worse than a warning was found.

    \b
    Example:
      epc design check mine.yaml
    """
    from epc.records.designs import check as check_design

    ok = True
    for source in designs:
        checked = check_design(source)
        ok = ok and checked.ok
        print_findings(checked, form)
    exit_with(clean=ok)


@command.command()
@click.argument("design", metavar="FILE|NAME")
@click.option(
    "--power",
    metavar="[EVALUATOR]",
    is_flag=False,
    flag_value=CROSSING,
    help="Also say how often the audit calls such an evaluator `coupled`: EVALUATOR is written as "
    f"for `epc simulate`. Without one: {CROSSING}.",
)
@format_option
def show(design: str, power: str | None, form: str) -> None:
    r"""Show the variant tag that a design makes, what differs from the reference, what it asks.

    The calls are those of 30 seeds. What they cost with your models: `epc run --design FILE
    --evaluator MODEL --executor MODEL --dry-run`. With --power, whole measurements of the design
    are simulated: 10 seconds or more.

    \b
    Example:
      epc design show mine.yaml
      epc design show mine.yaml --power
      epc design show reference-64 --power domain-favourites:high=0.6,low=0.4
    """
    from epc.records.designs import Design

    loaded = Design.load(design)
    design_text = _summary_of(loaded)
    powered = None if power is None else _power(loaded, power)
    print_result(
        form,
        lambda: asdict(design_text) | ({"power": powered.as_json()} if powered else {}),
        lambda: (*_lines(design_text), *(powered.lines() if powered else ())),
    )


@command.command()
@click.argument("first", metavar="FILE|NAME")
@click.argument("second", metavar="FILE|NAME")
@format_option
def diff(first: str, second: str, form: str) -> None:
    r"""Say in which parts two designs differ. Exits 1 if they do.

    \b
    Example:
      epc design diff reference mine.yaml
    """
    from dataclasses import asdict

    from epc.analysis.comparability import differences
    from epc.records.designs import Design

    changes = differences(Design.load(first), Design.load(second))
    lines = [f"{change.part:<{_WIDTH}}{change.how}" for change in changes]
    print_result(
        form,
        lambda: [asdict(change) for change in changes],
        lambda: lines or ["the two ask the same"],
    )
    exit_with(clean=not changes)


def _summary_of(design: "Design") -> "DesignSummary":
    """Return what is to be said of a design."""
    from functools import partial

    from epc.analysis.comparability import differences
    from epc.engine.cost_estimate import WAYS, Pace, need
    from epc.protocol.config import variant_labels, variant_tag
    from epc.protocol.rules import rule_json
    from epc.records.designs import packaged

    config = design.config
    pace, moment = Pace(seconds=0, at_once=1), now()
    needed = partial(need, None, None, seeds=_SEEDS, rounds=config.rounds, pace=pace, now=moment)
    ways = {way: needed(way, design=design) for way in WAYS}
    return DesignSummary(
        name=design.name,
        description=design.description,
        protocol_version=variant_tag(config),
        labels=variant_labels(config),
        rounds=config.rounds,
        rule=rule_json(config.rule),
        strategies=len(config.strategies),
        domains={
            domain: Sizes(
                tasks=len(tasks),
                groups=len(set(config.groups[domain])) if config.groups else None,
            )
            for domain, tasks in config.tasks.items()
        },
        calls={way: round(need.calls) for way, need in ways.items()},
        differences=tuple(differences(packaged("reference"), design)),
        checker=design.checker,
    )


def _power(design: "Design", evaluator: str) -> "DesignPower":
    """Return the power for the two smallest domains of a design, each with its own tasks.

    Its groups are taken as topics of equal size. Answers repeat as the published models' do.
    """
    from epc.audit.pilot import PUBLISHED
    from epc.audit.power import population_of, powers
    from epc.cli.planning import require_coupled

    require_coupled(evaluator)
    config = design.config
    small = sorted(config.tasks, key=lambda domain: (len(config.tasks[domain]), domain))[:2]
    fewest, second_fewest = (len(config.tasks[domain]) for domain in small)
    groups = config.groups and [len(set(config.groups[domain])) for domain in small]
    population = population_of(
        evaluator, PUBLISHED, strategies=len(config.strategies), rounds=config.rounds
    )
    population = replace(
        population,
        tasks=(fewest, second_fewest),
        declared=groups is not None,
        topic=max(1, round((fewest + second_fewest) / sum(groups))) if groups else 1,
    )
    ways = powers(population, spread, seeds=_SEEDS, runs=_RUNS)
    return DesignPower(evaluator=evaluator, domains=small, answers=PUBLISHED.source, ways=ways)


def _lines(design_text: "DesignSummary") -> list[str]:
    from epc.protocol.rules import rule_of, rule_text

    def row(name: str, value: object) -> str:
        return f"{name:<{_WIDTH}}{value}"

    lines = [
        row("design", f"{design_text.name}: {design_text.description}".rstrip(": ")),
        row("tag", design_text.protocol_version),
        row("rounds", design_text.rounds),
        row("rule", rule_text(rule_of(design_text.rule))),
        row("strategies", design_text.strategies),
    ]
    for domain, sizes in design_text.domains.items():
        units = "each by itself" if sizes.groups is None else f"in {sizes.groups} groups"
        lines.append(row(domain, f"{sizes.tasks} tasks, {units}"))
    calls = ", ".join(f"{count:,} {way}" for way, count in design_text.calls.items())
    lines.append(row(f"calls, {_SEEDS} seeds", calls))
    if design_text.checker:
        lines.append(row("checker", design_text.checker))
    lines += ["", "against the reference (first) it has (second):"]
    lines += [f"  {row(difference.part, difference.how)}" for difference in design_text.differences]
    return lines if design_text.differences else [*lines[:-1], "it asks what the reference asks"]
