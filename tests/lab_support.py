"""The provider lab: recorded behaviours of servers, one folder each, and what replays them.

`tests/lab/NAME/behaviour.yaml` says what a server does with the program's requests, where that is
documented, and what the program must come to. `site/docs/models.md` lists what was tried:

    .venv/bin/python tests/lab_support.py    # writes its table
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from endpoint_support import Endpoint, Received, Reply, serving
from engine_support import digest, environment

from epc.engine.providers import PROVIDERS

Json = dict[str, Any]

LAB: Final = Path(__file__).parent / "lab"
KEY: Final = "sk-canary-0123456789abcdef"
VERDICT: Final = "B"
_HEAD: Final = """# The lab

A server on this machine replays behaviours of providers that the sources describe, one folder
each, and a whole run of the program goes over each (`tests/acceptance/engine/test_lab.py`). No
provider was asked for it. `python tests/lab_support.py` writes this table.

"""
_KEYS: Final[dict[str, frozenset[str]]] = {
    "": frozenset(
        {"provider", "server", "model", "tried", "what", "sources", "run", "reasoning"}
        | {"request", "replies", "expect"}
    ),
    "request": frozenset({"path", "headers", "no_headers", "evaluator", "executor", "lacks"}),
    "replies": frozenset({"when", "times", "status", "headers", "body", "text", "before", "cut"}),
    "expect": frozenset(
        {"exit", "verdicts", "no_answer", "refusals", "retries", "says", "requests", "decoding"}
        | {"limit_field", "served_model", "reasoning", "reasoning_tokens", "unrecorded"}
    ),
}


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """A folder of the lab."""

    name: str
    document: Json

    @property
    def provider(self) -> str:
        """The provider, as it begins the names of its models."""
        return str(self.document["provider"])

    @property
    def server(self) -> tuple[str, str]:
        """The server: the provider, and of `openai-compatible` whose it is, if anybody's."""
        return self.provider, str(self.document.get("server", ""))

    @property
    def model(self) -> str:
        """The model that is asked, by its whole name."""
        return f"{self.provider}/{self.document['model']}"

    @property
    def decides(self) -> bool:
        """Return whether it is a decision model, which can be no executor."""
        return PROVIDERS[self.provider].decides

    @property
    def answers_executors(self) -> bool:
        """Return whether an executor has its answers before the evaluator gets none."""
        return self.decides or "when" in self.document["replies"][0]

    def command(self, *further_arguments: str | Path) -> tuple[str | Path, ...]:
        """Return the words of a run so small that every round is told by hand: 4 phases of 2."""
        executor = "mock/deterministic" if self.decides else self.model
        models = ("--evaluator", self.model, "--executor", executor)
        return (
            "run",
            *models,
            "--seeds",
            "0",
            "--rounds",
            "2",
            *self.document.get("run", ()),
            *further_arguments,
        )


@cache
def behaviours() -> tuple[Behaviour, ...]:
    """Return every folder of the lab; a key that nobody reads is an error."""
    found = []
    for path in sorted(LAB.glob("*/behaviour.yaml")):
        document = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        groups = [("", document), ("expect", document["expect"])]
        groups.append(("request", document.get("request", {})))
        groups += [("replies", reply) for reply in document.get("replies", ())]
        for group, value in groups:
            assert set(value) <= _KEYS[group], f"{path}: {set(value) - _KEYS[group]}"
        found.append(Behaviour(name=path.parent.name, document=document))
    return tuple(found)


def behaviour(name: str) -> Behaviour:
    """Return one folder of the lab."""
    return next(behaviour for behaviour in behaviours() if behaviour.name == name)


@dataclass(kw_only=True)
class Replayed:
    """What answers as a folder says: the first reply that fits a request and is not used up."""

    behaviour: Behaviour
    verdict: Callable[[Received], str] = lambda _: VERDICT
    served: list[tuple[Received, Reply]] = field(default_factory=list)
    _used: dict[int, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, received: Received) -> Reply:
        """Return the reply to a request."""
        with self._lock:
            for number, stated_reply in enumerate(self.behaviour.document["replies"]):
                used = self._used.get(number, 0)
                if _fits(stated_reply.get("when", {}), received) and used < stated_reply.get(
                    "times", used + 1
                ):
                    self._used[number] = used + 1
                    reply = _reply(stated_reply, self._words(received))
                    self.served.append((received, reply))
                    return reply
        raise AssertionError(f"{self.behaviour.name}: nothing answers {received.body}")

    def _words(self, received: Received) -> dict[str, str]:
        answer = (
            self.verdict(received)
            if evaluates(received)
            else f"Answer {digest(received.prompt)[:12]}."
        )
        return {"{answer}": answer, "{model}": self.behaviour.document["model"], "{key}": KEY}


@contextmanager
def replaying(behaviour: Behaviour) -> Iterator[tuple[Endpoint, Replayed, dict[str, str]]]:
    """Serve a folder; yield the server, what it served, and the environment that leads there."""
    with serving() as endpoint:
        endpoint.behave = replayed = Replayed(behaviour=behaviour)
        yield endpoint, replayed, leading_to(endpoint.url)


def leading_to(url: str) -> dict[str, str]:
    """Return an environment in which every provider is at one address, and has a key."""
    root = url.removesuffix("/v1")  # the paths of these protocols hold the version
    native = ("messages", "generate_content", "converse")
    places = {
        provider.base_variable: root if provider.wire in native else url
        for provider in PROVIDERS.values()
    }
    keys = dict.fromkeys([provider.key_variable for provider in PROVIDERS.values()], KEY)
    return environment(**places, **keys)


def evaluates(received: Received) -> bool:
    """Return whether a request asks for a verdict."""
    return received.prompt.startswith("Evaluate.")


def holds(whole: Any, part: Any) -> bool:
    """Return whether an object has everything that another states, at every depth."""
    if isinstance(whole, Mapping) and isinstance(part, Mapping):
        return all(key in whole and holds(whole[key], value) for key, value in part.items())
    return bool(whole == part)


def _fits(when: Json, received: Received) -> bool:
    role = "evaluator" if evaluates(received) else "executor"
    has = "has" not in when or when["has"] in received.body
    return when.get("role", role) == role and has and holds(received.body, when.get("body", {}))


def _reply(stated_document: Json, words: Mapping[str, str]) -> Reply:
    text = (
        stated_document["text"]
        if "text" in stated_document
        else json.dumps(_filled(stated_document["body"], words))
    )
    return Reply(
        status=stated_document.get("status", 200),
        body=(stated_document.get("before", "") + text).encode(),
        headers={name.title(): value for name, value in stated_document.get("headers", {}).items()},
        cut=stated_document.get("cut"),
    )


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """Return a value with the words that stand for what only the request says."""
    if isinstance(value, dict):
        return {key: _filled(inner, words) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, words) for inner in value]
    if isinstance(value, str):
        for word, meant in words.items():
            value = value.replace(word, meant)
    return value


def table() -> str:
    """Return what was tried for each provider, as the README of the lab has it."""
    rows: dict[tuple[str, str], list[Behaviour]] = {}
    for behaviour in behaviours():
        rows.setdefault(behaviour.server, []).append(behaviour)
    order = [*PROVIDERS]
    lines = ["| provider | behaviours tried | against | made from |", "|---|---|---|---|"]
    for provider, whose in sorted(rows, key=lambda row: (order.index(row[0]), row[1].lower())):
        actual_row = rows[provider, whose]
        tried = {behaviour.document["tried"] for behaviour in actual_row}
        first = ["success"] if "success" in tried else []
        links = {
            source["url"]: source["title"]
            for behaviour in actual_row
            for source in behaviour.document["sources"]
        }
        text = ", ".join(f"[{title}]({url})" for url, title in links.items())
        name = f"`{provider}`: {whose}" if whose else f"`{provider}`"
        printed_text = ", ".join([*first, *sorted(tried - {"success"})])
        lines.append(f"| {name} | {printed_text} | lab | {text} |")
    return "\n".join(lines)


if __name__ == "__main__":
    (LAB / "README.md").write_text(f"{_HEAD}{table()}\n", "utf-8")
