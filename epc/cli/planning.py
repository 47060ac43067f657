"""Report of `epc plan`: how often each design is called coupled, at what cost."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from epc.audit.pilot import Answering
    from epc.audit.power import Plan
    from epc.engine.cost_estimate import Need
    from epc.protocol.results import Json
    from epc.records.manifest import Manifest
    from epc.simulation.study_runs import Reuse
    from epc.statistics.intervals import Interval

CROSSING = "domain-favourites:high=0.7,low=0.4"
_REFERENCE_PAIRS = 11 * 8  # of a domain


def require_coupled(evaluator: str) -> None:
    """Raise UsageError unless a synthetic evaluator's preferences cross, so that it has a power."""
    from epc.errors import UsageError
    from epc.simulation.evaluators import couples

    if not couples(evaluator):
        raise UsageError(
            "--power asks how often a stated difference is found: name an evaluator whose domains "
            f"differ, such as {CROSSING}"
        )


def pilot_of(name: str) -> "Answering":
    """Return how a pilot's evaluator answers: a run, or a published snapshot by folder or tag.

    Raises: UsageError if it is too small or publishes no verdicts; MalformedError.
    """
    from epc.audit.pilot import answering
    from epc.records.manifest import verdict_table

    manifest = manifest_named(name)
    determinism = manifest.results.summary.determinism
    return answering(
        verdict_table(manifest),
        flips=determinism.verdict_flips if determinism else 0,
        asked_again=determinism.comparisons if determinism else 0,
        source=f"as measured in {name}",
    )


def manifest_named(name: str) -> "Manifest":
    """Return the manifest of a run, or of a published snapshot by folder or tag.

    Raises: UsageError if it publishes no verdicts; MalformedError.
    """
    from epc.errors import UsageError
    from epc.records import strict_json
    from epc.records.layout import MANIFEST
    from epc.records.manifest import Manifest
    from epc.records.recompute import load_manifest
    from epc.registry.reading import nearest_checkout

    folder = Path(name)
    if not folder.exists():
        folder = nearest_checkout() / "snapshots" / name
    if (folder / "snapshot.json").exists():
        if not (folder / MANIFEST).exists():
            raise UsageError(f"{name} publishes weights without verdicts: name another one")
        value, problems = strict_json.read(folder / MANIFEST)
        if problems:
            raise UsageError(str(problems[0]))
        return Manifest.parse(value)
    return load_manifest(folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A design, the power that it was simulated to have, and what it costs."""

    tasks: int
    seeds: int
    reuse: "Reuse"
    recommended: bool
    repeats_of_a_pair: float
    power: float
    power_ci95: "Interval"
    runs: int
    regret_width: float | None
    calls: float
    cost: float | None

    def line(self, *, priced: bool) -> str:
        """Return the design as a line of the table."""
        low, high = self.power_ci95
        cost = "unknown" if self.cost is None else f"{self.cost:,.2f}"
        cost = cost if priced else "-"
        width = "-" if self.regret_width is None else f"{self.regret_width:.2f}"
        return (
            f"{self.tasks:>14}{self.seeds:>7}  {self.reuse:<12}"
            f"{self.repeats_of_a_pair:>8.1f}{self.calls:>10,.0f}{cost:>10}{self.power:>8.2f}"
            f"{f'{low:.2f} to {high:.2f}':>15}{width:>17}{' <' if self.recommended else ''}"
        )


def options_of(plan: "Plan", priced: "Callable[..., Need]", strategies: int) -> Iterator[Option]:
    """Yield each design of a plan with what it costs."""
    for design, outcome in plan.outcomes.items():
        need = priced(
            design.reuse, seeds=design.seeds, pairs=design.tasks * strategies / _REFERENCE_PAIRS
        )
        verdicts = design.verdicts(strategies=strategies)
        yield Option(
            **asdict(design),
            recommended=design == plan.recommended,
            repeats_of_a_pair=verdicts / (2 * strategies * design.tasks),
            power=outcome.power,
            power_ci95=outcome.interval,
            runs=outcome.runs,
            regret_width=outcome.width,
            calls=need.calls,
            cost=need.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport:
    """Result of a plan, design by design; `wanted` is the power that was asked for."""

    wanted: float | None
    answers: "Answering"
    strategies: int
    options: tuple[Option, ...]
    tasks_help_more: bool

    @property
    def recommended(self) -> Option | None:
        """The design to take, if one reaches what is wanted."""
        return next((option for option in self.options if option.recommended), None)

    def as_json(self) -> "Json":
        """Return the plan as JSON."""
        answers, best = self.answers, self.recommended
        return {
            "wanted": self.wanted,
            "answers": {**asdict(answers), "interaction": answers.interaction},
            "strategies": self.strategies,
            "designs": [asdict(option) for option in self.options],
            "recommended": None if best is None else asdict(best),
            "tasks_help_more_than_seeds": self.tasks_help_more,
        }

    def lines(self, subject: str, *, priced: bool) -> list[str]:
        """Return the plan as text; costs are known where models are named."""
        answers = self.answers
        lines = [
            f"how often the audit says `coupled` of {subject}, {self.strategies} strategies",
            (
                f"of a verdict's variance {100 * answers.repeats:.0f}% comes again when the pair "
                f"is asked again: {100 * answers.interaction:.0f}% is a strategy's on one task, "
                f"{100 * answers.alike:.0f}% the task's for all strategies ({answers.source})"
            ),
            "",
            (
                f"{'tasks a domain':>14}{'seeds':>7}  {'asked':<12}{'a pair':>8}{'calls':>10}"
                f"{'USD':>10}{'power':>8}{'95% interval':>15}{'width of regret':>17}"
            ),
        ]
        lines += [option.line(priced=priced) for option in self.options]
        lines += ["", self._recommendation()]
        if self.tasks_help_more:
            lines.append(
                "tasks help more than seeds: four times the tasks beat four times the seeds"
            )
        return lines

    def _recommendation(self) -> str:
        width, best = self.wanted, self.recommended
        if width is None:
            return "no power was wanted: --power 0.9 recommends a design"
        if best is None:
            return f"no design here reaches a power of {width:g}: take still more tasks"
        how = "every pair once" if best.reuse == "exhaustive" else "every round anew"
        return (
            f"power {width:g}: take {best.tasks} tasks in each domain, ask {how}, "
            f"{best.seeds} seeds: {best.power:.2f} of {best.runs} simulated measurements are "
            "called coupled"
        )
