"""`epc conformance list` and `epc conformance check -- CMD...`."""

import json
import sys
from typing import TYPE_CHECKING, Final

import click

from epc.cli.common import exit_with, print_result
from epc.cli.options import format_option, with_default
from epc.errors import Finding, UsageError
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
@click.option("--all", "every_case", is_flag=True, help="Learning rules other than EPC's as well.")
@_protocol_option
@format_option
@click.argument("program", nargs=-1, required=True, metavar="-- CMD...")
def check(
    cases: tuple[str, ...],
    every_case: bool,
    protocol: "Protocol",
    form: str,
    program: tuple[str, ...],
) -> None:
    r"""Run a program over the suite and list every answer that differs.

    The program is started once a case, reads the case on stdin and prints its answer on stdout;
    for a malformed case it exits with 2. Answers agree within 1e-12. Exits 1 if any differs.
    Cases of learning rules other than the protocol's are run with --all, or where --case names
    them: EPC-v1.0-compatible needs none of them.

    \b
    Example:
      epc conformance check -- epc replay -
      epc conformance check -- perl tests/conformance/reference.pl
      epc conformance check --all -- epc replay -
      epc conformance check --protocol judge -- perl tests/conformance/reference_judge.pl
    """
    from epc.records.conformance import check as check_program
    from epc.records.conformance import select, suite

    if cases and every_case:
        raise UsageError("--all runs every case, --case only some: leave one of them out")
    cases_of_suite = suite(protocol)
    chosen = cases_of_suite if every_case else select(cases, protocol)
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
        meaning = "a part of the suite only" if cases else _COMPATIBLE[protocol]
        click.echo(f"{passed} of {len(chosen)} cases passed{'' if findings else f': {meaning}'}")
        if left := 0 if cases else len(cases_of_suite) - len(chosen):
            click.echo(f"not run: {left} cases of other learning rules (--all runs them)")
    exit_with(clean=not findings)
