"""A run's verdict table, from its calls or from its rounds."""

from collections.abc import Iterable, Iterator, Mapping

from epc.core.config import Configuration
from epc.core.prompt import Pair, evaluation_text, executor_prompt
from epc.core.table import Cell, VerdictTable, tabulate
from epc.core.verdict import parse_verdict
from epc.records.calls import Call
from epc.spec.epc_v1 import DOMAINS, Domain


def table_of_run(
    config: Configuration,
    *,
    calls: Mapping[str, Call],
    played: Iterable[Cell],
    reuse: bool,
    executor_template: str | None,
) -> VerdictTable:
    """Return a run's verdict table.

    Where every round was asked afresh, each that was played counts. Where answers were reused,
    each comparison counts once: every pair's prompts are rendered and looked up among the calls,
    so an exhaustive run's table is complete however few seeds it had. Calls that asked again
    (`recheck/`) are left out.
    """
    if not reuse:
        return _table(config, played, repeated=False)
    said = {
        (call.role, call.prompt): call.answer for call in calls.values() if call.occasion is None
    }
    return _table(config, _cells_of_calls(config, said, executor_template), repeated=True)


def pairs_of_calls(
    config: Configuration, said: Mapping[tuple[str, str], str], executor_template: str | None
) -> Iterator[tuple[Domain, int, int, Pair]]:
    """Yield domain, strategy, task and the pair of answers wherever both answers are on record."""
    prompts = {strategy.name: strategy.prompt for strategy in config.strategies}
    baseline = prompts.get(config.baseline, "")

    def answer(prompt: str, task: str) -> str | None:
        if executor_template is None:
            return None
        asked = executor_prompt(strategy_prompt=prompt, task=task, template=executor_template)
        return said.get(("executor", asked))

    for domain in DOMAINS:
        for index, task in enumerate(config.tasks[domain]):
            against = answer(baseline, task)
            for strategy, (name, prompt) in enumerate(prompts.items()):
                response = answer(prompt, task)
                if executor_template is None or None not in (response, against):
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
