"""A set of tasks in groups, such as `designs/reference-64.json`.

The paper's sixteen tasks stand in `reference.py`. A set like this one has many more, because an
evaluator at temperature 0 says one thing of a pair: more seeds repeat it, only more tasks add to
it. Each group is one topic, and holds one task of each form. So no topic weighs more than
another, and no form of question can pass for a difference between the domains.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from epc.spec.epc_v1 import Domain

Form = Literal["why", "how", "difference", "choice"]
FORMS: Final[tuple[Form, ...]] = ("why", "how", "difference", "choice")


# Reading R74: tasks that belong together are one unit, however many they are.
@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGroup:
    """The tasks of one topic, one of each form."""

    group: str
    tasks: Mapping[Form, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """Tasks of each domain, in groups (EPC-2.4)."""

    name: str
    description: str
    domains: Mapping[Domain, tuple[TaskGroup, ...]]

    def tasks(self, domain: Domain) -> tuple[str, ...]:
        """Return a domain's tasks, group after group."""
        return tuple(group.tasks[form] for group in self.domains[domain] for form in FORMS)

    def groups(self, domain: Domain) -> tuple[str, ...]:
        """Return the group of each of a domain's tasks, in the order of `tasks`."""
        return tuple(group.group for group in self.domains[domain] for _ in FORMS)
