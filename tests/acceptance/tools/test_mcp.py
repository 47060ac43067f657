"""`epc mcp`, asked by the client of the protocol's own package over standard input and output."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import anyio
import pytest
from attack_support import attack
from commands_support import run
from installed_support import Installed
from mcp import Client, StdioServerParameters
from mcp_types import TextContent
from registry_support import ROOT

DAY = {"SOURCE_DATE_EPOCH": "1795694400"}  # 2026-11-26 at 12:00 in UTC
AT = "2026-11-26T12:00"
ASKED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "judge_status": ({"model": "openai/gpt-4-0613"}, ("expiry", "openai/gpt-4-0613")),
    "judge_card": ({"model": "gpt-5.4-mini"}, ("evaluators", "card", "gpt-5.4-mini")),
    "which_judge": (
        {"domain": "math", "budget": 10},
        ("which", "--domain", "math", "--budget", "10"),
    ),
    "successor": ({"model": "gpt-4-0613"}, ("evaluators", "succeed", "gpt-4-0613")),
}


def server_answers(
    questions: list[tuple[str, dict[str, Any]]], command: tuple[str, ...], folder: Path, **env: str
) -> list[tuple[str, Any, bool]]:
    """Return the words, the values and whether it is an error, of each answer of one server."""

    async def session() -> list[tuple[str, Any, bool]]:
        server = StdioServerParameters(
            command=command[0], args=[*command[1:]], cwd=folder, env={**DAY, **env}
        )
        answers = []
        async with Client(server) as client:
            known_tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert known_tools.keys() == {*ASKED, "scan"}
            for name, arguments in questions:
                assert known_tools[name].description
                done = await client.call_tool(name, arguments)
                (words,) = done.content
                assert isinstance(words, TextContent)
                answers.append((words.text, done.structured_content, bool(done.is_error)))
        return answers

    return anyio.run(session)


@pytest.fixture(scope="module")
def here() -> dict[str, tuple[str, Any]]:
    questions = [(name, arguments) for name, (arguments, _) in ASKED.items()]
    answers = server_answers(questions, (sys.executable, "-m", "epc", "mcp"), ROOT)
    assert not any(is_error for _, _, is_error in answers)
    return {name: (words, found) for name, (words, found, _) in zip(ASKED, answers, strict=True)}


@pytest.mark.parametrize("tool", ASKED)
def test_an_answer_is_what_the_command_prints_and_its_values_with_the_day_of_the_copy(
    tool: str, here: dict[str, tuple[str, Any]]
) -> None:
    text, found = here[tool]
    command = ASKED[tool][1]

    assert text.startswith(run(ROOT, *command, at=AT).stdout.rstrip("\n"))
    assert text.endswith(f"(registry of {found['registry_day']})")
    printed = json.loads(run(ROOT, *command, "--format", "json", at=AT).stdout)
    if tool == "judge_status":
        assert found["states"] == printed
        assert found["replacements"] == ["gpt-5.6-sol"]
        assert found["states"][0]["instead"]["name"] == "gpt-5.6-sol"
        assert all(state["source"].startswith("https://") for state in found["states"])
    elif tool == "judge_card":  # the figures that the words show, of all that there are
        assert {**found, "figures": 0} == {
            **printed,
            "figures": 0,
            "registry_day": found["registry_day"],
        }
        assert all(figure in printed["figures"] for figure in found["figures"])
        assert 0 < len(found["figures"]) < len(printed["figures"])
    elif tool == "which_judge":
        assert found["short"]["options"] == printed["short"]["options"]
        assert found["short"]["beaten"] == []
        assert text.startswith(found["sentence"])
    else:
        assert found["state"] == printed["state"]
        assert text.startswith(found["sentence"])


def test_without_a_network_or_a_clone_the_package_answers(
    installed: Installed, offline: tuple[tuple[str, ...], dict[str, str]]
) -> None:
    """The protocol's package is that of this environment, the program is the installed one."""
    arguments, env = offline
    epc = str(installed.python.with_name("epc"))
    packages = str(distribution("mcp").locate_file(""))
    text = "judge = 'openai/gpt-3.5-turbo-0301'\nother: gpt-5.4-mini\n"
    questions = [
        ("judge_status", {"model": "openai/gpt-4-0613"}),
        ("successor", {"model": "gpt-5.4-mini"}),
        ("scan", {"text": text}),
        ("judge_card", {"model": "gpt-5.4-mimi"}),
    ]

    status, successor, scanned, unknown = server_answers(
        questions, (*arguments, epc, "mcp"), installed.wheels, PYTHONPATH=packages, **env
    )

    assert "expired since 2026-10-23 (retired)" in status[0]
    assert status[1]["registry_day"] >= "2026-11-24"
    assert "Shown to agree with it: gpt-5.4, same verdict on " in successor[0]
    assert successor[1]["alternatives"]
    (old, new) = scanned[1]["names"]
    assert (old["name"], old["fails"]) == ("openai/gpt-3.5-turbo-0301", ["expired"])
    assert old["places"] == [{"path": "text", "line": 1, "column": 10}]
    assert (new["name"], new["fails"]) == ("gpt-5.4-mini", [])
    assert unknown[2]
    assert "not in this registry; did you mean gpt-5.4-mini" in unknown[0]


def test_an_older_version_of_the_package_is_refused_with_the_command_that_brings_the_newer(
    tmp_path: Path,
) -> None:
    """Version 1 of `mcp` has a module of this name, without this class."""
    (tmp_path / "mcp" / "server").mkdir(parents=True)
    for folder in ("mcp", "mcp/server"):
        (tmp_path / folder / "__init__.py").touch()
    arguments = [sys.executable, "-m", "epc", "mcp"]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}

    done = subprocess.run(arguments, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == (
        "epc: this needs the extra `mcp`; installed in a version that it does not take: "
        "mcp.server\n  fix: pip install 'epc-registry[mcp]'\n"
    )


HELLO = (
    {
        "id": "hello",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
)


def answers_to(lines: list[str]) -> list[dict[str, Any]]:
    """Return the server's answers to lines of its input, which then ends."""
    hello = [json.dumps({"jsonrpc": "2.0", **message}) for message in HELLO]
    done = subprocess.run(
        (sys.executable, "-m", "epc", "mcp"),
        input="\n".join([*hello, *lines, ""]),
        cwd=ROOT,
        env={**os.environ, **DAY},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_request_with_an_id_is_answered_also_one_that_is_malformed() -> None:
    """The codes are those of JSON-RPC 2.0, section 5.1; what has no usable id is answered to null.

    The last request is answered though the input has ended.
    """
    called = '"method": "tools/call", "params": '
    expected: dict[str, tuple[int | str | None, int | None]] = {
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": []}': (2, -32600),
        '{"jsonrpc": "2.0", "id": 3}': (3, -32600),
        '{"id": 4, "method": "tools/list"}': (4, -32600),
        '{"jsonrpc": "1.0", "id": "5", "method": "tools/list"}': ("5", -32600),
        '{"jsonrpc": "2.0", "id": 6, "method": 7}': (6, -32600),
        '{"jsonrpc": "2.0", "id": 7, "method": "no_such_method"}': (7, -32601),
        f'{{"jsonrpc": "2.0", "id": 8, {called}{{"name": "scan", "arguments": "x"}}}}': (8, -32602),
        '{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}': (None, -32600),
        '[{"jsonrpc": "2.0", "id": 9, "method": "tools/list"}]': (None, -32600),
        '{"jsonrpc": "2.0", "id": 10': (None, -32700),
        '{"jsonrpc": "2.0", "id": 11, "method": "ping"}': (11, None),
    }

    answers = answers_to([*expected])[1:]

    codes = [(answer["id"], answer.get("error", {}).get("code")) for answer in answers]
    assert Counter(codes) == Counter(expected.values())


@attack("injection")
def test_control_characters_of_an_argument_are_spelt_out_wherever_they_come_back() -> None:
    wrong = "gpt\x1b[2J\x07"
    requests: list[dict[str, Any]] = [
        {"method": wrong},
        {"method": "tools/call", "params": {"name": wrong, "arguments": {}}},
    ]
    for name, argument, value in (
        ("judge_status", "model", wrong),
        ("judge_card", "model", wrong),
        ("successor", "model", wrong),
        ("which_judge", "domain", wrong),
        ("scan", "text", f"x = 'gpt-4-0613{wrong}'"),
    ):
        params = {"name": name, "arguments": {argument: value}}
        requests.append({"method": "tools/call", "params": params})

    answers = answers_to(
        [json.dumps({"jsonrpc": "2.0", "id": id_, **r}) for id_, r in enumerate(requests)]
    )[1:]

    assert {answer["id"] for answer in answers} == {*range(len(requests))}
    assert not [answer for answer in answers if re.search(r"\\u00(?:1b|07)", json.dumps(answer))]
    assert "gpt\\u{001b}[2J\\u{0007}  unknown" in str([a for a in answers if a["id"] == 2]).replace(
        "\\\\", "\\"
    )
