"""`epc snapshot sign|witness|checked`: what others than the contributor stand for."""

from pathlib import Path

import click

from epc.cli.common import echo_json, format_option, note, now, say
from epc.errors import ExitCode


@click.command()
@click.pass_context
def sign(ctx: click.Context) -> None:
    r"""Sign the head of the events' chain with the SSH key that git signs with.

    Publications, withdrawals and other events sign it too, where git has such a key (gpg.format
    ssh, user.signingkey) and snapshots/allowed_signers names it. Exits 1 if it is not signed.

    \b
    Example:
      epc snapshot sign
    """
    from epc.registry.chain import event_lines, signed_heads
    from epc.registry.chain import sign as sign_head
    from epc.registry.locking import locked
    from epc.registry.reading import find_checkout

    checkout = find_checkout(Path.cwd())
    with locked(checkout, tell=note) as lock:
        say(sign_head(lock))
    kept = signed_heads(checkout)
    whole = kept and kept[-1].events == len(event_lines(checkout))
    ctx.exit(ExitCode.CLEAN if whole else ExitCode.FINDINGS)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@format_option
@click.pass_context
def witness(ctx: click.Context, file: Path, form: str) -> None:
    r"""Hold the registry against FILE, which was written before, and bring FILE up to date.

    Keep FILE where the registry's maintainers cannot write, beside a mirror for instance. Names
    events that were removed, changed or moved, and a history that was rewritten. Then FILE stays
    as it is, and the command exits 1.

    \b
    Example:
      epc snapshot witness ../witness.json
    """
    from epc.registry import witness as witnesses
    from epc.registry.reading import find_checkout

    checkout = find_checkout(Path.cwd())
    findings = witnesses.against(witnesses.read(file), checkout) if file.exists() else []
    failed = any(finding.severity == "error" for finding in findings)
    if form == "json":
        echo_json([finding.as_json() for finding in findings])
    else:
        for finding in findings:
            say(str(finding))
    if not failed:
        found = witnesses.seen(checkout, now().date())
        witnesses.write(file, found)
        note(f"{file}: {len(found.events)} events, head {found.head}")
    ctx.exit(ExitCode.FINDINGS if failed else ExitCode.CLEAN)


@click.command()
@click.argument("report", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--by", required=True, metavar="LOGIN", help="Who asked.")
def checked(report: Path, by: str) -> None:
    r"""Add a spot check to the registry, from what `epc verify --spot-check N TAG --out` wrote.

    The draw, the recorded verdicts, the figures and the address are checked again. Whoever measured
    cannot add one. If it agrees, the snapshot's step of trust is `spot-checked`.

    \b
    Example:
      epc snapshot checked check.json --by somebody-else
    """
    from epc.registry.locking import locked
    from epc.registry.reading import find_checkout
    from epc.registry.spot_checks import add

    with locked(find_checkout(Path.cwd()), tell=note) as lock:
        line = add(lock, report, by=by, day=now().date())
    say(f"{line.tag}  {line.verdict}: {line.agreed} of {line.pairs}")
    note("added to snapshots/spot_checks.jsonl; commit it with snapshots/spot-checks")
