"""Replaying trials.jsonl through the protocol: from draws and raw text to weights (EPC-2.3).

The file is read as a stream, one seed in memory at a time. Everything that a row claims is
derived again: the draws from the seed, the task and the strategy from the draws, the verdict
from the evaluator's raw text, the prompts from the answers.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import Final

from msgspec import Struct, field

from epc.protocol.config import Configuration
from epc.protocol.diagnostics import EvaluatorAnswer
from epc.protocol.draws import GENERATOR, pick_task, turns
from epc.protocol.phases import Comparison, Outcome, drive, measure
from epc.protocol.prompt import Pair, evaluation_text, executor_prompt
from epc.protocol.table import Cell
from epc.protocol.verdict import Verdict, classify, parse_verdict
from epc.records.composed import misasked
from epc.records.findings import MAX_KEPT, Findings
from epc.records.layout import occasion_of
from epc.records.rows import Call, Trial
from epc.spec.domains import Phase, PhaseName

CLAUSE: Final = "EPC-2.5(d)"
_ROW_REMEDY: Final = "restore the trials as they were recorded"
_MAX_LISTED: Final = 10

Row = tuple[int, Trial]  # its index in the file, and the row


class TrialReplay(Struct, kw_only=True, dict=True):
    """Replays a run's trials, seed by seed.

    `calls` is None where the calls are not at hand; no reference is then followed. `is_whole` says
    that rounds may have drawn a pair that recorded verdicts do not hold (Reading R72).
    """

    config: Configuration
    seeds: list[int]
    generator: str
    reuse: bool
    is_whole: bool
    executor_template: str | None
    calls: Mapping[str, Call] | None
    findings: Findings
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    judged: dict[str, EvaluatorAnswer] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    _followed: set[tuple[str | None, ...]] = field(default_factory=set)

    def run(self, trials: Iterable[Row]) -> None:
        """Take every row, replay every complete seed, note everything that is wrong."""
        seed: int | None = None
        rows: list[Row] = []
        finished: set[int] = set()
        # More rows than a seed has rounds are findings, and findings past the kept ones a number.
        limit = len(self.config.phases) * self.config.rounds + MAX_KEPT
        for index, row in trials:
            if row.seed != seed:
                self._seed(seed, rows)
                if seed is not None:
                    finished.add(seed)
                seed, rows = row.seed, []
                if seed in finished:
                    self._note(
                        f"/trials/{index}/seed", f"seed {seed} comes back after another seed"
                    )
            if len(rows) < limit:
                rows.append((index, row))
        self._seed(seed, rows)
        for missing in [s for s in self.seeds if s not in self.outcomes and s not in finished]:
            if not self.config.rounds:
                no_rows = {phase.name: list[Row]() for phase in self.config.phases}
                self.outcomes[missing] = self._replay(missing, no_rows)
            elif missing != seed:
                self._note("/trials", f"seed {missing} has no trials")

    def _seed(self, seed: int | None, rows: list[Row]) -> None:
        if seed is None:
            return
        if seed not in self.seeds:
            self._note(f"/trials/{rows[0][0]}/seed", f"seed {seed} is not in /config/seeds")
        phases = self._by_phase(seed, rows)
        unsound = [index for index, row in rows if not self._check(index, row)]
        if phases is not None and not unsound:
            self.outcomes[seed] = self._replay(seed, phases)

    def _by_phase(self, seed: int, rows: list[Row]) -> dict[PhaseName, list[Row]] | None:
        """Return a seed's rows by phase if every round is there exactly once."""
        phases: dict[PhaseName, dict[int, Row]] = {p.name: {} for p in self.config.phases}
        complete = True
        last = (-1, -1)
        for index, row in rows:
            if row.phase not in phases:
                is_control = row.phase in self._phases
                why = (
                    "the control of this run was not measured"
                    if is_control
                    else "no phase of this run"
                )
                problem = f"{_name(seed, row)}: {why}"
                self._note(f"/trials/{index}/phase", problem)
                complete = False
                continue
            position = (self._phases[row.phase].stream, row.round)
            if row.round in phases[row.phase]:
                self._note(f"/trials/{index}", f"{_name(seed, row)} appears twice")
                complete = False
            elif row.round >= self.config.rounds:
                problem = f"{_name(seed, row)}: expected rounds 0 to {self.config.rounds - 1}"
                self._note(f"/trials/{index}/round", problem)
                complete = False
            elif position < last:
                self._note(f"/trials/{index}", f"{_name(seed, row)} is out of order")
            phases[row.phase].setdefault(row.round, (index, row))
            last = position
        for name, rounds in phases.items():
            absent = (str(r) for r in range(self.config.rounds) if r not in rounds)
            if missing := list(islice(absent, _MAX_LISTED + 1)):
                complete = False
                listed = [*missing[:_MAX_LISTED], "..."] if len(missing) > _MAX_LISTED else missing
                self._note("/trials", f"seed {seed} {name} has no round {', '.join(listed)}")
        if not complete:
            return None
        return {name: [rounds[r] for r in sorted(rounds)] for name, rounds in phases.items()}

    def _check(self, index: int, row: Trial) -> bool:
        """Check what a row says against what follows from its own raw parts."""
        where = f"/trials/{index}"
        phase = self._phases.get(row.phase)
        if phase is None:
            return False  # as noted with the other phases
        tasks = self.config.tasks[phase.domain]
        names = self._names
        sound = True
        if row.strategy not in names:
            problem = f"{row.strategy!r} is not among /strategies"
            self.findings.add("EPC-2.2", f"{where}/strategy", problem, _ROW_REMEDY)
            sound = False
        if (task := pick_task(row.u_task, len(tasks))) != row.task:
            problem = f"says {row.task}, u_task {row.u_task!r} gives {task}"
            self.findings.add("Reading R2", f"{where}/task", problem, _ROW_REMEDY)
            sound = False
        missing = self.is_whole and row.evaluation is None
        verdict = Verdict.MISSING if missing else parse_verdict(row.raw)
        if verdict != row.verdict or (missing and row.raw):
            problem = f"says {row.verdict}, the raw text gives {verdict}"
            self.findings.add("EPC-2.6(c)", f"{where}/verdict", problem, _ROW_REMEDY)
            sound = False
        if sound and self.calls is not None:
            self._check_calls(where, row, self.calls)
        return sound

    def _check_calls(self, where: str, row: Trial, calls: Mapping[str, Call]) -> None:
        """Follow a row's references and render its prompts again."""
        domain = self._phases[row.phase].domain
        task = self.config.tasks[domain][row.task]
        key = domain, task, row.strategy, row.raw, row.response, row.baseline, row.evaluation
        if self.reuse and key in self._followed:
            return  # the same round with the same answers was found good before
        answers: dict[str, str | None] = {}
        sides = (
            ("response", row.response, row.strategy),
            ("baseline", row.baseline, self.config.baseline),
        )
        for side, name, strategy in sides:
            answers[side] = None
            if self.executor_template is None and name is None:
                continue
            prompt = executor_prompt(
                strategy_prompt=self._prompts.get(strategy, ""),
                task=task,
                template=self.executor_template or "",
            )
            call = self._call(where, row, (side, name), calls=calls, role="executor", prompt=prompt)
            if call is None:
                return
            answers[side] = call.answer
        pair = Pair(domain=domain, task=task, strategy=row.strategy, **answers)
        prompt = evaluation_text(
            pair, method=self.config.method, template=self.config.evaluator_prompt
        )
        if row.verdict == "missing":
            if prompt in self._evaluator_prompts:
                self._note(f"{where}/verdict", "says missing, and a call holds this pair's verdict")
            return
        call = self._call(
            where, row, ("evaluation", row.evaluation), calls=calls, role="evaluator", prompt=prompt
        )
        if call is None:
            return
        if call.answer != row.raw:
            self._note(f"{where}/raw", "is not the answer of the call it refers to")
            return
        if problem := misasked(self.config, pair, call, calls):
            self._note(f"{where}/evaluation", problem)
            return
        self._followed.add(key)

    def _call(
        self,
        where: str,
        row: Trial,
        reference: tuple[str, str | None],
        *,
        calls: Mapping[str, Call],
        role: str,
        prompt: str,
    ) -> Call | None:
        """Return the call that a side of a round refers to by name, if it answers just that."""
        side, name = reference
        where = f"{where}/{side}"
        call = calls.get(name or "")
        if call is None or call.role != role:
            self._note(where, f"{name} is no {role} call of this run")
            return None
        if call.prompt != prompt:
            self._note(where, f"call {name} was asked something else than this round asks")
            return None
        afresh = occasion_of(row.seed, row.phase, row.round, side)
        if call.occasion != (None if self.reuse else afresh):
            problem = f"call {name} belongs to {call.occasion or 'any round'}, not to this one"
            self.findings.add("Reading R16", where, problem, _ROW_REMEDY)
            return None
        return call

    @cached_property
    def _phases(self) -> Mapping[PhaseName, Phase]:
        """Every phase of the protocol by its name."""
        return self.config.domains.phase

    @cached_property
    def _names(self) -> list[str]:
        """The names of the strategies."""
        return [strategy.name for strategy in self.config.strategies]

    @cached_property
    def _prompts(self) -> dict[str, str]:
        """The prompt that each strategy puts before a task."""
        return {strategy.name: strategy.prompt for strategy in self.config.strategies}

    @cached_property
    def _evaluator_prompts(self) -> set[str]:
        """The evaluator's prompts."""
        return {call.prompt for call in (self.calls or {}).values() if call.role == "evaluator"}

    def _replay(self, seed: int, phases: dict[PhaseName, list[Row]]) -> Outcome:
        """Drive the protocol with a seed's rows; the wheel must stop where they say it did."""
        phase_turns = {name: [row.turn for _, row in rows] for name, rows in phases.items()}
        names = self._names
        measurement = measure(
            phase_turns, strategies=len(names), rule=self.config.rule, phases=self.config.phases
        )
        for name, rows in phases.items():
            self._check_stream(seed, self._phases[name], rows)

        def recorded(comparison: Comparison) -> Verdict:
            index, row = phases[comparison.phase.name][comparison.round]
            self._check_choice(index, row, comparison, names)
            self._judge(row)
            verdict = row.parsed_verdict
            cell = Cell(
                domain=comparison.phase.domain,
                strategy=comparison.strategy,
                task=row.task,
                verdict=verdict,
            )
            if verdict is not Verdict.MISSING:
                self.cells.append(cell)
            return verdict

        return drive(measurement, recorded)

    def _judge(self, row: Trial) -> None:
        """Note what the evaluator said, once an answer however often it was reused."""
        name = row.evaluation
        if name is not None and name not in self.judged:
            call = (self.calls or {}).get(name)
            classification = classify(row.raw, finish_reason=call.finish_reason if call else None)
            self.judged[name] = EvaluatorAnswer(
                call=name, strategy=row.strategy, kind=classification
            )

    def _check_choice(
        self, index: int, row: Trial, comparison: Comparison, names: list[str]
    ) -> None:
        chosen = names[comparison.strategy]
        if chosen != row.strategy:
            problem = f"says {row.strategy}, the roulette wheel stops at {chosen}"
            self.findings.add("EPC-2.3(1)", f"/trials/{index}/strategy", problem, _ROW_REMEDY)

    def _check_stream(self, seed: int, phase: Phase, rows: list[Row]) -> None:
        """Compare the draws with the stream of the generator that the manifest declares."""
        if self.generator != GENERATOR:
            return  # another implementation's stream; `epc validate` warns that it is not checked
        declared = turns(seed, phase.stream, len(rows))
        for (index, row), turn in zip(rows, declared, strict=True):
            if row.turn != turn:
                problem = f"the draws are not those of seed {seed}"
                self.findings.add("Reading R2", f"/trials/{index}", problem, _ROW_REMEDY)

    def _note(self, where: str, problem: str) -> None:
        self.findings.add(CLAUSE, where, problem, _ROW_REMEDY)


def _name(seed: int, row: Trial) -> str:
    return f"seed {seed} {row.phase} round {row.round}"
