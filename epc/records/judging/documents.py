"""The folder of an evaluation: what its files are called, and its documents as values.

    judge.json               what is evaluated, by whom, how (written by `epc judge plan`)
    samples.jsonl            one line a unit: question, variant, target, output id
    outputs/SHA256.txt       the evaluated outputs, named by their content
    prompts/ID.txt           the judge prompts
    mapping.json             how a finer rubric becomes the four dimensions, if one is used
    journal.jsonl            answered calls while a run goes on
    calls.jsonl              one line a call, malformed replies that were asked again included
    valid_evaluations/METHOD/records.jsonl
    invalid_evaluations/METHOD/records.jsonl, invalid_evaluations/README.md
    used_prompt_manifest.md
    run_log.json             the metadata of JUDGE-8 and the totals; written last
    labels.jsonl             what people said of outputs, if `epc judge label` was told

No name comes from an identifier or an output: those stand inside the files only. The classes follow
the schemas `judge_plan`, `judge_run_log` and `judge_record`, and a test compares them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from epc.errors import Finding, MalformedError, UsageError
from epc.json_text import MAX_DOCUMENT_BYTES
from epc.judge.check import Judgement
from epc.judge.samples import Sample
from epc.records import schemas, strict_json
from epc.records.findings import Findings
from epc.records.layout import CALLS, require_unpublished
from epc.records.manifest import DescribedFile, ModelIdentity
from epc.records.rows import Call, read_typed
from epc.records.typed import parse
from epc.spec.judge_v1 import FLAGS, METHODS, Flag, Method, Rules

Constraint = Literal["json", "judge_reply"]
# What an evaluation asks about a judge, if it stands beside a set and not for itself.
Part = Literal["planted", "named", "ablation", "retest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A prompt or a mapping: its id, and the digest of its text."""

    id: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge; of one whose replies are imported, nothing but the name is known."""

    model: str
    identity: Mapping[str, Any] | None
    decoding: Mapping[str, Any] | None

    @property
    def model_identity(self) -> ModelIdentity | None:
        """The model that was asked, and its endpoint."""
        return None if self.identity is None else ModelIdentity.parse(dict(self.identity))


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """The overall scores at which a verdict begins and ends (JUDGE-3.3)."""

    pass_from: Literal[7]
    fail_to: Literal[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSet:
    """The set that an evaluation was planned for."""

    sha256: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Plan of an evaluation: what is judged, by whom, and how (`judge.json`)."""

    protocol: Literal["Judge-v1.0"]
    epc_version: str
    date: str
    judges: tuple[Judge, ...]
    methods: tuple[Method, ...]
    prompts: Mapping[Method, Reference]
    constraint: Constraint | None
    retry_malformed: int
    mapping: Reference | None
    thresholds: Thresholds
    samples: PlannedSet
    gaps_allowed: bool
    rules: Rules = 1
    blind: bool = False
    competence: Part | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUsage(Judge):
    """A judge, and what its calls came to."""

    calls: int
    retries: int
    tokens_in: int
    tokens_out: int
    served_models: Mapping[str, int]
    system_fingerprints: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedCounts:
    """How many malformed replies were asked again, and mended by it."""

    retries_allowed: int
    asked_again: int
    mended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The counts of one method (Reading R23)."""

    samples: int
    valid: int
    invalid: int
    not_judged: int
    replies: int
    surplus: int
    flags: Mapping[Flag, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLog:
    """Log of an evaluation: who judged, how, and when; whole once it is complete (JUDGE-8).

    `canary` is what logs of before may have; nothing reads it.
    """

    protocol: Literal["Judge-v1.0"]
    state: Literal["running", "complete"]
    epc_version: str
    origin: Literal["run", "import"]
    time: Mapping[Literal["from", "to"], str | None]
    judges: tuple[JudgeUsage, ...] = ()
    tools: str = ""
    samples: int = 0
    malformed: MalformedCounts | None = None
    totals: Mapping[Method, Totals] = field(default_factory=dict)
    files: Mapping[str, DescribedFile] = field(default_factory=dict)
    canary: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Judgement):
    """An archived evaluation: the raw reply, what it is worth, and its day, if known."""

    id: str
    sample: Sample
    output_sha256: str | None
    raw: str | None
    calls: tuple[str, ...]
    prompt: Reference | None
    mapping: Reference | None
    constraint: Constraint | None
    date: str | None = None


@dataclass(slots=True)
class Tally:
    """The counts of one method.

    `replies` that do not belong to exactly one sample of the set are `surplus`: they are kept and
    counted, and stand beside the set. So samples = valid + invalid, and
    replies = samples - not_judged + surplus.
    """

    valid: int = 0
    not_judged: int = 0
    replies: int = 0
    flags: Counter[Flag] = field(default_factory=Counter)
    _samples: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        """Count one record."""
        if record.output_sha256 is not None:  # else it is about nothing in the set
            self._samples.add(record.id)
        if record.raw is None:
            self.not_judged += 1
        else:
            self.replies += 1
        self.valid += record.valid
        self.flags.update(record.flags)

    def totals(self) -> Totals:
        """Return the counts as they stand in the run log."""
        samples = len(self._samples)
        return Totals(
            samples=samples,
            valid=self.valid,
            invalid=samples - self.valid,
            not_judged=self.not_judged,
            replies=self.replies,
            surplus=self.replies - (samples - self.not_judged),
            flags={flag: self.flags[flag] for flag in FLAGS if self.flags[flag]},
        )


T = TypeVar("T")

_CLAUSE: Final = "JUDGE-7.4"
_ASKED: Final = "JUDGE-7.3"

PLAN: Final = "judge.json"
SAMPLES: Final = "samples.jsonl"
OUTPUTS: Final = "outputs"
PROMPTS: Final = "prompts"
MAPPING: Final = "mapping.json"
RECORDS: Final = "records.jsonl"
VALID, INVALID = "valid_evaluations", "invalid_evaluations"
README: Final = "README.md"
PROMPT_MANIFEST: Final = "used_prompt_manifest.md"
RUN_LOG: Final = "run_log.json"
LABELS: Final = "labels.jsonl"

# A line may hold a whole document: a reply or an import of any size that can be read.
LONGEST_LINE: Final = 2 * MAX_DOCUMENT_BYTES


def records_path(folder: Path, *, valid: bool, method: str) -> Path:
    """Return where the evaluations of one method stand (JUDGE-7.4)."""
    return folder / (VALID if valid else INVALID) / method / RECORDS


def is_evaluation(folder: Path) -> bool:
    """Return whether a folder was made by `epc judge plan`."""
    return (folder / PLAN).is_file()


def is_complete(folder: Path) -> bool:
    """Return whether an evaluation has been carried out to its end."""
    if not (folder / RUN_LOG).is_file():
        return False
    value, problems = strict_json.read(folder / RUN_LOG)
    return not problems and isinstance(value, dict) and value.get("state") == "complete"


def load(folder: Path, name: str, schema: str, kind: type[T]) -> T:
    """Return a document of the folder.

    Raises: UsageError if it is not there, or there as published only; MalformedError if it was
    damaged.
    """
    require_unpublished(folder, "an evaluation's folder")
    path = folder / name
    if not path.is_file():
        raise UsageError(f"{folder} has no {name}: `epc judge plan` makes such a folder")
    return schemas.load(path, schema, kind, clause=_CLAUSE)


def require_planned(path: Path, kind: str, *, matches: bool, clause: str) -> None:
    """Make sure that a file is still what an evaluation was planned with.

    Raises: MalformedError.
    """
    if not matches:
        problem = f"{path} is not the {kind} that was planned: its SHA-256 differs"
        raise MalformedError(Finding(clause, "", problem, "restore the file, or plan again"))


def load_plan(folder: Path) -> Plan:
    """Return what an evaluation was planned to be."""
    return load(folder, PLAN, "judge_plan", Plan)


def load_run_log(folder: Path) -> RunLog:
    """Return the log of an evaluation that is complete.

    Raises: UsageError if it is not.
    """
    if not (folder / RUN_LOG).is_file():
        load_plan(folder)
        raise UsageError(f"{folder} is not judged yet: run `epc judge run {folder}`")
    log = load(folder, RUN_LOG, "judge_run_log", RunLog)
    if log.state != "complete":
        raise UsageError(f"{folder} is not complete: `epc judge run {folder}` goes on")
    return log


def records(folder: Path, findings: Findings | None = None) -> Iterator[tuple[str, Record]]:
    """Yield every usable record of an archive with its place, noting what is wrong with others."""
    noted = Findings() if findings is None else findings
    for method in METHODS:
        for valid in (True, False):
            path = records_path(folder, valid=valid, method=method)
            if not path.is_file():
                continue
            name = path.parent.relative_to(folder).as_posix()
            lines = schemas.checked_lines(
                path, name, "judge_record", clause=_CLAUSE, longest=LONGEST_LINE
            )
            for where, value, problems in lines:
                noted.extend(problems)
                if problems:
                    continue
                record = parse(value, Record)
                if (record.valid, record.sample.method) != (valid, method):
                    noted.add(_CLAUSE, where, f"stands under {name}", "move it where it belongs")
                yield where, record


def calls_of(folder: Path, findings: Findings) -> Iterator[tuple[int, Call]]:
    """Yield the usable calls of an evaluation with their places; one of imported replies has none.

    What is wrong with the others is noted.
    """
    if (folder / CALLS).is_file():
        yield from read_typed(folder, Call, findings, clause=_ASKED, longest=LONGEST_LINE)


def role_of(judge: str) -> str:
    """Return the role that a judge has in calls.jsonl."""
    return f"judge:{judge}"
