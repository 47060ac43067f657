"""Asking an evaluator one panel of pairs before, during and after a run (Reading R76).

A model whose weights are not pinned may be replaced at any minute under the same name. The panel
shows it, and nothing of the measurement depends on the panel: its answers are in the journal under
names of their own, and go into the manifest's `canary` instead of the raw files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, get_args

from msgspec import Struct, field, structs

from epc.engine.calls import Caller
from epc.engine.mitigated import Mitigated
from epc.engine.model import Model
from epc.engine.request import Questions
from epc.engine.roles import Question, Role
from epc.errors import EpcError, ExitCode
from epc.protocol.config import Configuration
from epc.protocol.results import Json
from epc.records.calls import call_of
from epc.records.canary import PAIRS, TWICE, Canary, CanaryPanel, When, canary, in_words, kept
from epc.records.rows import Call
from epc.records.usage import Spent

CALLS: Final = (TWICE + 1) * PAIRS  # of a run that is not interrupted
_PLACE: Final = "canary/"
_NO_PROVIDER: Final = ("mock", "embedded")


class SwappedError(EpcError):
    """The evaluator is not the one that the run began with, or whose answers it takes over."""

    exit_code = ExitCode.FINDINGS


def may_be_swapped(model: Model) -> bool:
    """Return whether another model may answer under a model's name, or a wrapper's member's."""
    if isinstance(model, Mitigated):
        return any(map(may_be_swapped, model.members))
    unnamed = model.identity.endpoint not in _NO_PROVIDER and model.method != "recorded"
    return unnamed and not model.pinned


def judge_panel(judge: Role) -> list[Question]:
    """Return what a judge is asked beside its judgments: the fixed pairs, answered by a letter."""
    free = structs.replace(judge, decoding=replace(judge.decoding, constraint=None))
    questions = Questions(config=Configuration(), evaluator=free, executor=free)
    return list(islice(_fixed(questions), PAIRS))


def is_of_canary(call: Json) -> bool:
    """Return whether a call of the journal is no part of the measurement."""
    return (call["occasion"] or "").startswith(_PLACE)


class CanaryWatch(Struct, kw_only=True):
    """The panel of a run and its answers so far.

    `questions` are the pairs; `before` what the run whose answers are taken over was answered, None
    for pairs that it was not asked, or for all where there is no such run.
    """

    run: Path
    caller: Caller
    questions: Sequence[Question]
    before: Sequence[str | None] | None = None
    _panels: list[CanaryPanel] = field(default_factory=list)
    _asked: int = 0

    @classmethod
    def of(cls, questions: Questions, caller: Caller, run: Path) -> "CanaryWatch":
        """Return the panel of a run: pairs whose answers are taken over, then fixed ones."""
        role, runs = questions.evaluator, caller.named_runs
        calls = [] if runs is None else [call_of(row) for row in runs.calls()]
        taken = [call for call in calls if call.role == role.name][:PAIRS]  # by their digests
        panel = [Question(role=role, text=call.prompt, side="evaluation") for call in taken]
        fixed = list(_fixed(questions))[: PAIRS - len(panel)]
        before = [*(kept(call.answer) for call in taken), *(None for _ in fixed)]
        return cls(
            run=run,
            caller=caller,
            questions=[*panel, *fixed],
            before=before if taken else None,
        )

    @classmethod
    def of_judge(cls, judge: Role, caller: Caller, run: Path) -> "CanaryWatch":
        """Return the panel of a judge."""
        return cls(run=run, caller=caller, questions=judge_panel(judge))

    @property
    def found(self) -> Canary:
        """What the panels came to so far."""
        return canary(self._panels, self.before)

    async def begin(self, *, again: bool = True, anyway: bool = False) -> None:
        """Ask the panel before a session asks anything else, and refuse an evaluator that departed.

        It is asked twice at the start of a run, and once at the start of each later session that is
        to ask it `again`; what an interruption left of it is asked for first.

        Raises: SwappedError unless the run is to go on `anyway`; else as `Caller.ask`.
        """
        whole = all(all(self._kept(number, "start")) for number in range(TWICE))
        for _ in range(TWICE):
            await self._ask("start")
        while (when := self._begun()) is not None:
            whole = whole and all(self._kept(len(self._panels), when))
            await self._ask(when)
        self._require_same(None, anyway=anyway)
        if whole and again:
            await self._ask("resume")
            self._require_same(len(self._panels) - 1, anyway=anyway)
        self._asked = self.caller.progress.asked

    async def end(self) -> Canary:
        """Ask the panel after a session's last question, if there was one, and return it all."""
        if self.caller.progress.asked > self._asked:
            await self._ask("end")
        return self.found

    def _require_same(self, panel: int | None, *, anyway: bool) -> None:
        record = self.found
        if not anyway and any(each.departed for each in record.looks if each.panel == panel):
            raise SwappedError(
                f"{in_words(record)}; nothing more was asked\n"
                "  next: start a new run, without --reuse-answers-of; `epc resume "
                f"{self.run} --anyway` goes on with this one, and its record says so"
            )

    async def _ask(self, when: When) -> None:
        number = len(self._panels)
        wanted = [
            (question, _place(number, when, pair)) for pair, question in enumerate(self.questions)
        ]
        calls = map(call_of, await self.caller.ask_all("canary", wanted))
        self._panels.append(_panel_of(when, list(calls)))

    def _begun(self) -> When | None:
        """Return when the next panel was asked of which an earlier session kept an answer."""
        whens: tuple[When, ...] = get_args(When)
        return next((when for when in whens if any(self._kept(len(self._panels), when))), None)

    def _kept(self, number: int, when: When) -> list[bool]:
        places = enumerate(self.questions)
        names = [self.caller.name(q, _place(number, when, pair)) for pair, q in places]
        return [self.caller.known(name) is not None for name in names]


def _place(number: int, when: When, pair: int) -> str:
    return f"{_PLACE}{number}/{when}/{pair}"


def _panel_of(when: When, calls: Sequence[Call]) -> CanaryPanel:
    """Return the panel that was answered by these calls, in the order of its questions."""
    times, spent = [call.answered_at or "" for call in calls], Spent()
    for call in calls:
        spent.add(call)
    return CanaryPanel(
        when=when,
        first_at=min(times),
        last_at=max(times),
        answers=tuple(kept(call.answer) for call in calls),
        served_models=tuple(sorted(spent.served_models)),
        system_fingerprints=tuple(sorted(spent.system_fingerprints)),
    )


def _fixed(questions: Questions) -> Iterator[Question]:
    """Yield pairs that need no answer of any model: what the executor is asked stands for it.

    Neither text of a pair answers the task, so no preference is right, and that is what two good
    models differ in. Domains, strategies and tasks take turns.
    """
    config, seen = questions.config, set[str]()
    others = [s for s in range(len(config.strategies)) if s != config.baseline_index]
    for number in range(len(others) * max(map(len, config.tasks.values()))):
        strategy = others[number % len(others)]
        for domain, tasks in config.tasks.items():
            task = (number + number // len(others)) % len(tasks)
            sides = questions.answer(strategy, domain, task), questions.baseline(domain, task)
            shown = {"answer": sides[0].text}, {"answer": sides[1].text}
            question = questions.comparison(strategy, domain, task, shown)
            if question.text not in seen:
                seen.add(question.text)
                yield question
