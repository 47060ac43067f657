"""The program itself: its help, its way of failing, and what it leaves alone."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from engine_support import PATIENCE_S, environment, epc, epc_under_way, wait_until

from epc.cli import main, program
from epc.cli.admin.site import reference_page

pytestmark = pytest.mark.own_process

COMMANDS = {"run", "resume", "show", "validate", "audit", "conformance", "models", "admin"}
LOADED = """
import json, sys
from epc.cli import main
try:
    main(["--help"])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def ran(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    output = capsys.readouterr()
    return int(str(ended.value.code)), output.out, output.err


def paths_of_commands(
    group: click.Group = program.program, *above: str
) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from paths_of_commands(command, *above, name)
        else:
            yield (*above, name)


def test_help_lists_every_command_and_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        env=environment(),
        text=True,
        capture_output=True,
        check=True,
    )

    listed = {line.split()[0] for line in done.stdout.split("Measure:")[1].splitlines() if line}
    modules = {name.partition(".")[0] for name in json.loads(done.stderr)}
    assert listed >= COMMANDS
    assert not listed & {"replay", "site", "cache"}
    assert not modules & {"numpy", "jsonschema_rs", "aiohttp", "xllamacpp", "vl_convert", "rich"}
    assert not modules & {"asyncio", "genai_prices", "pydantic"}


def test_help_keeps_its_blocks_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "--help")

    assert (code, err) == (0, "")
    assert "\\b" not in out
    assert "  epc run --evaluator local/smollm2-135m-likelihood --executor" in out
    assert "4 stopped with work left that `epc resume` can finish." in " ".join(out.split())


@pytest.mark.parametrize("path", [*paths_of_commands()], ids=" ".join)
def test_every_command_s_help_has_an_example_on_its_own_lines(
    capsys: pytest.CaptureFixture[str], path: tuple[str, ...]
) -> None:
    code, out, err = ran(capsys, *path, "--help")

    assert (code, err) == (0, "")
    assert "\\b" not in out
    lines = [line.strip() for line in out.splitlines()]
    assert "Example:" in lines
    assert lines[lines.index("Example:") + 1].startswith(f"epc {' '.join(path)}")


@pytest.mark.parametrize(("second", "first"), [("report", "audit"), ("check", "validate")])
def test_a_second_name_is_the_same_command_and_is_listed_nowhere(
    capsys: pytest.CaptureFixture[str], second: str, first: str
) -> None:
    group = program.program.get_command(click.Context(program.program), "observe")
    assert isinstance(group, click.Group)
    context = click.Context(group)

    listed = program.program.get_command(click.Context(program.program), first)
    assert group.get_command(context, second) is listed
    assert second not in group.list_commands(context)
    code, out, _ = ran(capsys, "observe", second, "--help")
    assert (code, f"epc observe {second} [OPTIONS]" in out) == (0, True)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("rnu", "There is no command 'rnu'. Did you mean 'run'?"),
        ("validat", "There is no command 'validat'. Did you mean 'validate'?"),
        ("docter", "There is no command 'docter'. Did you mean 'doctor'?"),
        ("xyzzy", "There is no command 'xyzzy'. See `epc --help`."),
    ],
)
def test_an_unknown_command_is_2_and_suggests_the_nearest(
    capsys: pytest.CaptureFixture[str], typed: str, message: str
) -> None:
    code, out, err = ran(capsys, typed)

    assert (code, out) == (2, "")
    assert f"Error: {message}" in err


def test_an_unknown_option_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ran(capsys, "--verison")

    assert code == 2
    assert "No such option" in err


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    from epc.version import __version__

    assert ran(capsys, "--version") == (0, f"epc {__version__}\n", "")


def test_python_m_epc_and_epc_are_one_program() -> None:
    script = Path(sys.executable).with_name("epc")

    as_script = subprocess.run(
        [script, "--help"], env=environment(), text=True, capture_output=True, check=False
    )
    as_module = epc("--help")

    assert as_script.returncode == as_module.returncode == 0
    assert as_script.stdout == as_module.stdout


@click.command()
def broken() -> None:
    raise RuntimeError("first line with sk-canary-012345\nsecond line")


@pytest.fixture
def broken_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    import epc.cli.doctor

    monkeypatch.setattr(epc.cli.doctor, "command", broken)
    monkeypatch.setenv("SOME_API_KEY", "sk-canary-012345")
    monkeypatch.delenv("EPC_TRACEBACK", raising=False)


@pytest.mark.usefixtures("broken_doctor")
def test_an_unforeseen_error_is_a_line_and_where_to_report_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = ran(capsys, "doctor")

    assert (code, out) == (3, "")
    assert err == (
        "epc: unforeseen error: RuntimeError: first line with [SOME_API_KEY]\n"
        "  fix: this is a fault of epc; report it as CONTRIBUTING.md says, with what "
        "EPC_TRACEBACK=1 shows\n"
    )


@pytest.mark.usefixtures("broken_doctor")
def test_a_traceback_is_shown_to_whoever_asks_for_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPC_TRACEBACK", "1")

    code, _, err = ran(capsys, "doctor")

    assert code == 3
    assert "Traceback (most recent call last)" in err
    assert "in broken" in err
    assert "sk-canary" not in err


@pytest.mark.parametrize(
    "args", [["conformance", "list"], ["conformance", "list", "--format=json"]]
)
def test_a_reader_who_has_seen_enough_is_no_error(args: list[str]) -> None:
    with epc_under_way(*args) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.wait(30) == 0
        assert running.stderr.read() == ""


def test_a_pipe_that_was_never_read_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)  # before the program writes its first byte
    done = subprocess.run(
        [sys.executable, "-m", "epc", "conformance", "list"],
        env=environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = f"touch {started}; exec sleep 600"  # longer than our patience

    with epc_under_way("conformance", "check", "--", "sh", "-c", command) as running:
        wait_until(started.exists)
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=PATIENCE_S)

    assert running.returncode == 130
    assert (stdout, stderr.strip()) == ("", "epc: stopped")


def test_the_page_of_all_commands_has_the_help_that_a_terminal_has() -> None:
    """Whichever command this process has run before: click keeps what a first look made of it."""
    commands = reference_page().split("\n## ")[1:]

    assert len(commands) > 60
    assert [
        command.partition("\n")[0] for command in commands if "  -h, --help " not in command
    ] == []


def test_the_help_of_a_run_shows_a_dozen_options_and_help_all_every_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, short, _ = ran(capsys, "run", "--help")
    _, whole_text, _ = ran(capsys, "run", "--help-all")

    shown, every = (
        {*re.findall(r"^  (?:-\w, )?(--[\w-]+)", t, re.MULTILINE)} for t in (short, whole_text)
    )
    command = program.program.get_command(click.Context(program.program), "run")
    assert command is not None
    assert len(shown - {"--help", "--help-all"}) <= 13
    assert "--evaluator" in shown
    assert every >= {max(param.opts, key=len) for param in command.params}
