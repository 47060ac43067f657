"""Design files: one's own tasks, strategies, prompts and rule, as a configuration (EPC-2.2 to 2.8).

What a design does not state is the reference's. The reference is itself such a file, and so is
the larger set of tasks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec import Struct

from epc.errors import UsageError, is_clean
from epc.protocol.config import Configuration
from epc.protocol.results import Json
from epc.protocol.rules import rule_json, rule_of
from epc.records.findings import CheckResult
from epc.records.schemas import SPEC
from epc.spec.domains import Domain, Domains
from epc.spec.reference import Strategy

if TYPE_CHECKING:
    from epc.records.strict_yaml import Document

SCHEMA_VERSION: Final = 2
NAMES: Final = ("reference", "reference-64", "reviews", "support-en-es")
_EXAMPLE: Final = "example"
_BESIDE: Final = ("name", "description", "checker")
_STATED: Final = ("baseline", "evaluator_prompt", "executor_prompt")


class Design(Struct, frozen=True, kw_only=True):
    """A named configuration of everything but models, seeds and decoding.

    `checker` is the user's program that says how right an answer is (Reading R91).
    """

    name: str
    description: str = ""
    config: Configuration
    checker: str | None = None

    @staticmethod
    def load(source: str | Path) -> "Design":
        """Return a design by its name, or from its file.

        Raises: WorldError if the file cannot be read; UsageError with every finding if it is wrong.
        """
        checked = check(str(source))
        if checked.design is None:
            raise UsageError(
                f"{source} is no design that a run can be made of\n" + "\n".join(checked.lines())
            )
        return checked.design

    @classmethod
    def parse(cls, document: Json) -> Self:
        """Return the design of a document that `epc.records.design_findings` has admitted."""
        fields: dict[str, Any] = {key: document[key] for key in _STATED if key in document}
        if "strategies" in document:
            fields["strategies"] = tuple(
                Strategy(name=s["name"], domain=s.get("domain"), prompt=s["prompt"])
                for s in document["strategies"]
            )
        if "rounds" in document:
            fields["rounds"] = int(document["rounds"])  # to JSON Schema 5.0 is an integer
        domains = document["domains"]
        tasks = {domain: tasks_of(domains[domain]) for domain in Domains.from_names(domains).names}
        config = Configuration(
            rule=rule_of(document.get("rule", {})),
            tasks={domain: tuple(task for task, _ in listed) for domain, listed in tasks.items()},
            groups=_groups(tasks),
            **fields,
        )
        return cls(config=config, **{key: document[key] for key in _BESIDE if key in document})

    def document(self) -> Json:
        """Return the document of the design, with everything stated that it leaves out."""
        config = self.config
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "description": self.description,
            "rounds": config.rounds,
            "rule": rule_json(config.rule),
            "baseline": config.baseline,
            "strategies": [
                {"name": s.name, "prompt": s.prompt}
                | ({} if s.domain is None else {"domain": s.domain})
                for s in config.strategies
            ],
            "evaluator_prompt": config.evaluator_prompt,
            "executor_prompt": config.executor_prompt,
            "domains": {domain: _listed(config, domain) for domain in config.domains.names},
            **({"checker": self.checker} if self.checker else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignCheck(CheckResult):
    """Findings of a design's source, and the design if nothing worse than a warning was found."""

    document: "Document"
    design: Design | None

    def lines(self) -> list[str]:
        """Return each finding with its file and line."""
        placed = ((self.document.line(finding.where), finding) for finding in self.findings)
        return [
            f"{self.path}:{'' if line is None else f'{line}:'} {finding}"
            for line, finding in placed
        ]

    def as_json(self) -> Json:
        """Return the report as `epc design check --format json` prints it."""
        listed = [
            {**finding.as_json(), "line": self.document.line(finding.where)}
            for finding in self.findings
        ]
        return {"path": self.path, "ok": self.ok, "findings": listed}


def check(source: str) -> DesignCheck:
    """Return what is wrong with a design, by its name or in its file.

    Raises: WorldError if the file cannot be read; UsageError if there is none.
    """
    if source not in NAMES and not Path(source).exists():
        choices = ", ".join(NAMES)
        raise UsageError(f"there is no design {source!r}: name a file, or one of {choices}")
    from epc.records.design_findings import findings_of

    document = document_of(source)
    listed = findings_of(document)
    design = Design.parse(document.value) if is_clean(listed) else None
    return DesignCheck(path=source, document=document, findings=listed, design=design)


def tasks_of(listed: list[Any]) -> list[tuple[str, str | None]]:
    """Return a domain's tasks in their order, each with its group, if it has one."""
    return [
        (task, group)
        for item in listed
        for group, tasks in [
            (item["group"], item["tasks"]) if isinstance(item, dict) else (None, [item])
        ]
        for task in tasks
    ]


@cache
def packaged(name: str) -> Design:
    """Return one of this package's designs."""
    from epc.records.strict_yaml import parse

    return Design.parse(parse(text(name)).value)


def example() -> str:
    """Return the text of an example with comments, to be changed into one's own design."""
    return text(_EXAMPLE)


def document_of(source: str) -> "Document":
    """Return the document of a design by its name, or else in its file.

    Raises: WorldError if the file cannot be read.
    """
    from epc.records.strict_yaml import parse, read

    if source in NAMES:
        return parse(text(source))
    return read(Path(source))


def text(name: str) -> str:
    """Return the text of one of this package's designs, with its comments."""
    return (SPEC / "designs" / f"{name}.yaml").read_text("utf-8")


def _groups(
    tasks: Mapping[Domain, list[tuple[str, str | None]]],
) -> dict[Domain, tuple[str, ...]] | None:
    """Return the group of each task; None if there are none (Reading R74)."""
    groups = {
        domain: tuple(g for _, g in listed if g is not None) for domain, listed in tasks.items()
    }
    return groups if any(groups.values()) else None


def _listed(config: Configuration, domain: Domain) -> list[Any]:
    tasks = config.tasks[domain]
    if config.groups is None:
        return list(tasks)
    members: dict[str, list[str]] = {}
    for task, group in zip(tasks, config.groups[domain], strict=True):
        members.setdefault(group, []).append(task)
    return [{"group": group, "tasks": listed} for group, listed in members.items()]
