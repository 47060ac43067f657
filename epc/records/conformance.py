"""The conformance suites (EPC-2.8, and the judge protocol's): cases, and a check of any program."""

import gzip
import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from epc import json_text
from epc.errors import ExitCode, Finding, UsageError, able_to, refuse
from epc.printable import shortened
from epc.protocol.results import Json, replay
from epc.records.schemas import SPEC, VERSION
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import disagreements

CLAUSE: Final = "EPC-2.8"
TIMEOUT_S: Final = 60.0
_MAX_SHOWN: Final = 5
Protocol = Literal["epc", "judge"]
_FOLDERS: Final[dict[Protocol, str]] = {"epc": VERSION, "judge": "judge/v1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case of the suite.

    `text` is what a program gets on stdin. It must print `expect`, or exit with 2 where `error`
    names the place that makes the case malformed.
    """

    id: str
    clause: str
    description: str
    text: str
    expect: Json | None
    error: str | None

    @property
    def is_protocol(self) -> bool:
        """Return whether a protocol asks for it; other learning rules are optional (R81)."""
        return self.clause != "Reading R81"


@cache
def suite(protocol: Protocol = "epc") -> tuple[Case, ...]:
    """Return every case of a protocol's current version, in the order of its files."""
    folder = SPEC / "conformance" / _FOLDERS[protocol]
    cases: list[Case] = []
    for file in sorted(folder.iterdir()):
        content = file.read_bytes()
        if file.name.endswith(".gz"):  # as a wheel has them
            content = gzip.decompress(content)
        document = json.loads(content)
        cases.extend(
            Case(
                id=case["id"],
                clause=document["clause"],
                description=case.get("description", document["function"]),
                text=case["given_text"]
                if "given_text" in case
                else _text(protocol, document, case),
                expect=case.get("expect"),
                error=case.get("error"),
            )
            for case in document["cases"]
        )
    return tuple(cases)


def _text(protocol: Protocol, document: Json, case: Json) -> str:
    """Return what a program gets; a case of the judge protocol says which rule is meant."""
    inputs = case["given"]
    request = inputs if protocol == "epc" else {"function": document["function"], "given": inputs}
    return json.dumps(request)


def select(names: Sequence[str], protocol: Protocol = "epc") -> list[Case]:
    """Return the cases whose id is one of the names or begins with one; of none, the protocol's.

    Raises: UsageError for a name that fits no case.
    """
    for name in names:
        if not any(case.id.startswith(name) for case in suite(protocol)):
            raise UsageError(f"no case is called {name!r}: see `epc conformance list`")
    return [
        case
        for case in suite(protocol)
        if (case.id.startswith(tuple(names)) if names else case.is_protocol)
    ]


def answer_text(content: bytes) -> Json:
    """Return the answer to a case as it stands in a file or on stdin.

    Raises: MalformedError with the place of the first problem.
    """
    text, problems = json_text.decode(content)
    value: Any = None
    if not problems:
        value, problems = json_text.parse(text)
    refuse(problems or schema_findings("conformance_case", value, clause=CLAUSE))
    return replay(value)


def check(command: Sequence[str], cases: Sequence[Case]) -> Iterator[tuple[Case, Finding | None]]:
    """Run a program over cases and yield what is wrong with each answer, or None.

    Raises: WorldError if the program cannot be started.
    """
    for case in cases:
        yield case, _problem(command, case)


def _problem(command: Sequence[str], case: Case) -> Finding | None:
    try:
        with able_to("start", command[0]):
            done = subprocess.run(  # noqa: S603  (running the user's program is what is asked for)
                list(command),
                input=case.text.encode(),
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return _finding(case, f"no answer within {TIMEOUT_S:.0f} s", "answer faster")
    if case.expect is None:
        if done.returncode == ExitCode.MISUSE:
            return None
        problem = (
            f"exit code {done.returncode}, expected 2: the case is malformed at {case.error!r}"
        )
        return _finding(case, problem, "refuse malformed cases")
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        problem = f"exit code {done.returncode}, expected 0" + (f" ({lines[-1]})" if lines else "")
        return _finding(case, problem, "answer the case on stdout")
    return _compare(case, done.stdout)


def _compare(case: Case, output: bytes) -> Finding | None:
    text, problems = json_text.decode(output)
    value: Any = None
    if not problems:
        value, problems = json_text.parse(text)
    if problems:
        return _finding(case, f"its answer: {problems[0].problem}", "print one JSON object")
    if places := disagreements(case.expect, value):
        named = [json_pointer or "the whole answer" for json_pointer in places]
        problem = f"differs at {shortened(named, _MAX_SHOWN)}"
        return _finding(case, problem, "compare with the case's `expect`")
    return None


def _finding(case: Case, problem: str, remedy: str) -> Finding:
    return Finding(clause=case.clause, where=f"/{case.id}", problem=problem, remedy=remedy)
