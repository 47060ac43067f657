"""`epc admin snapshot witness|checked`: what others than the contributor stand for."""

from pathlib import Path

import click

from epc.cli.common import (
    checkout_here,
    is_clean,
    leave,
    locked_here,
    note,
    now,
    say,
    say_findings,
)
from epc.cli.options import FILE, NEW_FILE, format_option


@click.command()
@click.argument("file", type=NEW_FILE)
@format_option
def witness(file: Path, form: str) -> None:
    r"""Hold the registry against FILE, which was written before, and bring FILE up to date.

    Keep FILE where the registry's maintainers cannot write, beside a mirror for instance. Names
    published files and events that were removed or changed, and a history that was rewritten.
    Then FILE stays as it is, and the command exits 1.

    \b
    Example:
      epc admin snapshot witness ../witness.json
    """
    from epc.records.strict_json import write
    from epc.records.typed import as_json
    from epc.registry import witness as witnesses

    checkout = checkout_here()
    findings = witnesses.against(witnesses.read(file), checkout) if file.exists() else []
    say_findings(findings, form)
    if is_clean(findings):
        state = witnesses.seen(checkout, now().date())
        write(file, as_json(state))
        note(f"{file}: commit {state.commit}, SHA-256 {state.sha256}")
    leave(clean=is_clean(findings))


@click.command()
@click.argument("report", type=FILE)
def checked(report: Path) -> None:
    r"""Add a spot check to the registry, from what `epc watch TAG --spot-check N --out` wrote.

    The draw, the recorded verdicts, the figures and the address are checked again. The command
    commits it with your SSH key (gpg.format ssh, user.signingkey), which snapshots/allowed_signers
    has to name; whoever measured cannot. If it agrees, the snapshot is `spot-checked`.

    \b
    Example:
      epc admin snapshot checked check.json
    """
    from epc.registry.spot_checks import add

    with locked_here() as lock:
        check = add(lock, report)
    agreement = check.agreement
    say(f"{check.tag}  {agreement.verdict}: {agreement.agreed} of {agreement.pairs}")
