"""The folder of an evaluation: what its files are called.

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

No name comes from an identifier or an output: those stand inside the files only.
"""

from pathlib import Path
from typing import Final, TypeVar

from epc.errors import Finding, MalformedError, UsageError
from epc.json_text import MAX_DOCUMENT_BYTES
from epc.records import schemas, strict_json
from epc.records.judging.documents import Plan, RunLog
from epc.records.layout import require_unpublished

T = TypeVar("T")

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
    return schemas.load(path, schema, kind, clause="JUDGE-7.4")


def require_planned(path: Path, what: str, *, same: bool, clause: str) -> None:
    """Make sure that a file is still what an evaluation was planned with.

    Raises: MalformedError.
    """
    if not same:
        problem = f"{path} is not the {what} that was planned: its SHA-256 differs"
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


def role_of(judge: str) -> str:
    """Return the role that a judge has in calls.jsonl."""
    return f"judge:{judge}"
