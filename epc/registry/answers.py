"""Is a repetition a measurement of its own? What two runs asked, and whether the answers differ.

An evaluator that is asked afresh may answer alike; so does a copy of a file. Nobody can tell the
one from the other by the answers, so what adds no answer of its own is called re-executed. So is
what cannot show when each answer was given, and under which name the provider gave it.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from epc.analysis.sharing import ASKED, BATCHED, Answer, answer_of, shared
from epc.json_text import lines_of
from epc.records import strict_json
from epc.records.calls import call_of
from epc.records.layout import CALLS
from epc.records.row_types import Call
from epc.registry import layout
from epc.registry.file_sources import reader
from epc.registry.platforms import SELF_HOSTED, named
from epc.registry.store import fetched
from epc.registry.sums import parse_sums

Answers = Mapping[tuple[str, str | None], str]  # by what was asked, and on which occasion

_OWN_SERVER: Final = frozenset({SELF_HOSTED})  # its names of requests are not unique
_SAMPLED_NOT: Final = frozenset({"local", "mock"})  # platforms that answer alike every time
_HALF: Final = 2


def answers_of(calls: Iterable[Call], role: str) -> Answers:
    """Return what a role answered in a run's calls."""
    return {(call.prompt, call.occasion): call.answer for call in calls if call.role == role}


def calls_of(run: Path) -> list[Call]:
    """Return the calls of a run folder that was found valid."""
    rows = strict_json.read_lines(run / CALLS, "calls")
    return [call_of(row) for _, row, wrong in rows if not wrong]


def published_calls(checkout: Path, tag: str) -> list[Call]:
    """Return the calls of a measured snapshot from the store, each file as it was published.

    Raises: MalformedError if one is not; WorldError if it cannot be read.
    """
    home = reader(str(checkout / layout.FOLDER))
    sums = parse_sums(home(f"{tag}/{layout.SUMS}").decode()) or {}
    pointer = home(f"{tag}/{layout.POINTER}").decode()
    blobs = reader(str(checkout / layout.FOLDER / layout.STORE))
    (content,) = (text for path, text in fetched(pointer, sums, blobs) if path == CALLS)
    return [call_of(json.loads(line)) for line in lines_of(content.decode()) if line.strip()]


def re_executed(own: list[Call], other: list[Call]) -> str:
    """Say in which way a run adds no answers to those of another; empty if it adds its own.

    Either its evaluator's answers do not show that they are fresh, each with its own time and its
    provider's name of the request; or they are one and the same, by time, latency and reply; or it
    answered whatever both asked alike, and that is half of what one of them asked; or the executor,
    whose texts are sampled anew in every run, gave half of its texts twice.
    """
    # Reading R76: shared answers are no second measurement.
    if problem := _unfresh(own, other):
        return problem
    one, another = _told_apart(own), _told_apart(other)
    if copied := shared(one, another).count:
        return f"{copied:,} of the evaluator's {len(one):,} answers are the other's"
    answers, before = answers_of(own, "evaluator"), answers_of(other, "evaluator")
    both = answers.keys() & before.keys()
    if _is_half(both, answers, before) and all(answers[key] == before[key] for key in both):
        return f"all {len(both):,} verdicts on what both asked are the other's"
    written, earlier = (_texts(answers_of(calls, "executor")) for calls in (own, other))
    texts = written & earlier
    if _is_sampled(own) and _is_half(texts, written, earlier):
        return f"{len(texts):,} of the executor's {len(written):,} texts are the other's"
    return ""


def request_ids(calls: Iterable[Call]) -> frozenset[str]:
    """Return the names that a provider gave to what an evaluator, or a judge, was asked.

    A server of one's own, which gives the same ones again, names nothing.
    """
    hosted_calls = (call for call in calls if call.role != "executor" and is_hosted(call.model))
    return frozenset(call.request_id for call in hosted_calls if call.request_id)


def _unfresh(own: list[Call], other: list[Call]) -> str:
    """Say why answers of an evaluator that has a clock are not known to be new ones."""
    calls = [c for c in own if c.role == "evaluator" and not _only(c.model, _SAMPLED_NOT)]
    many = f"of the evaluator's {len(calls):,} answers"
    if old := sum(c.origin not in (ASKED, BATCHED) or not c.answered_at for c in calls):
        return f"{old:,} {many} are not known to be fresh"
    hosted = [call for call in calls if is_hosted(call.model)]
    if unnamed := len(hosted) - len(request_ids(hosted)):
        return f"{unnamed:,} {many} have no request id of their own"
    before = {(c.prompt, c.occasion, c.answered_at) for c in other if c.answered_at}
    if timed := sum((c.prompt, c.occasion, c.answered_at) in before for c in calls):
        return f"{timed:,} {many} have the other's times"
    return ""


def is_hosted(model: str) -> bool:
    """Whether a model's name can be one that a provider serves, who names each request."""
    return not _only(model, _SAMPLED_NOT) and not _only(model, _OWN_SERVER)


def _only(model: str, places: Collection[str]) -> bool:
    """Whether a model's name means one on no other platform than these."""
    platforms = named(model)
    return platforms is not None and platforms <= frozenset(places)


def _told_apart(calls: list[Call]) -> dict[str, Answer]:
    """Return the evaluator's answers that state what no two answers have in common."""
    distinct_calls = (call for call in calls if call.latency_s or call.reply)
    return {call.id: answer_of(call) for call in distinct_calls if call.role == "evaluator"}


def _is_sampled(calls: list[Call]) -> bool:
    """Whether a run's executor writes another text whenever it is asked."""
    executors = {call.model for call in calls if call.role == "executor"}
    return any(not _only(model, _SAMPLED_NOT) for model in executors)


def _texts(answers: Answers) -> set[str]:
    return {" ".join(text.split()) for text in answers.values()}


def _is_half(both: Collection[object], one: Collection[object], other: Collection[object]) -> bool:
    return bool(both) and _HALF * len(both) >= min(len(one), len(other))
