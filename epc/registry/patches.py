"""Ends of models as patches for the lists that others load: LiteLLM, models.dev, Portkey.

Each list says what it can say: LiteLLM has a day (`deprecation_date`), models.dev a state (`status`
is `deprecated`: no longer served), and Portkey a switch (`disablePlayground`). Only a platform's
exact days are used, and for a state those that have come. A list's own word is never overwritten.

Pure: texts in, texts out.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from posixpath import dirname, normpath
from typing import Any, Final

from epc.registry.lifecycles import GenerationRecord
from epc.registry.lists import LitellmEntry, platform_called, table

LITELLM: Final = "model_prices_and_context_window.json"
_DATED: Final = "deprecation_date"
# Folders of models.dev and files of Portkey, by the platform here.
_MODELS_DEV: Final = {
    "alibaba-model-studio": ("alibaba",),
    "aws-bedrock": ("amazon-bedrock",),
    "azure-foundry": ("azure",),
    "fireworks": ("fireworks-ai",),
    "google-gemini-api": ("google",),
    "google-vertex": ("google-vertex", "google-vertex-anthropic"),
    "moonshot": ("moonshotai",),
    "together": ("togetherai",),
}
_PORTKEY: Final = {
    "aws-bedrock": ("bedrock",),
    "azure-foundry": ("azure-openai", "azure-ai"),
    "fireworks": ("fireworks-ai",),
    "google-gemini-api": ("google",),
    "google-vertex": ("vertex-ai",),
    "mistral": ("mistral-ai",),
    "together": ("together-ai",),
    "xai": ("x-ai",),
}
_NO_NEWLINE: Final = "\n\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """A day of theirs that is another one than ours; the patch leaves it."""

    name: str
    theirs: str
    ours: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Change of a list's files as `git apply` takes it, and the days that differ.

    `shared` are files that it leaves because several providers have one.
    """

    text: str
    models: int
    differing: tuple[Differing, ...] = ()
    shared: tuple[str, ...] = ()


def exact_ends(records: Iterable[GenerationRecord]) -> dict[tuple[str, str], date]:
    """Return the platforms' own days of ends, by platform and each name of the model there."""
    return {
        (life.platform, name): life.retires.date
        for record in records
        for life in record.platforms
        if life.retires and life.retires.kind == "exact"
        for name in (life.model, *life.aliases)
    }


def litellm_patch(text: str, ends: dict[tuple[str, str], date], path: str = LITELLM) -> Patch:
    """Return the days that LiteLLM's table lacks; ids of single regions are left.

    Raises: ValueError if it is another document.
    """
    missing: dict[str, str] = {}
    differing = []
    for name, entry in table(json.loads(text)).items():
        day = _litellm_end(name, entry, ends)
        if day is None:
            continue
        theirs = entry.deprecation_date
        if theirs is None:
            missing[name] = day.isoformat()
        elif theirs != day.isoformat():
            differing.append(Differing(name=name, theirs=theirs, ours=day.isoformat()))
    lines = text.splitlines(keepends=True)
    after = [*_with_days(lines, missing)]
    return Patch(text=_diff(path, lines, after), models=len(missing), differing=tuple(differing))


def _litellm_end(name: str, entry: LitellmEntry, ends: dict[tuple[str, str], date]) -> date | None:
    *prefix, model = name.split("/")
    if len(prefix) > 1:
        return None
    return ends.get((platform_called(entry.litellm_provider.partition("-")[0]), model))


def _with_days(lines: Iterable[str], days: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a table with a day in each of some entries, where the alphabet puts it."""
    due = ""
    for line in lines:
        opening = re.fullmatch(r' {4}"(.+)": \{\n', line)
        if opening:
            due = days.get(json.loads(f'"{opening[1]}"'), "")
        field = re.match(r' {8}"([^"]+)":', line)
        if due and field and field[1] > _DATED:
            yield f'        "{_DATED}": "{due}",\n'
            due = ""
        yield line


def models_dev_patch(
    files: Iterable[tuple[str, str]], ends: dict[tuple[str, str], date], as_of: date
) -> Patch:
    """Return the states that models.dev lacks, of models that a platform no longer serves.

    A provider's file may be a link to another's, whose state is then that of both: neither the link
    nor the file behind it is changed.
    """
    folders = _by_list(_MODELS_DEV, {platform for platform, _ in ends})
    texts = dict(files)
    behind_links = {path: target for path, text in texts.items() if (target := _target(path, text))}
    shared = {*behind_links, *behind_links.values()}
    diffs, left = [], []
    for path, text in texts.items():
        match = re.fullmatch(r"providers/([^/]+)/models/(.+)\.toml", path)
        platforms = folders.get(match[1], ()) if match else ()
        gone = match and any(
            day <= as_of for p in platforms if (day := ends.get((p, match[2]))) is not None
        )
        if not gone or re.search(r"^status\s*=", text, re.MULTILINE):
            continue
        if path in shared:
            left.append(path)
        else:
            lines = text.splitlines(keepends=True)
            diffs.append(_diff(path, lines, _with_status(lines)))
    return Patch(text="".join(diffs), models=len(diffs), shared=tuple(left))


def _target(path: str, text: str) -> str | None:
    """Return the file that a link leads to: git keeps the way there as the link's text."""
    if not re.fullmatch(r"\.\./[^\n]+\.toml", text):
        return None
    return normpath(f"{dirname(path)}/{text}")


def _with_status(lines: list[str]) -> list[str]:
    """Return a TOML file's lines with the state behind the last plain key, before any table."""
    first_table = next((i for i, line in enumerate(lines) if line.startswith("[")), len(lines))
    keys = [i for i, line in enumerate(lines[:first_table]) if re.match(r"\w+\s*=", line)]
    place = keys[-1] + 1 if keys else 0
    return [*lines[:place], 'status = "deprecated"\n', *lines[place:]]


def portkey_patch(
    files: Iterable[tuple[str, str]], ends: dict[tuple[str, str], date], as_of: date
) -> Patch:
    """Return the switches that Portkey's list lacks, of models that a platform no longer serves."""
    called = _by_list(_PORTKEY, {platform for platform, _ in ends})
    diffs, models = [], 0
    for path, text in files:
        match = re.fullmatch(r"general/([^/]+)\.json", path)
        platforms = called.get(match[1], ()) if match else ()
        entries: dict[str, Any] = json.loads(text) if platforms else {}
        gone = {
            name
            for (platform, name), day in ends.items()
            if platform in platforms and day <= as_of and _is_on(entries.get(name))
        }
        lines = text.splitlines(keepends=True)
        after = [*_with_switches(lines, gone)]
        diffs.append(_diff(path, lines, after))
        models += len(after) - len(lines)
    return Patch(text="".join(diffs), models=models)


def _is_on(entry: Any) -> bool:
    return isinstance(entry, dict) and "disablePlayground" not in entry


def _with_switches(lines: Iterable[str], names: set[str]) -> Iterator[str]:
    for line in lines:
        yield line
        opening = re.fullmatch(r'  "(.+)": \{\n', line)
        if opening and opening[1] in names:
            yield '    "disablePlayground": true,\n'


def _by_list(called: dict[str, tuple[str, ...]], platforms: set[str]) -> dict[str, list[str]]:
    """Return the platforms behind each name that a list has for them."""
    by_list: dict[str, list[str]] = {}
    for platform in platforms:
        for name in called.get(platform, (platform,)):
            by_list.setdefault(name, []).append(platform)
    return by_list


def _diff(path: str, before: list[str], after: list[str]) -> str:
    lines = unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)
