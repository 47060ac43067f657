"""Judge prompts and mappings as files with an id and a digest, and the prompts used (JUDGE-9.1)."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epc.digests import sha256
from epc.errors import Finding, MalformedError, UsageError, able_to
from epc.judge.mapping import CLAUSE, RubricMapping, read_mapping
from epc.judge.prompt import template_problem
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.judging.documents import (
    MAPPING,
    PROMPT_MANIFEST,
    PROMPTS,
    Plan,
    Reference,
    require_planned,
)
from epc.records.schemas import SPEC
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import text_of, write_bytes, write_text
from epc.spec.judge_v1 import Method

DEFAULT: Final = "judge-v1"
_ID: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_PURPOSES: Final = {"cross_judge": "cross-model judging", "self_judge": "self-judging"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrompt:
    """A prompt template: its id is its file's name without the ending."""

    id: str
    template: str

    @property
    def reference(self) -> Reference:
        """Reference to the prompt in records and plans."""
        return Reference(id=self.id, sha256=sha256(self.template.encode("utf-8")))


def read_prompt(
    path: Path | None,
    default: str = DEFAULT,
    problem_of: Callable[[str], Finding | None] = template_problem,
) -> JudgePrompt:
    """Return the prompt of a file, or the one of this package that is called `default`.

    `problem_of` says what keeps a text from being such a prompt.

    Raises: UsageError if its name makes no id; MalformedError if it cannot be filled.
    """
    if path is None:
        text = (SPEC / "judge_prompts" / f"{default}.txt").read_text("utf-8")
        return JudgePrompt(id=default, template=text)
    if not _ID.fullmatch(path.stem):
        raise UsageError(f"{path.name}: name a prompt file with a-z, 0-9 and ._- only")
    prompt = JudgePrompt(id=path.stem, template=text_of(path, "JUDGE-9.1"))
    if (problem := problem_of(prompt.template)) is not None:
        raise MalformedError(problem)
    return prompt


def write_prompts(folder: Path, prompts: Mapping[Method, JudgePrompt]) -> None:
    """Write the prompts of an evaluation, by method, and their list.

    Raises: UsageError if two prompts share an id; WorldError if the disk refuses.
    """
    texts: dict[str, str] = {}
    for prompt in prompts.values():
        if texts.setdefault(prompt.id, prompt.template) != prompt.template:
            raise UsageError(f"two prompts are called {prompt.id}: rename one of the files")
    with able_to("make", folder / PROMPTS):
        (folder / PROMPTS).mkdir(exist_ok=True)
    for name, text in texts.items():
        write_bytes(prompt_path(folder, name), [text.encode("utf-8")])
    write_text(folder / PROMPT_MANIFEST, [f"{line}\n" for line in _manifest(prompts)])


def load_prompts(folder: Path, plan: Plan) -> dict[Method, JudgePrompt]:
    """Return the prompts of an evaluation by method.

    Raises: MalformedError if one is no longer what was planned; WorldError if it cannot be read.
    """
    loaded: dict[Method, JudgePrompt] = {}
    for method, planned in plan.prompts.items():
        path = prompt_path(folder, planned.id)
        prompt = read_prompt(path)
        require_planned(path, "prompt", matches=prompt.reference == planned, clause="JUDGE-9.1")
        loaded[method] = prompt
    return loaded


def prompt_path(folder: Path, name: str) -> Path:
    """Return where a prompt stands."""
    return folder / PROMPTS / f"{name}.txt"


def _manifest(prompts: Mapping[Method, JudgePrompt]) -> Iterator[str]:
    yield "# Judge prompts used"
    yield ""
    yield "| used for | id | SHA-256 | file |"
    yield "|---|---|---|---|"
    for method, prompt in prompts.items():
        sha = prompt.reference.sha256
        path = f"{PROMPTS}/{prompt.id}.txt"
        yield f"| {_PURPOSES[method]} | `{prompt.id}` | `{sha}` | [{path}]({path}) |"
    if not prompts:
        yield "| none: the replies were imported | | | |"


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
    path = folder / MAPPING
    document, mapping = check_mapping(path)
    require_planned(path, "mapping", matches=reference(document) == plan.mapping, clause=CLAUSE)
    return mapping
