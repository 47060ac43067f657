"""What building the site needs beyond the rest of the program."""

from importlib.util import find_spec
from typing import Final

from epc.errors import WorldError

_NEEDED: Final = ("jinja2", "markupsafe", "material", "mkdocs", "pyarrow")


def require() -> None:
    """Make sure that every package is there, before any work.

    Raises: WorldError, naming all that are missing.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise WorldError(
            f"building the site needs packages that are not installed: {', '.join(missing)}\n"
            "  fix: make docs, or pip install '.[site]' in a clone of the registry"
        )
