"""One reply beside its sample and its output: the files that `epc judge check` reads."""

from pathlib import Path

from epc.errors import UsageError, able_to, refuse
from epc.judge.check import Checked, check
from epc.judge.evidence import Output
from epc.judge.samples import Sample
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse


def check_files(response: Path, sample: Path, output: Path) -> Checked:
    """Return what a reply is worth that stands in a file.

    Raises: MalformedError if the sample cannot be used; UsageError if a file is larger than any
    document here; WorldError if one cannot be read.
    """
    request, folded = read_sample(sample), Output(content_of(output).decode("utf-8", "replace"))
    return check(content_of(response), request, folded)


def read_sample(path: Path) -> Sample:
    """Return the sample of a file.

    Raises: MalformedError if it cannot be used; WorldError if it cannot be read.
    """
    value, problems = strict_json.read(path)
    refuse(problems or schema_findings("judge_sample", value, clause="JUDGE-0"))
    return parse(value, Sample)


def content_of(path: Path) -> bytes:
    """Return the bytes of a file of at most the size of a document.

    Raises: UsageError if it is larger; WorldError if it cannot be read.
    """
    most = strict_json.MAX_DOCUMENT_BYTES
    with able_to("read", path), path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise UsageError(f"{path} is larger than {most:,} bytes: no judge reads or writes so much")
    return content
