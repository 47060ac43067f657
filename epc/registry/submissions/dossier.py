"""What a maintainer must judge, in the order of judging, each line as text.

What is claimed, what the record says, what was recomputed, where it was asked, what attests it,
and what to look at. Findings stand beside it in a report.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from epc.printable import shown
from epc.records.manifest import EVALUATOR
from epc.registry import platforms
from epc.registry.kinds.adapter import adapter
from epc.registry.submissions import layout
from epc.registry.submissions.checked import Checked
from epc.registry.submissions.statement import Statement

Topic = Literal["claimed", "recorded", "recomputed", "endpoint", "attestation", "look_at"]
ATTESTED: Final[Topic] = "attestation"
Dossier = Mapping[Topic, tuple[str, ...]]

_NO_ATTESTATION: Final = "none: only the contributor's word says that this was measured"
_ASKED: Final = {
    "direct": "the platform's own address",
    "gateway": "a gateway, which may change questions and answers",
    "unknown": "an address that is not known to be anybody's",
}


def dossier(checked: Checked, author: str | None) -> dict[Topic, tuple[str, ...]]:
    """Return what is said of a submission on each topic, as far as it could be looked into."""
    topics: dict[Topic, Callable[[Checked, str | None], Iterator[str]]] = {
        "claimed": _claimed,
        "recorded": _recorded,
        "recomputed": _recomputed,
        "endpoint": _endpoint,
        "attestation": _attestation,
        "look_at": _look_at,
    }
    return {topic: tuple(map(shown, say(checked, author))) for topic, say in topics.items()}


def _claimed(checked: Checked, author: str | None) -> Iterator[str]:
    if (statement := checked.statement) is None:
        return
    yield f"generation: {statement.generation}"
    yield f"platform: {statement.platform or 'none, a mock'}"
    yield f"asked: {statement.endpoint}"
    yield f"contributor: {statement.contributor}"
    yield f"login: {statement.login}, {_confirmed(statement, author)}"
    yield f"licence: {statement.licence}"
    yield f"conflicts: {statement.conflicts}"
    yield f"replicates: {statement.replicates or 'nothing'}"
    if statement.weights:
        yield f"weights: {statement.weights}"
    if statement.source:
        yield f"source of the verdicts: {statement.source}"


def _confirmed(statement: Statement, author: str | None) -> str:
    if author is None:
        return "which no event of GitHub confirmed"
    same = author.casefold() == statement.login.casefold()
    return "who opened the pull request" if same else f"while {author} opened the pull request"


def _recorded(checked: Checked, _: str | None) -> Iterator[str]:
    yield from adapter(checked.kind).recorded(checked)


def _recomputed(checked: Checked, _: str | None) -> Iterator[str]:
    yield f"first implementation: {checked.first}"
    yield f"second implementation: {checked.second}"


def _endpoint(checked: Checked, _: str | None) -> Iterator[str]:
    for role, model in checked.asked.items():
        if platforms.platform_of(model) == platforms.SELF_HOSTED:
            yield f"{role}: a server of the contributor's own, which answers to any name"
        else:
            places = " or ".join(sorted(platforms.asked_on(model) or ())) or "no certain platform"
            yield f"{role}: {_ASKED[platforms.kind_of(model)]} ({places})"


def _attestation(checked: Checked, _: str | None) -> Iterator[str]:
    if attested := checked.attested:
        yield str(attested)
        yield f"at commit {attested.commit}, at which main itself was: nothing was edited"
        yield f"run: {attested.run}"
    elif any(finding.clause == layout.ATTESTED for finding in checked.findings.kept()):
        yield "refused: the findings say why"
    else:
        yield _NO_ATTESTATION


def _look_at(checked: Checked, author: str | None) -> Iterator[str]:
    """Yield what no check decides, and a person should."""
    statement = checked.statement
    if statement and author is None:
        yield f"is the pull request {statement.login}'s?"
    if statement and statement.conflicts.strip().casefold().rstrip(".") not in {"none", "no"}:
        yield "do the stated interests matter here?"
    if statement and statement.weights:
        yield "does the digest of the weights belong to the generation? nothing here shows it"
    if statement and statement.replicates:
        yield f"does it repeat {statement.replicates}? only an attested one replicates"
    evaluator = checked.asked.get(EVALUATOR)
    if evaluator and platforms.kind_of(evaluator) != "direct":
        yield "is the one in between known, and does it change what is asked?"
    yield from adapter(checked.kind).questions(checked)
