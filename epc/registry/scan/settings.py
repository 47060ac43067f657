"""A project's own settings of the scan: `[tool.epc.scan]` in pyproject.toml, or `.epc.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError, able_to

# Where settings stand, and below which keys; the first file that has them counts.
PLACES: Final = ((".epc.toml", ("scan",)), ("pyproject.toml", ("tool", "epc", "scan")))
_KEYS: Final = {"fail-on": "fail_on", "ignore": "ignore", "exclude": "exclude"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a project wants of every scan: rules, names to be ignored, paths to be left out."""

    fail_on: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def settings(folder: Path) -> Settings:
    """Return the settings of a project's folder; none where it states none.

    Raises: UsageError if they cannot be used; WorldError if they cannot be read.
    """
    for name, keys in PLACES:
        path = folder / name
        table = _table(path, keys) if path.is_file() else None
        if table is not None:
            return Settings(**{_KEYS[key]: tuple(words) for key, words in table.items()})
    return Settings()


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, list[str]] | None:
    try:
        with able_to("read", path):
            table: Any = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise UsageError(f"{path} is no TOML: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        return None
    where = f"{path} [{'.'.join(keys)}]"
    if not isinstance(table, dict) or (other := table.keys() - _KEYS.keys()):
        problem = f" has {', '.join(sorted(other))}" if isinstance(table, dict) else " is no table"
        raise UsageError(f"{where}{problem}\n  fix: it may have {', '.join(_KEYS)}")
    for key, words in table.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UsageError(f'{where} {key} is no list of texts\n  fix: {key} = ["..."]')
    return table
