"""Whether two names are one to a reader: contributors, generations, folders (UTS #39).

Pure. Compared are *skeletons*: every character as what it is drawn as, in one case, without
accents, spaces and punctuation. Two names of one skeleton may still be two honest ones; whoever
needs them apart writes them apart.
"""

import unicodedata
from typing import Final

from epc.printable import is_ignorable
from epc.registry.confusables import DRAWN_AS

_DRAWN: Final = str.maketrans({char: drawn for drawn, chars in DRAWN_AS.items() for char in chars})
# What Latin letters and digits are drawn alike in most fonts, after folding their case.
_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn"})
# Scripts that are written beside Latin in one name: Han, its phonetic scripts, kana and Hangul.
_BESIDE_LATIN: Final = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "IDEOGRAPHIC"}
)


def skeleton(name: str) -> str:
    """Return what names have in common that a reader cannot tell apart.

    Source: UTS #39, section 4; further, case, accents, white space and punctuation do not count.
    """
    apart = unicodedata.normalize("NFKD", name)
    drawn = unicodedata.normalize("NFKD", apart.translate(_DRAWN).casefold()).translate(_DRAWN)
    kept = (char for char in drawn.casefold() if char.isalnum() and not is_ignorable(char))
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


def scripts_beside(name: str) -> tuple[str, str] | None:
    """Return two scripts of a name that are not written together, as `("LATIN", "CYRILLIC")`.

    Source: UTS #39, section 5.2, the level "Highly Restrictive": one script, or Latin beside those
    of Chinese, Japanese or Korean. A script is known by the first word of a letter's name.
    """
    letters = (char for char in unicodedata.normalize("NFKC", name) if char.isalpha())
    scripts = dict.fromkeys(unicodedata.name(char, "UNKNOWN").split(" ")[0] for char in letters)
    eastern = [script for script in scripts if script in _BESIDE_LATIN]
    others = [script for script in scripts if script not in (*_BESIDE_LATIN, "MODIFIER")]
    if eastern and others not in ([], ["LATIN"]):
        return eastern[0], others[-1]
    return (others[0], others[1]) if len(others) > 1 else None
