"""Rubric mappings as files (JUDGE-2.5)."""

from pathlib import Path

from epc.digests import sha256
from epc.errors import Finding, MalformedError
from epc.judge.mapping import CLAUSE, RubricMapping, read_mapping
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.judging.documents import Plan, Reference
from epc.records.judging.layout import MAPPING
from epc.records.schemas import findings as schema_findings


def check_mapping(path: Path) -> tuple[Json, RubricMapping]:
    """Return a mapping file's document and what it means.

    Raises: MalformedError if it does not fit its schema or makes no sense; WorldError if it
    cannot be read.
    """
    value, problems = strict_json.read(path)
    problems = problems or schema_findings("judge_mapping", value, clause=CLAUSE)
    mapping = None
    if not problems:
        mapping, problems = read_mapping(value)
    if mapping is None:
        raise MalformedError(problems[0])
    return value, mapping


def reference(document: Json) -> Reference:
    """Return what plans and records say of a mapping: its id and the digest of its document."""
    text = strict_json.dumps(document)
    return Reference(id=document["id"], sha256=sha256(text.encode("utf-8")))


def load_mapping(folder: Path, plan: Plan) -> RubricMapping | None:
    """Return the mapping of an evaluation, or None if it uses none.

    Raises: MalformedError if it is no longer what was planned.
    """
    if plan.mapping is None:
        return None
    document, mapping = check_mapping(folder / MAPPING)
    if reference(document) != plan.mapping:
        problem = f"{folder / MAPPING} is not the mapping that was planned: its SHA-256 differs"
        remedy = "restore the file, or plan again"
        raise MalformedError(Finding(clause=CLAUSE, where="", problem=problem, remedy=remedy))
    return mapping
