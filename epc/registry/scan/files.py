"""The files of a project that its programs read, and what a project's settings say of a scan.

Files are source, configuration and notebooks, as texts. Settings and `--fail-on` say when a name
fails the gate.
"""

import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Self

from epc.errors import UsageError, WorldError, able_to
from epc.registry.expiry import Expiry, days_away
from epc.registry.history import git_bytes

LARGEST: Final = 5 * 2**20  # bytes: a notebook with its pictures
# What programs read, by its ending or its name: no documents, which tell of models that were.
_READ: Final = re.compile(
    r".*\.(astro|bash|bat|bicep|bicepparam|c|cc|cfg|cjs|clj|conf|cpp|cs|cts|cue|cxx|dart|dhall|env"
    r"|erb|erl|ex|exs|fish|fs|fsx|go|gotmpl|gradle|groovy|h|hbs|hcl|hjson|hpp|hs|http|in|ini|ipynb"
    r"|j2|java|jinja|jinja2|jl|js|json|json5|jsonc|jsonnet|jsx|kdl|kt|kts|libsonnet|liquid|lua|m|mjs"
    r"|mk|ml|mts|mustache|nf|nix|njk|php|pkl|pl|plist|pm|prompt|prompty|properties|ps1|psm1|py|pyi"
    r"|pyx|qmd|r|rb|rego|rmd|rs|scala|service|sh|smk|sql|star|svelte|swift|tf|tftpl|tfvars|tofu|toml"
    r"|ts|tsx|vb|vue|xml|yaml|yml|zig|zsh)(\.(dist|example|sample|template|tmpl|tpl))?"
    r"|(.*/)?(\.env[^/]*|(Docker|Just|Jenkins|Make|Model|Proc|Snake)file[^/]*"
    r"|(requirements|constraints)[^/]*\.txt|requirements/[^/]+\.txt)",
    re.IGNORECASE | re.DOTALL,
)
# Where git is not asked: what tools put there and nobody wrote.
_TOOLS: Final = re.compile(
    r"\.git|\.hg|\.svn|\.?venv|node_modules|site-packages|__pycache__|\.tox|\.nox|\.mypy_cache"
    r"|\.ruff_cache|\.pytest_cache|\.ipynb_checkpoints"
)


@dataclass(slots=True, kw_only=True)
class Files:
    """The files that are named, and those of the folders that are.

    `skipped` counts what is not read, by the reason, and `kinds` the files of a kind that is not.
    """

    paths: Sequence[Path]
    exclude: Sequence[str] = ()
    skipped: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the path and the text of each file once, in order.

        Raises: UsageError for a path that is not there; WorldError for a file that nobody can read.
        """
        done: set[str] = set()
        for path in self.paths:
            if not path.exists():
                raise UsageError(f"there is no {path}\n  fix: name a file or a folder")
            for name in self._below(path) if path.is_dir() else [str(path)]:
                posix_path = Path(name).as_posix()
                if posix_path in done or any(
                    fnmatchcase(posix_path, pattern) for pattern in self.exclude
                ):
                    continue
                done.add(posix_path)
                text = self._text(name, follow=not path.is_dir())
                if text is not None:
                    yield posix_path, text

    def _below(self, folder: Path) -> Iterator[str]:
        for name in sorted(set(_of_git(folder) or _walked(folder))):
            if _READ.fullmatch(name):
                yield str(folder / name)
            else:
                self.kinds[Path(name).suffix.lower() or Path(name).name] += 1

    def _text(self, name: str, *, follow: bool) -> str | None:
        try:
            about = Path(name).stat(follow_symlinks=follow)
            why = _no_text(about)
            if why is None:
                with Path(name).open("rb") as file:
                    content = file.read(LARGEST)
                if b"\0" not in content[:8_192]:
                    return content.decode("utf-8", errors="replace")
                why = "not text"
        except FileNotFoundError:  # git knows it, and it is deleted here
            return None
        except OSError as error:
            raise WorldError(
                f"cannot read {name}: {error.strerror}\n  fix: make it readable, or --exclude it"
            ) from error
        self.skipped[why] += 1
        return None


@dataclass(slots=True, kw_only=True)
class Text(Files):
    """A text that was handed over, and is in no file."""

    paths: Sequence[Path] = ()
    text: str

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the text."""
        yield "text", self.text


def _no_text(about: os.stat_result) -> str | None:
    """Say why a file is not read, before it is opened: a pipe would never end."""
    if stat.S_ISLNK(about.st_mode):
        return "a link"
    if not stat.S_ISREG(about.st_mode):
        return "no plain file"
    return f"larger than {LARGEST // 2**20} MiB" if about.st_size > LARGEST else None


def _of_git(folder: Path) -> list[str] | None:
    """Return what git takes for the project's below a folder; None where it has no say."""
    arguments = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    try:
        # A repository's own settings may name a program to be run: of these none is.
        output = git_bytes(folder, "-c", "core.fsmonitor=false", *arguments)
    except WorldError:
        return None
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _walked(folder: Path) -> Iterator[str]:
    """Yield every file below a folder, however deep: `os.walk` of Python 3.11 goes 1,000 deep."""
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue  # as `os.walk` does
        for entry in entries:
            if not entry.is_dir():
                yield os.path.relpath(entry.path, folder)
            elif not entry.is_symlink() and not _TOOLS.fullmatch(entry.name):
                waiting.append(Path(entry.path))


WORDS: Final = ("expired", "expiring", "drifted", "unknown", "unconfirmed")
_RULE: Final = re.compile(r"(expired|expiring|drifted|unknown|unconfirmed)|expiring:([0-9]{1,4})d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule by which a name fails a gate; `days` is how near an end may be.

    What fails as expiring fails all the more once it has expired.
    """

    word: str
    days: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rule that a word states, as `expired` or `expiring:30d`.

        Raises: UsageError if it states none.
        """
        match = _RULE.fullmatch(text)
        if match is None:
            names = ", ".join(WORDS)
            raise UsageError(f"{text!r} is no rule\n  fix: one of {names}, or expiring:30d")
        return cls(word=match[1] or "expiring", days=int(match[2]) if match[2] else None)

    def __str__(self) -> str:
        return self.word if self.days is None else f"{self.word}:{self.days}d"

    def is_broken(self, states: Iterable[Expiry], *, drifted: bool, as_of: date) -> bool:
        """Return whether the answers about a name break it; `drifted`: a figure of it did."""
        if self.word == "drifted":
            return drifted
        return any(self._meets(state, as_of) for state in states)

    def _meets(self, state: Expiry, as_of: date) -> bool:
        if self.word != "expiring":
            return state.status == self.word
        if self.days is None or state.status == "expired":
            return state.status in {"expired", "expiring"}
        return state.until is not None and state.until <= days_away(as_of, self.days)


# Where settings stand, and below which keys; the first file that has them counts.
PLACES: Final = ((".epc.toml", ("scan",)), ("pyproject.toml", ("tool", "epc", "scan")))
_KEYS: Final = {"fail-on": "fail_on", "ignore": "ignore", "exclude": "exclude"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a project for every scan: rules, names to be ignored, paths to be left out."""

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
            return Settings(**{_KEYS[key]: tuple(entries) for key, entries in table.items()})
    return Settings()


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, list[str]] | None:
    try:
        with able_to("read", path):
            table: Any = tomllib.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        return None
    where = f"{path} [{'.'.join(keys)}]"
    if not isinstance(table, dict) or (unknown_keys := table.keys() - _KEYS.keys()):
        problem = (
            f" has {', '.join(sorted(unknown_keys))}" if isinstance(table, dict) else " is no table"
        )
        raise UsageError(f"{where}{problem}\n  fix: it may have {', '.join(_KEYS)}")
    for key, entries in table.items():
        if not isinstance(entries, list) or not all(isinstance(word, str) for word in entries):
            raise UsageError(f'{where} {key} is no list of texts\n  fix: {key} = ["..."]')
    return table
