"""probes.jsonl: what a run's evaluator said when it was asked beside the measurement.

The manifest's digests do not cover the file: it may come, and grow, after the measurement. Each
row stands for itself instead. Its call's name is the digest of what was asked of whom, what was
asked follows from the run's own answers, and the verdict from the raw text.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from epc.audit.competence import AnsweredProbe
from epc.audit.probes import Answer, Probe
from epc.protocol.config import Configuration
from epc.protocol.prompt import executor_prompt
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict, parse_verdict
from epc.records.calls import answers_of, call_names, check_reply, read_calls
from epc.records.findings import Findings
from epc.records.layout import PROBES
from epc.records.manifest import Head, Manifest
from epc.records.rows import Call, ProbeRow, read_typed
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse
from epc.records.usage import Usage
from epc.spec.domains import Domain

_CLAUSE: Final = "EPC-5.3(4)"
_BAD: Final = {
    "shuffled": "shuffled words",
    "off_topic": "answers to another task",
    "refusing": "refusals",
}
_REMEDY: Final = f"restore {PROBES}, or remove it and ask again"


def row_of(probe: Probe, config: Configuration, call: Json) -> Json:
    """Return the row of probes.jsonl that a probe and its answer make."""
    return {
        "probe": probe.kind,
        "domain": probe.answer.domain,
        "task": probe.answer.task,
        "strategy": config.strategies[probe.answer.strategy].name,
        "answer": probe.answer.call,
        "against": None if probe.against is None else probe.against.call,
        "evaluation": probe.evaluation,
        "first": probe.first,
        "verdict": parse_verdict(call["answer"]).value,
        "call": call,
    }


class ProbeReader:
    """Reads a run's probes and checks each against the run's own answers."""

    def __init__(
        self, manifest: Head, calls: Mapping[str, Call], folder: Path, findings: Findings
    ) -> None:
        assert manifest.executor is not None
        self._config = manifest.configuration
        self._template = manifest.executor.prompt_template
        self._calls, self._folder, self._findings = calls, folder, findings
        self._names = call_names(manifest)["evaluator"]
        self._answers = {
            answer.call: answer for answer in answers_of(self._config, calls, self._template)
        }

    def read(self) -> list[AnsweredProbe]:
        """Return what was asked; what does not fit is noted and left out."""
        if not (self._folder / PROBES).exists():
            return []
        probes: dict[str, AnsweredProbe] = {}
        for index, row in read_typed(self._folder, ProbeRow, self._findings, clause=_CLAUSE):
            where = f"/probes/{index}"
            problems = schema_findings("call", row.call, where=f"{where}/call", clause=_CLAUSE)
            self._findings.extend(problems)
            if problems:
                continue
            probe, call = self._probe(where, row), parse(row.call, Call)
            check_reply(call, f"{where}/call", self._findings)
            if probe is None:
                continue
            departures = [*self._departures(row, call, probe)]
            if not departures and call.id in probes:
                departures = [("", "appears twice")]
            for field, problem in departures:
                self._note(where + field, problem)
            if departures:
                continue
            run_verdict = None
            if probe.evaluation is not None:
                run_verdict = parse_verdict(self._calls[probe.evaluation].answer)
            probes[call.id] = AnsweredProbe(
                probe=probe, verdict=Verdict(row.verdict), run_verdict=run_verdict
            )
        return list(probes.values())

    def _probe(self, where: str, row: ProbeRow) -> Probe | None:
        """Return the probe that a row says it is, if the run has what it is made of."""
        names = [strategy.name for strategy in self._config.strategies]
        domain, task = row.domain, row.task
        if row.strategy not in names or task >= len(self._config.tasks.get(domain, ())):
            self._note(where, f"{row.strategy!r} on {domain} task {task} is not of this run")
            return None
        answer = self._answer(row.answer, domain, task, names.index(row.strategy))
        against = None
        if row.probe == "swap":
            against = self._answer(row.against, domain, task, self._config.baseline_index)
        elif row.probe == "off_topic":
            against = self._answers.get(row.against or "")
        if answer is None:
            self._note(f"{where}/answer", f"{row.answer} is no such answer of this run")
            return None
        if against is None and row.probe in ("swap", "off_topic"):
            self._note(f"{where}/against", f"{row.against} is no such answer of this run")
            return None
        return Probe(
            kind=row.probe,
            answer=answer,
            against=against,
            evaluation=row.evaluation,
            first=row.first,
        )

    def _answer(self, name: str | None, domain: Domain, task: int, strategy: int) -> Answer | None:
        """Return an answer if it was given for this strategy and task."""
        call = self._calls.get(name) if name is not None else None
        prompt = executor_prompt(
            strategy_prompt=self._config.strategies[strategy].prompt,
            task=self._config.tasks[domain][task],
            template=self._template,
        )
        if call is None or (call.role, call.prompt) != ("executor", prompt):
            return None
        return Answer(call=call.id, domain=domain, task=task, strategy=strategy, text=call.answer)

    def _departures(self, row: ProbeRow, call: Call, probe: Probe) -> Iterator[tuple[str, str]]:
        """Yield where a row's parts do not fit together, or its call does not ask just this."""
        swap = probe.kind == "swap"
        if swap != (probe.evaluation is not None) or (swap and probe.first == "answer"):
            yield "", "an exchanged pair names the run's own verdict, and no other does"
            return
        if row.against is not None and probe.against is None:
            yield "/against", "the bad answer of this kind is made, not given"
        if swap:
            comparison = Probe(
                kind="swap", answer=probe.answer, against=probe.against, first="answer"
            )
            run_call = self._calls.get(probe.evaluation or "")
            question = run_call and (run_call.role, run_call.prompt)
            if question != ("evaluator", comparison.text(self._config)):
                yield "/evaluation", "is not the run's comparison of this pair"
        prompt, verdict = probe.text(self._config), parse_verdict(call.answer).value
        expected = self._names.name(prompt, probe.place)
        checks = (
            ("/call/prompt", call.prompt == prompt, "is not what this probe asks"),
            ("/call/occasion", call.occasion == probe.place, f"expected {probe.place}"),
            ("/call/id", call.id == expected, f"what was asked gives {expected}"),
            ("/call/role", call.role == "evaluator", "expected the evaluator"),
            ("/verdict", row.verdict == verdict, "does not follow from the raw text"),
        )
        yield from ((field, problem) for field, right, problem in checks if not right)

    def _note(self, where: str, problem: str) -> None:
        self._findings.add(_CLAUSE, where, problem, _REMEDY)


def read_probes(
    manifest: Manifest, folder: Path, findings: Findings, calls: Mapping[str, Call] | None = None
) -> list[AnsweredProbe]:
    """Return what a run's evaluator was asked beside it, noting what does not fit.

    A run without probes, or of recorded verdicts, has none. `calls` are the run's, where they
    have been read already.

    Raises: WorldError if the disk fails.
    """
    if manifest.executor is None or not (folder / PROBES).exists():
        return []
    if manifest.raw is None:
        problem = "the run's own answers are not here, so its probes cannot be checked"
        findings.add(_CLAUSE, "/raw", problem, "put the raw files back", "warning")
        return []
    if calls is None:
        # What is wrong with the calls themselves is for their own check to say.
        calls = read_calls(folder, manifest, Usage(), Findings())
    return ProbeReader(manifest, calls, folder, findings).read()


def in_words(competence: Json) -> str:
    """Return an evaluator's competence as one sentence without its end."""
    overall = competence["overall"]
    low, high = overall["accuracy"]["ci95"] or (0.0, 1.0)
    phrase = {
        "capable": "tells a good answer from a bad one",
        "incapable": "cannot tell a good answer from a bad one",
        "cannot_tell": "may or may not tell a good answer from a bad one, ask more pairs",
    }[competence["word"]]
    failed = [_BAD[kind] for kind in competence["failing"]]
    worst = f"; it fails on {', '.join(failed)}" if failed else ""
    return (
        f"it {phrase}: right in {100 * overall['accuracy']['mean']:.0f}% of {overall['pairs']} "
        f"planted pairs ({100 * low:.0f}% to {100 * high:.0f}%), "
        f"useful from {100 * competence['useful']:.0f}%{worst}"
    )
