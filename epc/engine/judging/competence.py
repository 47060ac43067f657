"""Asking a judge what tests it, before or after it judges a set.

Each part is an evaluation of its own beside the set: the same prompt, decoding, journal and
archive, and one budget over all of them. What was answered is never asked again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from epc.digests import sha256
from epc.engine.budget import Limits
from epc.engine.calls import Watch
from epc.engine.forecast import Share
from epc.engine.judging.evaluate import (
    Evaluation,
    evaluate,
    expect,
    open_evaluation,
    open_part,
)
from epc.engine.model import Model
from epc.engine.sitting import budget_of
from epc.errors import UsageError
from epc.judge.planted import (
    ABLATED,
    CONTROL,
    PAIRS,
    Original,
    Planting,
    ablations,
    name_of,
    planted,
)
from epc.judge.samples import Sample
from epc.records.judging.competence import (
    asked_rows,
    method_asked,
    part_folder,
    retest_folder,
    retests,
)
from epc.records.judging.documents import (
    MAPPING,
    Judge,
    Part,
    is_complete,
    is_evaluation,
    load_plan,
    records,
)
from epc.records.judging.evaluation_set import Entry, EvaluationSet, Row, write_evaluation
from epc.records.judging.prompts import check_mapping, load_mapping
from epc.spec.judge_v1 import DIMENSIONS, Dimension

Chosen = Sequence[tuple[Sample, Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetenceOptions:
    """Options of a judge's test besides the planted pairs; `pairs` and `retest` count outputs."""

    pairs: int = PAIRS
    named: bool = False
    ablation: bool = False
    retest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """Test of one judge of a set: what it is to be asked about itself."""

    evaluation: Evaluation
    judge: Judge
    options: CompetenceOptions

    @property
    def model(self) -> Model:
        """The judge as it is asked."""
        return self.evaluation.judges[self.judge.model].model

    @property
    def takes_pairs(self) -> bool:
        """Whether the texts that test it are not made yet, or are made of as many outputs."""
        folder = self._folder("planted")
        if not is_evaluation(folder):
            return True
        rows = EvaluationSet(folder, load_plan(folder)).rows
        made = sum(row.planted is None for row in rows)
        return made == len(self._chosen(self._rows(), self.options.pairs))

    def parts(self, now: datetime) -> Iterator[Path]:
        """Yield the parts in their order, each planned when those before it are complete.

        Raises: UsageError if there is nothing to ask.
        """
        yield self._planned("planted", self._pairs, now, blind=True)
        if self.options.named:
            yield self._planned("named", self._bases, now, blind=False)
        if self.options.ablation:
            yield self._planned("ablation", self._ablations, now, blind=True)
        if self.options.retest:
            yield self._retest(now)

    def entries(self) -> dict[Part, list[Entry]]:
        """Return what will be asked, as far as it follows from the set alone."""
        by_part: dict[Part, list[Entry]] = {"planted": list(self._pairs())}
        if self.options.named:
            by_part["named"] = list(self._bases())
        if self.options.retest:
            by_part["retest"] = list(self._retest_entries())
        return by_part

    def _planned(
        self, part: Part, entries: Callable[[], Iterable[Entry]], now: datetime, *, blind: bool
    ) -> Path:
        folder = self._folder(part)
        if not is_evaluation(folder):
            self.write(folder, part, entries(), blind=blind, now=now)
        return folder

    def _folder(self, part: Part) -> Path:
        return part_folder(self.evaluation.folder, self.judge.model, part)

    def write(
        self, folder: Path, part: Part, entries: Iterable[Entry], *, blind: bool, now: datetime
    ) -> None:
        """Write the plan of a part, under the conditions of the set that it stands beside.

        Raises: WorldError if the disk refuses.
        """
        plan = self.evaluation.plan
        method = method_asked(plan)
        mapping = self.evaluation.folder / MAPPING
        write_evaluation(
            folder,
            entries,
            {method: self.evaluation.prompts[method]},
            None if plan.mapping is None else check_mapping(mapping)[0],
            date=now.date().isoformat(),
            judges=(self.judge,),
            methods=(method,),
            constraint=plan.constraint,
            retry_malformed=plan.retry_malformed,
            gaps_allowed=True,
            rules=plan.rules,
            blind=blind,
            competence=part,
        )

    def _retest(self, now: datetime) -> Path:
        """Return the retest that an earlier day left unfinished, else that of today."""
        place = self.evaluation.folder, self.judge.model
        begun = [folder for folder in retests(*place) if not is_complete(folder)]
        folder = begun[0] if begun else retest_folder(*place, now)
        if not is_evaluation(folder):
            blind = self.evaluation.plan.blind
            self.write(folder, "retest", self._retest_entries(), blind=blind, now=now)
        return folder

    def require(self) -> None:
        """Refuse a retest that could say nothing, before anything is asked.

        Raises: UsageError.
        """
        if not self.options.retest:
            return
        model = self.judge.model_identity
        if model is not None and model.gives_facts:
            raise UsageError(
                f"{self.judge.model} cannot answer otherwise the next time, so --retest says "
                "nothing of it: leave that out"
            )
        folder = self.evaluation.folder
        if not is_complete(folder):
            raise UsageError(
                f"{folder} is not judged yet, so --retest has nothing to compare with: "
                f"run `epc judge run {folder}`"
            )

    def _pairs(self) -> Iterator[Entry]:
        """Yield outputs of the set, each followed by the texts that are made from it."""
        units, rows = self.evaluation.units, self._rows()
        for _, row in self._chosen(rows, self.options.pairs):
            base = _entry(units, row)
            yield base
            unrelated = _unrelated_row(row, [candidate for _, candidate in rows])
            original = Original(
                output=base.output,
                task=row.task,
                off_task=None if unrelated is None else units.text(unrelated),
            )
            for kind, text in planted(original):
                yield _planted_entry(base, text, Planting(kind=kind, of=row.unit.output_id))

    def _bases(self) -> Iterator[Entry]:
        """Yield the outputs that the planted texts are made from."""
        folder = self._folder("planted")
        if is_evaluation(folder):
            units = EvaluationSet(folder, load_plan(folder))
            yield from (_entry(units, row) for row in units.rows if row.planted is None)
        else:  # a forecast
            yield from (entry for entry in self._pairs() if entry.planted is None)

    def _retest_entries(self) -> Iterator[Entry]:
        units, chosen = self.evaluation.units, self._chosen(self._rows(), self.options.retest)
        yield from (_entry(units, row) for _, row in chosen)

    def _rows(self) -> Chosen:
        """Return what the judge may be tested on."""
        return asked_rows(self.evaluation.units, self.evaluation.plan, self.judge.model)

    def _ablations(self) -> Iterator[Entry]:
        """Yield outputs without what the judge quoted, and without as much elsewhere.

        One quote an output, of one dimension after the other.
        """
        folder = self._folder("planted")
        plan = load_plan(folder)
        units, mapping = EvaluationSet(folder, plan), load_mapping(folder, plan)
        count = 0
        for _, record in records(folder):
            row = units.row(record.sample)
            if not record.valid or row is None or row.planted is not None:
                continue
            base = _entry(units, row)
            quotes: dict[str, str] = {
                citation.dimension: citation.quote
                for citation in units.quotations(record, mapping)
                if citation.kind == "verbatim"
            }
            turn = count % len(DIMENSIONS)
            for name in (*DIMENSIONS[turn:], *DIMENSIONS[:turn]):
                texts = ablations(base.output, quotes.get(name, ""))
                if texts is not None:
                    yield from _ablated_entries(base, name, texts)
                    count += 1
                    break

    def _chosen(self, rows: Chosen, limit: int) -> Chosen:
        """Return some rows: one of each question before a second one of any."""
        if not rows:
            raise UsageError(
                f"{self.judge.model} has no output to judge in {self.evaluation.folder}: "
                "nothing tests it"
            )
        by_question: dict[str, list[tuple[Sample, Row]]] = {}
        for sample, row in sorted(rows, key=lambda sampled: sha256(sampled[1].unit.output_id)):
            by_question.setdefault(row.unit.question_id, []).append((sample, row))
        ranked = [
            (rank, number, sampled)
            for number, ones in enumerate(by_question.values())
            for rank, sampled in enumerate(ones)
        ]
        return [
            sampled for _, _, sampled in sorted(ranked, key=lambda ranking: ranking[:2])[:limit]
        ]


def tests_of(folder: Path, judges: Sequence[str], options: CompetenceOptions) -> list[Test]:
    """Return a test for each of the judges that are named, or for all of the plan.

    Raises: UsageError if the plan has no such judge, its replies are to be imported, or a retest
    would have nothing to compare with.
    """
    evaluation = open_evaluation(folder)
    if evaluation.plan.competence is not None:
        raise UsageError(f"{folder} tests a judge itself: name the set beside which it stands")
    by_model = {judge.model: judge for judge in evaluation.plan.judges}
    for name in judges:
        if name not in by_model:
            raise UsageError(f"{name} is no judge of {folder}: it has {', '.join(by_model)}")
    tests = [
        Test(evaluation=evaluation, judge=by_model[name], options=options)
        for name in (judges or by_model)
    ]
    for test in tests:
        test.require()
    return tests


async def assess(
    tests: Sequence[Test],
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
) -> None:
    """Ask judges the questions that test them; what was answered before is not asked again.

    Raises: as `evaluate`.
    """
    budget = budget_of([test.model for test in tests], limits)
    for test in tests:
        for folder in test.parts(clock()):
            if not is_complete(folder):
                part = open_part(test.evaluation, folder)
                await evaluate(part, clock=clock, watch=watch, limits=limits, budget=budget)


def forecast(tests: Sequence[Test], now: datetime) -> dict[str, Share]:
    """Return what each judge will be asked; an ablation's texts follow from its replies only."""
    shares: dict[str, Share] = {}
    for test in tests:
        for part, entries in test.entries().items():
            with TemporaryDirectory() as scratch:
                folder = Path(scratch) / part
                test.write(folder, part, entries, blind=part != "named", now=now)
                for share in expect(open_part(test.evaluation, folder)).values():
                    shares[f"{test.judge.model} {part}"] = share
    return shares


def _entry(units: EvaluationSet, row: Row) -> Entry:
    return Entry(unit=row.unit, output=units.text(row), task=row.task)


def _planted_entry(base: Entry, text: str, planting: Planting) -> Entry:
    unit = structs.replace(base.unit, output_id=name_of(planting))
    return replace(base, unit=unit, output=text, planted=planting)


def _ablated_entries(base: Entry, name: Dimension, texts: tuple[str, str]) -> Iterator[Entry]:
    for kind, text in zip((ABLATED, CONTROL), texts, strict=True):
        yield _planted_entry(
            base, text, Planting(kind=kind, of=base.unit.output_id, dimension=name)
        )


def _unrelated_row(row: Row, rows: Sequence[Row]) -> Row | None:
    """Return an output to another question, of the same target and variant if there is one."""
    candidates = [
        candidate
        for candidate in rows
        if candidate.unit.question_id != row.unit.question_id
        and candidate.output_sha256 != row.output_sha256
        and candidate.task != row.task
    ]

    def distance(candidate: Row) -> tuple[bool, bool, str]:
        ours, theirs = row.unit, candidate.unit
        return (
            ours.target_model != theirs.target_model,
            ours.prompt_variant != theirs.prompt_variant,
            sha256(f"{ours.output_id}\0{theirs.output_id}"),
        )

    return min(candidates, key=distance, default=None)
