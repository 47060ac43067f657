"""What a name that nobody knows was probably meant to be."""

from collections.abc import Iterable

from epc.errors import UsageError


def unknown(name: str, known: Iterable[str], *, are: str, what: str = "") -> UsageError:
    """Return the error that there is no such name: the nearest known ones, then all of them."""
    from difflib import get_close_matches  # no run needs it that goes well

    names = list(known)
    close = get_close_matches(name, names, n=2)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return UsageError(f"there is no {what}{name}: {meant}{are} {', '.join(names)}")
