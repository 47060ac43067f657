"""`epc doctor [MODEL]`."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from epc.cli.asking import evaluator_options, timeout_option
from epc.cli.common import exit_with, now, print_note, print_result
from epc.cli.options import format_option
from epc.errors import WorldError
from epc.spec.epc_v1 import PUBLICATION_SEEDS, ROUNDS, SCREENING_SEEDS

if TYPE_CHECKING:
    from epc.engine.cost_estimate import Need, Way
    from epc.engine.doctor import Check
    from epc.engine.fitness import Diagnosis, Reply

_WAYS: tuple["Way", ...] = ("fresh", "exhaustive")


_Cost = tuple[int, "Way", "Need"]  # what a run of so many seeds takes, asked in one way


@click.command()
@click.argument("model", required=False)
@evaluator_options
@click.option("--executor", metavar="MODEL", help="Model that writes the answers. Default: MODEL.")
@timeout_option
@format_option
def command(
    model: str | None,
    decoding: dict[str, Any],
    executor: str | None,
    timeout_s: float | None,
    form: str,
) -> None:
    r"""Say what is installed and can be used; or whether MODEL can be an evaluator.

    Without MODEL nothing is downloaded and nothing is sent: self-hosted endpoints are only
    connected to. Exits 1 if a measurement with the embedded models is not possible now.

    With MODEL about ten short questions are asked. It says how the model answers, under which
    settings, whether it repeats itself, whether it prefers a place, what a run takes, and the
    command for it. Exits 0 if it can be an evaluator, 1 if something speaks against it, 3 if it
    cannot be reached.

    \b
    Example:
      epc doctor
      epc doctor openai/gpt-5.2 --executor openai/gpt-4o-mini
    """
    if model is None:
        if decoding or executor is not None or timeout_s is not None:
            raise click.UsageError("these options say how a MODEL is asked: name it")
        exit_with(clean=_of_this_machine(form))
    diagnosis = _examined(model, executor, decoding, timeout_s)
    _of_a_model(model, diagnosis, executor, form)
    exit_with(clean=diagnosis.outcome == "ready")


def _mark(check: "Check") -> str:
    """Return the first word of a check's line."""
    if check.ok:
        return "ok     "
    return "missing" if check.needed else "not set"


def _of_this_machine(form: str) -> bool:
    """Say what is there, and return whether all that is needed is."""
    from epc.engine.doctor import examine

    checks = examine(os.environ)
    print_result(
        form,
        lambda: [{"what": c.subject, "ok": c.ok, "found": c.state, "fix": c.fix} for c in checks],
        lambda: (
            f"{_mark(check)} {check.subject}: {check.state}"
            + ("" if check.ok else f"\n        fix: {check.fix}")
            for check in checks
        ),
    )
    return all(check.ok or not check.needed for check in checks)


def _of_a_model(name: str, diagnosis: "Diagnosis", executor: str | None, form: str) -> None:
    from epc.engine.cost_estimate import STAND_IN
    from epc.engine.session import writes

    writer = executor or (name if writes(diagnosis.model) else STAND_IN)
    costs = _costs(name, diagnosis, writer)
    print_result(
        form,
        lambda: _document(name, diagnosis, writer, costs),
        lambda: "\n".join(_lines(name, diagnosis, writer, costs)),
    )


def _examined(
    name: str, executor: str | None, changes: dict[str, Any], timeout_s: float | None
) -> "Diagnosis":
    """Ask the model.

    Raises: WorldError if it cannot be reached; UsageError if it cannot be asked like this.
    """
    from epc.cli.run_session import fetch_weights_if_named
    from epc.engine.budget import Limits
    from epc.engine.catalog import open_model
    from epc.engine.fitness import examine
    from epc.engine.model import CallError
    from epc.engine.session import require_role
    from epc.engine.sitting import require_keys, restrain
    from epc.engine.task_group import run_until_ctrl_c

    fetch_weights_if_named(name, executor)
    model = open_model(name)
    require_role("evaluator", model)
    require_keys([model])
    restrain([model], Limits(timeout_s=timeout_s))

    async def asking() -> "Diagnosis":
        try:
            return await examine(model, changes)
        finally:
            await model.close()

    print_note(f"asking   {name} about ten questions")
    try:
        return run_until_ctrl_c(asking())
    except CallError as error:
        raise WorldError(str(error)) from None


def _document(
    name: str, diagnosis: "Diagnosis", executor: str, costs: Sequence[_Cost]
) -> dict[str, Any]:
    from epc.engine.secrets import redact
    from epc.records.layout import decoding_json

    return {
        "model": name,
        "endpoint": diagnosis.model.identity.endpoint,
        "outcome": diagnosis.outcome,
        "settings": _settings(diagnosis.changes),
        "decoding": decoding_json(diagnosis.decoding),
        "calls": diagnosis.calls,
        "seconds_a_call": round(diagnosis.seconds, 3),
        "answers": [
            _answer(answer, redact(answer.completion.text[:60])) for answer in diagnosis.answers
        ],
        "repeats": diagnosis.repeats,
        "one_place": diagnosis.one_place,
        "findings": [finding.as_json() for finding in diagnosis.findings],
        "executor": executor,
        "costs": [_cost_json(*cost) for cost in costs],
        "command": _command(name, diagnosis, executor),
    }


def _answer(answer: "Reply", text: str) -> dict[str, Any]:
    return {
        "pair": answer.probe.answer.task,
        "good_first": answer.probe.first == "answer",
        "kind": answer.kind,
        "verdict": answer.verdict.value,
        "reasoned": answer.reasoned,
        "in_parts": answer.in_parts,
        "limit_field": answer.completion.limit_field,
        "finish_reason": answer.completion.finish_reason,
        "text": text,
        "seconds": round(answer.seconds, 3),
    }


def _costs(name: str, diagnosis: "Diagnosis", executor: str) -> list[_Cost]:
    from epc.engine.cost_estimate import Pace, need

    pace = Pace(seconds=diagnosis.seconds, at_once=diagnosis.model.concurrency)
    priced = partial(need, name, executor, rounds=ROUNDS, pace=pace, decoding=diagnosis.changes)
    return [
        (seeds, way, priced(way, seeds=seeds, now=now()))
        for seeds in (SCREENING_SEEDS, PUBLICATION_SEEDS)
        for way in _WAYS
    ]


def _cost_json(seeds: int, way: "Way", need: "Need") -> dict[str, Any]:
    return {
        "seeds": seeds,
        "way": way,
        "calls": need.calls,
        "tokens": need.tokens_in + need.tokens_out,
        "cost": need.cost,
        "seconds": need.seconds,
        "refused": need.refused,
    }


def _cost_line(seeds: int, way: "Way", need: "Need") -> str:
    head = f"{seeds:>7}  {way:<12}"
    if need.refused is not None:
        return f"{head}not possible: {need.refused.partition(',')[0]}"
    dollars = "unknown" if need.cost is None else f"{need.cost:,.2f}"
    tokens, minutes = need.tokens_in + need.tokens_out, f"{need.seconds / 60:,.1f} min"
    return f"{head}{need.calls:>9,.0f}{tokens:>12,.0f}{dollars:>10}{minutes:>11}"


def _settings(changes: Any) -> list[str]:
    """Return the words that ask for settings."""
    arguments: list[str] = []
    for setting, value in changes.items():
        if setting == "body":
            arguments += [w for key in value for w in ("--body", f"{key}={json.dumps(value[key])}")]
        else:
            text = "none" if value is None else str(value)
            arguments += [f"--{setting.replace('_', '-')}", text]
    return arguments


def _command(name: str, diagnosis: "Diagnosis", executor: str) -> str:
    way = ["--exhaustive"] if diagnosis.reusable else ["--reuse", "none"]
    arguments = ["epc", "run", "--evaluator", name, *_settings(diagnosis.changes)]
    return shlex.join([*arguments, "--executor", executor, *way])


def _lines(name: str, diagnosis: "Diagnosis", executor: str, costs: Sequence[_Cost]) -> list[str]:
    outcome_texts = {
        "ready": "can be an evaluator",
        "limited": "can be an evaluator, with findings",
    }
    endpoint = diagnosis.model.identity.endpoint
    kinds = Counter(answer.kind for answer in diagnosis.answers)
    how = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    also = [
        *(["after reasoning"] if any(answer.reasoned for answer in diagnosis.answers) else []),
        *(["in parts"] if any(answer.in_parts for answer in diagnosis.answers) else []),
    ]
    lines = [
        f"{name}: {outcome_texts.get(diagnosis.outcome, 'cannot be an evaluator')}",
        f"endpoint   {endpoint}, {diagnosis.calls} calls, {diagnosis.seconds:.2f} s each",
        f"settings   {shlex.join(_settings(diagnosis.changes)) or 'the usual ones'}",
        f"answers    {'; '.join([how, *also])}",
        f"repeats    {'yes' if diagnosis.repeats else 'no'}, one question asked three times",
        f"places     one letter in both orders of {diagnosis.one_place} of 3 pairs",
    ]
    for finding in diagnosis.findings:
        lines += [f"finding    {finding.problem} [{finding.clause}]"]
        lines += [f"           fix: {finding.remedy}"]
    lines += ["", f"{'seeds':>7}  {'asked':<12}{'calls':>9}{'tokens':>12}{'USD':>10}{'time':>11}"]
    lines += [_cost_line(*cost) for cost in costs]
    if diagnosis.outcome != "unfit":
        lines += ["", _command(name, diagnosis, executor)]
    return lines
