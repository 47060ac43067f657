"""Lists of models' ends that others maintain, as the commands are given them."""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

import click

from epc.errors import UsageError

_IN_PACKAGE: Final = "llm_sunset/snapshot.json"
_MOST_BYTES: Final = 32 * 2**20

from_option = click.option(
    "--from",
    "source",
    default="llm-sunset",
    show_default=True,
    metavar="llm-sunset|FILE|-",
    help="The installed package, a list in a file or in the package's wheel, or standard input.",
)


def given_list(source: str) -> Any:
    """Return a source's list.

    Raises: UsageError if there is none.
    """
    try:
        return json.loads(_text(source))
    except ModuleNotFoundError as error:
        raise UsageError(
            "the package llm-sunset is not installed\n  fix: pip install llm-sunset"
        ) from error
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UsageError(f"cannot read {source}: {error}\n  fix: name a JSON file") from error


def _text(source: str) -> str:
    if source == "llm-sunset":
        from importlib.resources import files

        return (files("llm_sunset") / "snapshot.json").read_text("utf-8")
    if source == "-":
        return sys.stdin.read()
    if source.endswith(".whl"):  # the list alone is read; nothing of the package is installed
        with zipfile.ZipFile(source) as wheel, wheel.open(_IN_PACKAGE) as member:
            return member.read(_MOST_BYTES).decode("utf-8")
    return Path(source).read_text("utf-8")
