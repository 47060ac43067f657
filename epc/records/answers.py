"""A run's own answers and comparisons, with what they are answers to and comparisons of."""

from collections.abc import Iterable, Iterator, Mapping

from epc.audit.probes import Answer, Probe
from epc.protocol.config import Configuration
from epc.protocol.prompt import executor_prompt
from epc.records.row_types import Call, Trial


def answers_of(config: Configuration, calls: Mapping[str, Call], template: str) -> Iterator[Answer]:
    """Yield every answer of the executor with the strategy and task that it was given for."""
    by_prompt: dict[str, tuple[str, int, int]] = {}
    for domain, tasks in config.tasks.items():
        for task, text in enumerate(tasks):
            for index, strategy in enumerate(config.strategies):
                prompt = executor_prompt(
                    strategy_prompt=strategy.prompt, task=text, template=template
                )
                by_prompt.setdefault(prompt, (domain, task, index))
    for name, call in calls.items():
        if call.role == "executor" and call.prompt in by_prompt:
            domain, task, index = by_prompt[call.prompt]
            yield Answer(call=name, domain=domain, task=task, strategy=index, text=call.answer)


def comparisons_of(
    config: Configuration, trials: Iterable[Trial], calls: Mapping[str, Call]
) -> list[Probe]:
    """Return the distinct comparisons of a run's rounds, as they were asked.

    Each names the call with the run's own verdict in `evaluation`.
    """
    strategies = {strategy.name: index for index, strategy in enumerate(config.strategies)}

    def answer(trial: Trial, name: str | None, strategy: int) -> Answer:
        assert name is not None
        return Answer(
            call=name,
            domain=config.domains.phase[trial.phase].domain,
            task=trial.task,
            strategy=strategy,
            text=calls[name].answer,
        )

    met: dict[str | None, Probe] = {}
    for trial in trials:
        if trial.evaluation not in met:
            met[trial.evaluation] = Probe(
                kind="swap",
                answer=answer(trial, trial.response, strategies[trial.strategy]),
                against=answer(trial, trial.baseline, config.baseline_index),
                evaluation=trial.evaluation,
                first="answer",
            )
    return list(met.values())
