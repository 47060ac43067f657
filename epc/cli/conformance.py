"""`epc conformance list` and `epc conformance check -- CMD...`."""

import json
import sys
from typing import TYPE_CHECKING, Final

import click

from epc.cli.common import exit_with, print_result
from epc.cli.options import format_option, with_default
from epc.errors import Finding
from epc.printable import aligned

if TYPE_CHECKING:
    from epc.records.conformance import Protocol

_COMPATIBLE: Final = {"epc": "EPC-v1.0-compatible", "judge": "Judge-v1.0-compatible"}

_protocol_option = with_default(
    "--protocol",
    click.Choice(list(_COMPATIBLE)),
    "epc",
    "Protocol to test: EPC, or the judge protocol with Readings R20 to R27.",
)


@click.group()
def command() -> None:
    """The suites that qualify an implementation of EPC (EPC-2.8) or of the judge protocol."""


@command.command(name="list")
@click.argument("cases", nargs=-1)
@_protocol_option
@format_option
def list_cases(cases: tuple[str, ...], protocol: "Protocol", form: str) -> None:
    r"""List the CASES (all, or those whose id begins so); as JSON with input and answer.

    \b
    Example:
      epc conformance list
      epc conformance list --format json floor-01
      epc conformance list --protocol judge
    """
    from epc.records.conformance import select, suite

    chosen = select(cases, protocol) if cases else suite(protocol)
    print_result(
        form,
        lambda: [
            {
                "id": case.id,
                "clause": case.clause,
                "description": case.description,
                "stdin": case.text,
                "expect": case.expect,
                "error": case.error,
            }
            for case in chosen
        ],
        lambda: aligned([(case.id, case.clause, case.description) for case in chosen]),
    )


@command.command(context_settings={"ignore_unknown_options": True})
@click.option("--case", "cases", multiple=True, help="Only cases whose id begins so; repeatable.")
@_protocol_option
@format_option
@click.argument("program", nargs=-1, required=True, metavar="-- CMD...")
def check(
    cases: tuple[str, ...],
    protocol: "Protocol",
    form: str,
    program: tuple[str, ...],
) -> None:
    r"""Run a program over the suite and list every answer that differs.

    The program is started once a case, reads the case on stdin and prints its answer on stdout;
    for a malformed case it exits with 2. Answers agree within 1e-12. Exits 1 if any differs.
    Learning rules other than the protocol's are checked where --case names them.

    \b
    Example:
      epc conformance check -- epc replay -
      epc conformance check -- perl tests/conformance/reference.pl
      epc conformance check --case rule -- epc replay -
      epc conformance check --protocol judge -- perl tests/conformance/reference_judge.pl
    """
    from epc.records.conformance import check as check_program
    from epc.records.conformance import select

    chosen = select(cases, protocol)
    findings: list[Finding] = []
    for done, (_, finding) in enumerate(check_program(program, chosen), 1):
        findings.extend([finding] if finding is not None else [])
        if sys.stderr.isatty():
            click.echo(f"\r{done} of {len(chosen)}", nl=done == len(chosen), err=True)
    passed = len(chosen) - len(findings)
    if form == "json":
        listed = [finding.as_json() for finding in findings]
        click.echo(json.dumps({"cases": len(chosen), "passed": passed, "findings": listed}))
    else:
        for finding in findings:
            click.echo(str(finding))
        click.echo(f"{passed} of {len(chosen)} cases passed{_meaning(findings, cases, protocol)}")
    exit_with(clean=not findings)


def _meaning(findings: list[Finding], cases: tuple[str, ...], protocol: "Protocol") -> str:
    if findings:
        return ""
    return ": a part of the suite only" if cases else f": {_COMPATIBLE[protocol]}"
