"""A run's own answers and comparisons, with what they are answers to and comparisons of."""

from collections.abc import Iterable, Iterator, Mapping

from epc.audit.probes import Answer, Probe
from epc.protocol.config import Configuration
from epc.protocol.prompt import executor_prompt
from epc.protocol.results import Json
from epc.records.calls import Call
from epc.spec.epc_v1 import DOMAINS, PHASE, Domain


def answers_of(config: Configuration, calls: Mapping[str, Call], template: str) -> Iterator[Answer]:
    """Yield every answer of the executor with the strategy and task that it was given for."""
    asked: dict[str, tuple[Domain, int, int]] = {}
    for domain in DOMAINS:
        for task, text in enumerate(config.tasks[domain]):
            for index, strategy in enumerate(config.strategies):
                prompt = executor_prompt(
                    strategy_prompt=strategy.prompt, task=text, template=template
                )
                asked.setdefault(prompt, (domain, task, index))
    for name, call in calls.items():
        if call.role == "executor" and call.prompt in asked:
            domain, task, index = asked[call.prompt]
            yield Answer(call=name, domain=domain, task=task, strategy=index, text=call.answer)


def comparisons_of(
    config: Configuration, trials: Iterable[Json], calls: Mapping[str, Call]
) -> list[Probe]:
    """Return the distinct comparisons of a run's rounds, as they were asked.

    Each names the call with the run's own verdict in `evaluation`.
    """
    strategies = {strategy.name: index for index, strategy in enumerate(config.strategies)}

    def answer(row: Json, side: str, strategy: int) -> Answer:
        domain, name = PHASE[row["phase"]].domain, row[side]
        return Answer(
            call=name,
            domain=domain,
            task=int(row["task"]),
            strategy=strategy,
            text=calls[name].answer,
        )

    met: dict[str, Probe] = {}
    for row in trials:
        if row["evaluation"] not in met:
            met[row["evaluation"]] = Probe(
                kind="swap",
                answer=answer(row, "response", strategies[row["strategy"]]),
                against=answer(row, "baseline", config.baseline_index),
                evaluation=row["evaluation"],
                first="answer",
            )
    return list(met.values())
