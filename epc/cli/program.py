"""The `epc` program: its commands, loaded when called, and its way of failing.

A failure is one line and what to do next, never a traceback. `EPC_TRACEBACK=1` shows the
traceback of an unforeseen error to whoever wants to report it.
"""

import io
import os
import sys
from typing import Any, Final

import click

from epc.cli.departures import departed_option
from epc.cli.groups import LazyGroup, with_blocks
from epc.cli.terminal import fitted
from epc.errors import EpcError, ExitCode
from epc.extras import MissingExtraError, of_module
from epc.printable import lines_shown

# Name: module below epc.cli, and its line in `epc --help`. Nothing is imported for the help page.
_SECTIONS: Final = {
    "Measure": {
        "run": "Measure how a judge's taste moves an agent that learns from it.",
        "resume": "Finish an interrupted run.",
        "show": "Show a run's figures: table, picture, or JSON.",
        "design": "Your own question as a file: new, check, show, diff.",
        "plan": "How many seeds, calls and dollars a precision takes.",
        "simulate": "Compute the figures of a synthetic evaluator.",
    },
    "Check": {
        "audit": "Your file of verdicts, or a run: is its judge right and steady?",
        "validate": "Check records: schema, meaning, recomputed values.",
        "compare": "Two runs or snapshots side by side: what differs, did it drift?",
        "watch": "Ask a measured judge again, day by day: did it change?",
        "judge": "Have a judge model score outputs, and test that judge.",
        "loop": "Did an optimiser improve the work, or only what its judge says?",
        "observe": "Turn a log of verdicts into a file that can be published.",
    },
    "Look up": {
        "expiry": "Until when is a judge served, and which figures still hold?",
        "scan": "Every model that a project names, and its end: for your CI.",
        "which": "Which judge for a kind of task, a platform, a price.",
        "evaluators": "What is known of judges: card, succeed, list, new.",
        "snapshot": "The registry's snapshots: list, show, fetch, verify.",
        "data": "All figures, verdicts and trials as Parquet, digests checked.",
        "models": "List the models that you can name, or fetch weights.",
        "mcp": "Answer agents: the registry as a Model Context Protocol server.",
    },
    "Contribute": {
        "submission": "Offer a run for publication: new, check.",
        "conformance": "List the conformance suite, or check a program with it.",
        "doctor": "Say what is installed, what is missing, and how to get it.",
        "admin": "What only maintainers and workflows use.",
    },
}
_SCRIPTED: Final = ("replay",)  # scripts call it
# What has to be installed beyond the core before a command begins. Of the others, a command that
# turns out to need more ends with the same words.
_NEEDS: Final = {
    **dict.fromkeys(("run", "resume", "show", "audit", "simulate", "plan"), "measure"),
    **dict.fromkeys(("validate", "watch", "loop"), "measure"),
    **dict.fromkeys(("submission", "replay", "observe", "models"), "measure"),
    "judge": "judge",
    "mcp": "mcp",
}
_INTERRUPTED: Final = 130  # what a shell reports for Ctrl-C


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from epc.version import __version__

        click.echo(f"epc {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    package="epc.cli",
    sections=_SECTIONS,
    unlisted=_SCRIPTED,
    needs=_NEEDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def program() -> None:
    r"""Can you trust the model that judges your models' answers?

    \b
    Until when may you use a judge, and what replaces it?
      epc expiry gpt-4o
    You have its verdicts in a file: do they agree with people and with themselves?
      epc audit votes.csv
    Which judge for a kind of task and a price?
      epc which --domain math --budget 10
    Did an optimiser improve the work, or only what the judge says?
      epc loop demo
    How does a judge move an agent that learns from it? Measured here, with no key and no server:
      epc run --evaluator local/smollm2-135m-likelihood --executor local/smollm2-135m --exhaustive

    Exit codes: 0 clean, 1 findings, 2 misuse, 3 network, provider or disk failed,
    4 stopped with work left that `epc resume` can finish.
    """


with_blocks(program)


def main(args: list[str] | None = None) -> None:
    """Run the program and exit with its code."""
    # NumPy reads it when it is loaded. Matrices here are small: a second thread would find nothing
    # to do in them, and spend a processor on waiting.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code: Any = program.main(args=args, prog_name="epc", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        _say("stopped")
        code = _INTERRUPTED
    except click.FileError as error:
        _say(error.format_message())
        code = ExitCode.WORLD
    except click.ClickException as error:
        _show(error)
        code = ExitCode.MISUSE
    except (BrokenPipeError, SystemExit):  # click makes the one into the other; nothing else exits
        code = _unread()
    except EpcError as error:
        _say(str(error))
        code = error.exit_code
    except Exception as error:  # noqa: BLE001  (the last line of defence)
        code = _missing(error) or _unforeseen(error)
    sys.exit(int(code or 0))


def _unread() -> ExitCode:
    """Whoever read our output has seen enough; a second failure at exit must not show."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.CLEAN


def _show(error: click.ClickException) -> None:
    if isinstance(error, click.NoSuchOption) and (message := departed_option(error)):
        _say(message)
        return
    buffer = io.StringIO()
    error.show(buffer)
    click.echo(lines_shown(buffer.getvalue()), err=True, nl=False)


def _say(message: str) -> None:
    from epc.engine.secrets import redact

    click.echo(fitted(lines_shown(redact(f"epc: {message}")), sys.stderr), err=True)


def _missing(error: Exception) -> ExitCode | None:
    """Say which extra would have brought the module that an import did not find."""
    name = error.name if isinstance(error, ImportError) else None
    if (extra := of_module(name)) is None:
        return None
    is_there = not isinstance(error, ModuleNotFoundError)
    why = "installed in a version that it does not take" if is_there else "not installed"
    _say(str(MissingExtraError(extra, str(name), why)))
    return ExitCode.MISUSE


def _unforeseen(error: Exception) -> ExitCode:
    if os.environ.get("EPC_TRACEBACK"):
        import traceback

        from epc.engine.secrets import redact

        click.echo(redact("".join(traceback.format_exception(error))), err=True)
    summary = f"{type(error).__name__}: {error}".splitlines()[0]
    _say(
        f"unforeseen error: {summary}\n"
        "  fix: this is a fault of epc; report it as CONTRIBUTING.md says, with what "
        "EPC_TRACEBACK=1 shows"
    )
    return ExitCode.WORLD
