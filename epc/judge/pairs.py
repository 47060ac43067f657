"""Prompt for a labelled pair of answers."""

from string import Template
from typing import Final

from epc.errors import Finding
from epc.judge.prompt import unfilled

PLACES: Final = frozenset({"question", "a", "b"})
_CLAUSE: Final = "Reading R77"


def pair_prompt(template: str, *, question: str, first: str, second: str) -> str:
    """Return the prompt that shows one answer as A and another as B, filled in one pass."""
    return Template(template).substitute(question=question, a=first, b=second)


def pair_template_problem(template: str) -> Finding | None:
    """Return what keeps a text from being a pair's prompt, or None."""
    problem = unfilled(template, PLACES)
    if problem is None and (lacking := {"a", "b"} - {*Template(template).get_identifiers()}):
        problem = f"it has no ${min(lacking)}"
    if problem is None:
        return None
    remedy = "use $a and $b, and $question where the request is to stand; ask for A, B or tie alone"
    return Finding(clause=_CLAUSE, where="", problem=problem, remedy=remedy)
