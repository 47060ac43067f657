"""Whether two names are one to a reader: contributors, generations, folders.

Pure. Compared are *skeletons*: letters and digits in one case, without accents, spaces and
punctuation. Two names of one skeleton may still be two honest ones; whoever needs them apart
writes them apart. Letters beyond ASCII are compared as they are: a maintainer looks at these.
"""

import unicodedata
from typing import Final

from epc.printable import is_ignorable

# What Latin letters and digits are drawn alike in most fonts, after folding their case.
_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn"})


def skeleton(name: str) -> str:
    """Return what names have in common that a reader cannot tell apart."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    kept = (char for char in plain if char.isalnum() and not is_ignorable(char))
    return "".join(kept).translate(_ALIKE)


def is_same(one: str, other: str) -> bool:
    """Whether a reader may take two names for one; names without a letter or digit are one."""
    return skeleton(one) == skeleton(other)


def is_one_contributor(one: tuple[str, str | None], other: tuple[str, str | None]) -> bool:
    """Whether two contributors, each a name and a GitHub login if it is known, may be one.

    Case does not count in a login. Cards of before logins were kept have names alone.
    """
    logins = [login.casefold() for _, login in (one, other) if login is not None]
    return is_same(one[0], other[0]) or (len(logins) > 1 and logins[0] == logins[1])
