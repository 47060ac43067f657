"""Packages that are installed beyond the core, by extra, and how to get what is not.

The core looks things up. What measures, draws, judges or builds needs more, and says which.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from epc.errors import UsageError

# Extra: what it installs, and the module by which each is imported. A test holds it against
# pyproject.toml. An extra that brings another one along names only its own.
EXTRAS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "measure": {
            "aiohttp": "aiohttp",
            "genai-prices": "genai_prices",
            "jsonschema-rs": "jsonschema_rs",
            "numpy": "numpy",
            "platformdirs": "platformdirs",
            "rich": "rich",
        },
        "local": {"xllamacpp": "xllamacpp"},
        "charts": {"jinja2": "jinja2", "vl-convert-python": "vl_convert"},
        "judge": {"krippendorff": "krippendorff", "scikit-learn": "sklearn"},
        "site": {"mkdocs-material": "material"},
        "data": {
            "pandas": "pandas",
            "pyarrow": "pyarrow",
            "python-calamine": "python_calamine",
        },
        "notebook": {"altair": "altair"},
        "mcp": {"mcp": "mcp"},
        "loop": {"gepa": "gepa"},
    }
)
BRINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "local": ("measure",),
        "charts": ("measure",),
        "judge": ("measure",),
        "site": ("charts", "data", "judge"),
        "notebook": ("charts", "data"),
        "loop": ("charts", "data"),
    }
)


# What a user gets by each, for the one table of extras (`tests/studies/extras.py`).
PURPOSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "measure": "`epc run`, `epc audit`, and whatever checks, computes or simulates",
        "local": "the embedded models",
        "charts": "pictures, and reports as pages",
        "judge": "`epc judge`",
        "data": "Excel, Parquet, pandas tables, `epc data`, `epc evaluators succeed`",
        "loop": "`epc loop demo`",
        "site": "building the site",
        "notebook": "the cells of [the notebook](notebook.md), in a Jupyter of yours",
        "mcp": "`epc mcp`",
    }
)


class MissingExtraError(UsageError):
    """A command needs packages that an extra installs, or other versions of them."""

    def __init__(self, extra: str, missing: str, why: str = "not installed") -> None:
        super().__init__(
            f"this needs the extra `{extra}`; {why}: {missing}\n  fix: {install(extra)}"
        )
        self.extra = extra


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'epc-registry[{extra}]'"


def lacking(extra: str) -> list[str]:
    """Return the packages of an extra, and of those it brings, that are not installed.

    Nothing is imported.
    """
    missing = [package for package, module in EXTRAS[extra].items() if not _is_found(module)]
    return sorted(
        {*missing, *(p for brought_extra in BRINGS.get(extra, ()) for p in lacking(brought_extra))}
    )


def require(extra: str) -> None:
    """Make sure that an extra is installed, before any work.

    Raises: MissingExtraError, which names all that is missing.
    """
    if missing := lacking(extra):
        raise MissingExtraError(extra, ", ".join(missing))


def of_module(name: str | None) -> str | None:
    """Return the extra that installs a module."""
    wanted = f"{name}."
    for extra, modules in EXTRAS.items():
        if any(wanted.startswith(f"{module}.") for module in modules.values()):
            return extra
    return None


def _is_found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # what it would stand in
        return False
