"""The evaluation set in its folder: units by line, outputs by content (JUDGE-0, JUDGE-7.1)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from epc.digests import sha256
from epc.errors import able_to, refuse
from epc.judge.check import Judgement, check
from epc.judge.evidence import Output, Quotation, quotations
from epc.judge.mapping import RubricMapping
from epc.judge.planted import Planting
from epc.judge.reply import read_reply
from epc.judge.samples import Sample, Unit
from epc.protocol.results import Json
from epc.records.judging.documents import (
    MAPPING,
    OUTPUTS,
    PLAN,
    SAMPLES,
    Plan,
    PlannedSet,
    Record,
    Thresholds,
    require_planned,
)
from epc.records.judging.prompts import JudgePrompt, reference, write_prompts
from epc.records.layout import digest
from epc.records.schemas import checked_lines, load
from epc.records.strict_json import content_of, dumps_line, write, write_text
from epc.records.typed import as_json, parse
from epc.spec.judge_v1 import FAIL_TO, PASS_FROM, PROTOCOL, Method
from epc.version import __version__

_BESIDE: Final = ("output_sha256", "task")
_KEPT: Final = 16  # folded outputs in memory; one judge after another asks for the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A unit with what is judged: the output's text, and the task it answers if that is known.

    `planted` says of a text that tests a judge what it was made from, and how.
    """

    unit: Unit
    output: str
    task: str | None = None
    planted: Planting | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of samples.jsonl: a unit, its output by digest, its task, and if it was planted."""

    unit: Unit
    output_sha256: str
    task: str | None
    planted: Planting | None = None


class EvaluationSet:
    """The units of a folder before the judges of its plan, and their outputs on demand."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self._judges = [judge.model for judge in plan.judges]
        self._methods = frozenset(plan.methods)
        self.rules = plan.rules
        self._blind = plan.blind
        self.rows: list[Row] = list(_read_rows(folder))
        self._by_unit = {row.unit: row for row in self.rows}
        self.folded = lru_cache(maxsize=_KEPT)(self._fold)

    def row(self, sample: Sample) -> Row | None:
        """Return the line of a sample's unit, or None if the sample is not in the set."""
        if sample.judge_model not in self._judges or sample.method not in self._methods:
            return None
        return self._by_unit.get(sample.unit)

    def for_judge(self, sample: Sample) -> Sample:
        """Return a sample under the names that its judge was given."""
        return sample.blind() if self._blind else sample

    def samples(self) -> Iterator[tuple[Sample, Row]]:
        """Yield every sample of the set: each unit before each judge, by the planned methods."""
        for row in self.rows:
            for judge in self._judges:
                sample = row.unit.before(judge)
                if sample.method in self._methods:
                    yield sample, row

    def text(self, row: Row) -> str:
        """Return an output.

        Raises: MalformedError if its file is not what it was; WorldError if it cannot be read.
        """
        path = output_path(self._folder, row.output_sha256)
        content = content_of(path)
        matches = sha256(content) == row.output_sha256
        require_planned(path, "output", matches=matches, clause="JUDGE-0")
        return content.decode("utf-8")

    def quotations(self, record: Record, mapping: RubricMapping | None) -> Iterator[Quotation]:
        """Return the evidence of a record about the set."""
        _, reply, _ = read_reply(record.raw or "")
        if mapping is not None and reply is not None:
            reply, _ = mapping.convert(reply, self.for_judge(record.sample))
        return quotations(reply or {}, self.folded(record.output_sha256 or ""))

    def _fold(self, output_sha256: str) -> Output:
        content = content_of(output_path(self._folder, output_sha256))
        return Output(content.decode("utf-8", "replace"), self.rules)


def output_path(folder: Path, digest: str) -> Path:
    """Return where an output of this SHA-256 stands."""
    return folder / OUTPUTS / f"{digest}.txt"


def write_set(folder: Path, entries: Iterable[Entry]) -> None:
    """Write units and outputs; equal outputs stand once.

    Raises: WorldError if the disk refuses.
    """

    def lines() -> Iterator[str]:
        for entry in entries:
            content = entry.output.encode("utf-8")
            digest = sha256(content)
            path = output_path(folder, digest)
            if not path.exists():
                # No wait for the disk: a file that is torn is no longer what its name says.
                path.write_bytes(content)
            row = {**structs.asdict(entry.unit), "output_sha256": digest, "task": entry.task}
            planted = {"planted": as_json(entry.planted)} if entry.planted else {}
            yield dumps_line({**row, **planted})

    with able_to("write", folder):
        (folder / OUTPUTS).mkdir(exist_ok=True)
        write_text(folder / SAMPLES, lines())


def write_evaluation(
    folder: Path,
    entries: Iterable[Entry],
    prompts: Mapping[Method, JudgePrompt],
    mapping: Json | None,
    **conditions: Any,
) -> Plan:
    """Write the folder of an evaluation: its set, its prompts, and last its plan.

    A folder that a killed process left without a plan is written again. `conditions` are the
    fields of the plan that do not follow from the rest.

    Raises: UsageError if two prompts share an id; WorldError if the disk refuses.
    """
    with able_to("make", folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_set(folder, entries)
    write_prompts(folder, prompts)
    if mapping is not None:
        write(folder / MAPPING, mapping)
    plan = Plan(
        protocol=PROTOCOL,
        epc_version=__version__,
        prompts={method: prompt.reference for method, prompt in prompts.items()},
        mapping=None if mapping is None else reference(mapping),
        thresholds=Thresholds(pass_from=PASS_FROM, fail_to=FAIL_TO),  # JUDGE-3.4
        samples=parse(digest(folder / SAMPLES), PlannedSet),
        **conditions,
    )
    write(folder / PLAN, as_json(plan))
    return plan


def _read_rows(folder: Path) -> Iterator[Row]:
    lines = checked_lines(folder / SAMPLES, "samples", "judge_unit", clause="JUDGE-0")
    for _, value, problems in lines:
        refuse(problems)
        planted = parse(value["planted"], Planting) if "planted" in value else None
        fields = {name: value[name] for name in _BESIDE}
        yield Row(unit=parse(value, Unit), planted=planted, **fields)


def check_files(response: Path, sample: Path, output: Path) -> Judgement:
    """Check one reply, read from a file, against its sample and the output that it judges.

    Raises: MalformedError if the sample cannot be used; UsageError if a file is larger than any
    document here; WorldError if one cannot be read.
    """
    request = load(sample, "judge_sample", Sample, clause="JUDGE-0")
    return check(
        content_of(response), request, Output(content_of(output).decode("utf-8", "replace"))
    )
