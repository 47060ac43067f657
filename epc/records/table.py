"""A run's verdict table, from its calls or from its trials."""

from collections.abc import Iterable, Iterator, Mapping

from epc.core.config import Configuration
from epc.core.prompt import Pair, evaluation_text, executor_prompt
from epc.core.results import Json
from epc.core.table import Cell, VerdictTable, tabulate
from epc.core.verdict import Verdict, parse_verdict
from epc.records.calls import Call
from epc.spec.epc_v1 import DOMAINS, PHASES, Domain

_DOMAIN_OF = {phase.name: phase.domain for phase in PHASES}


def table_of_calls(
    config: Configuration, calls: Mapping[str, Call], executor_template: str | None
) -> VerdictTable:
    """Return the table of a run that reused its answers, every comparison counted once.

    Each pair's prompts are rendered and looked up, so an exhaustive run's table is complete
    however few seeds it had. Calls that asked again (`recheck/`) are left out.
    """
    said = {
        (call.role, call.prompt): call.answer for call in calls.values() if call.occasion is None
    }
    return _table(config, _cells_of_calls(config, said, executor_template), repeated=True)


def table_of_trials(config: Configuration, trials: Iterable[Json]) -> VerdictTable:
    """Return the table of a run that asked every round afresh."""
    names = {strategy.name: index for index, strategy in enumerate(config.strategies)}
    cells = (
        Cell(
            domain=_DOMAIN_OF[row["phase"]],
            strategy=names[row["strategy"]],
            task=int(row["task"]),
            verdict=Verdict(row["verdict"]),
        )
        for row in trials
    )
    return _table(config, cells, repeated=False)


def pairs_of_calls(
    config: Configuration, said: Mapping[tuple[str, str], str], executor_template: str | None
) -> Iterator[tuple[Domain, int, int, Pair]]:
    """Yield domain, strategy, task and the pair of answers wherever both answers are on record."""
    prompts = [strategy.prompt for strategy in config.strategies]
    baseline = prompts[config.baseline_index] if executor_template is not None else ""

    def answer(prompt: str, task: str) -> str | None:
        if executor_template is None:
            return None
        asked = executor_prompt(strategy_prompt=prompt, task=task, template=executor_template)
        return said.get(("executor", asked))

    for domain in DOMAINS:
        for index, task in enumerate(config.tasks[domain]):
            against = answer(baseline, task)
            for strategy, prompt in enumerate(prompts):
                response = answer(prompt, task)
                if executor_template is None or None not in (response, against):
                    name = config.strategies[strategy].name
                    pair = Pair(
                        domain=domain,
                        task=task,
                        strategy=name,
                        response=response,
                        baseline=against,
                    )
                    yield domain, strategy, index, pair


def _cells_of_calls(
    config: Configuration, said: Mapping[tuple[str, str], str], executor_template: str | None
) -> Iterator[Cell]:
    for domain, strategy, task, pair in pairs_of_calls(config, said, executor_template):
        text = evaluation_text(pair, method=config.method, template=config.evaluator_prompt)
        raw = said.get(("evaluator", text))
        if raw is not None:
            yield Cell(domain=domain, strategy=strategy, task=task, verdict=parse_verdict(raw))


def _table(config: Configuration, cells: Iterable[Cell], *, repeated: bool) -> VerdictTable:
    return tabulate(
        cells,
        strategies=len(config.strategies),
        tasks={domain: len(config.tasks[domain]) for domain in DOMAINS},
        repeated=repeated,
    )
