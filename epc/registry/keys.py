"""Keys of a value in a document: JSON, YAML, or the YAML before a page.

A key has steps, parted by ` > `: a name in a mapping, or `name=value` of an entry in a list;
several of those are joined by ` & `.

    releases > releaseCycle=claude-opus-4-1 > eol

Pure.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

_STEP: Final = " > "
_AND: Final = " & "
_FRONT: Final = "---\n"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def key_of(*steps: str | Mapping[str, str]) -> str:
    """Return the key of some steps; a mapping names an entry of a list."""
    return _STEP.join(_step(step) for step in steps)


def _step(step: str | Mapping[str, str]) -> str:
    if isinstance(step, str):
        return step
    return _AND.join(f"{name}={value}" for name, value in step.items())


def parsed(text: str, path: str) -> Any:
    """Return a file as a document: JSON, YAML, or the YAML before a page.

    Raises: ValueError if it is none of these.
    """
    if path.endswith(".json"):
        return json.loads(text)
    if path.endswith(".md"):
        _, _, text = text.partition(_FRONT)
        text, _, _ = text.partition(f"\n{_FRONT}")
    try:
        return yaml.load(text, Loader=_LOADER)  # noqa: S506  (a safe one, in C)
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {error}") from error


def value_in(document: Any, key: str) -> str | None:
    """Return the value at a key of a document as text; None where there is none."""
    for step in key.split(_STEP):
        document = _entry(document, step)
    return None if document is None or isinstance(document, dict | list) else str(document)


def _entry(document: Any, step: str) -> Any:
    if isinstance(document, dict):
        return document.get(step)
    if not isinstance(document, list):
        return None
    wanted = [part.partition("=") for part in step.split(_AND)]
    entries = (entry for entry in document if isinstance(entry, dict))
    return next((entry for entry in entries if _has(entry, wanted)), None)


def _has(entry: Mapping[str, Any], wanted: Sequence[tuple[str, str, str]]) -> bool:
    return all(str(entry.get(name)) == value for name, _, value in wanted)
