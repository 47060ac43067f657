"""Quotes with what each of them is in an output (Reading R25), stated by hand.

`held` is whether an evaluation with this quote stays valid (Reading R22, second version). This
module shares no code with epc.
"""

from typing import Final

PLAIN: Final = (
    "# Plan\n\nStep 1: take a backup of the database.\nStep 2: move one table at a time.\n\n"
    "Check the row counts after each table, and keep the old system for a week."
)
TYPESET: Final = (
    "The **motto** is \u201cmeasure twice \u2013 cut once\u201d [3]. See "
    "[the guide](https://x.org/a) for more\u2026\n\n- It holds since 1998.\n"
    "- Nothing else is known\u00a0of it [1, 4-6] .\n"
    "Use `cp -r` and \ufb01le names; caf\u00e9s too.\n> Quoted text.\nN/A is no answer."
)
CHINESE: Final = (
    "1. [\u4e8b\u5b9e\u5feb\u7167]\n\u683c\u5f0f\u9075\u5faa\u5931\u8d25"
    "\u4e3b\u8981\u6e90\u4e8e\u51b2\u7a81\u3002\n"
    "2. \u8bf7\u6267\u884c\u4ee5\u4e0b\u6b65\u9aa4\u3002"
)

V, A, E, N, X, T = "verbatim", "altered", "elided", "absence", "invented", "trivial"

# The output, the quote, what it is, whether the output holds it.
QUOTES: Final[tuple[tuple[str, str, str, bool], ...]] = (
    (PLAIN, "Step 2: move one table at a time.", V, True),
    (PLAIN, "database.\nStep 2", V, True),
    (PLAIN, "database. Step 2", A, True),
    (PLAIN, "  Step 1:  take a backup ", A, True),
    (PLAIN, "step 2: move one table", X, False),
    (PLAIN, "Step 3: move one table", X, False),
    (PLAIN, "It is well written.", X, False),
    (PLAIN, "Step 1: take a backup ... keep the old system", E, False),
    (PLAIN, "Step 1: take a backup \u2026 keep the old system", E, False),
    (PLAIN, "Step 1: take a backup [...] keep the old system", E, False),
    (PLAIN, "Step 1: take a backup (...) keep the old system for a week.", E, False),
    (PLAIN, "Check the row counts...", E, False),
    (PLAIN, "... after each table ...", E, False),
    (PLAIN, "keep the old system ... Step 1: take a backup", X, False),
    (PLAIN, "Step 1: take a backup ... keep the new system", X, False),
    (PLAIN, "Plan ... week", X, False),
    (PLAIN, "Step 1: take a backup ... week", E, False),
    (PLAIN, "Step 1 take a backup", X, False),
    (PLAIN, "**Step 1:** take a backup", A, False),
    (PLAIN, "- Step 1: take a backup of the database.", A, False),
    (PLAIN, "Step 1: take a backup of the database [2].", A, False),
    (PLAIN, '"Step 1: take a backup"', X, False),
    (PLAIN, "", N, True),
    (PLAIN, "   ", N, True),
    (PLAIN, "N/A", N, False),
    (PLAIN, "(none)", N, False),
    (PLAIN, "No evidence found.", N, False),
    (PLAIN, "[missing section]", N, False),
    (PLAIN, ".", T, True),
    (PLAIN, "of", T, True),
    (PLAIN, "1:", T, True),
    (PLAIN, "??", T, False),
    (PLAIN, "...", T, False),
    (PLAIN, "the", V, True),
    (TYPESET, 'is "measure twice - cut once"', A, True),
    (TYPESET, "is \u201cmeasure twice \u2013 cut once\u201d [3]", V, True),
    (TYPESET, 'The motto is "measure twice - cut once".', A, False),
    (TYPESET, "See the guide for more...", A, False),
    (TYPESET, "for more...", A, True),
    (TYPESET, "for more\u2026", V, True),
    (TYPESET, "It holds since 1998. Nothing else is known of it.", A, False),
    (TYPESET, "Nothing else is known of it [1, 4-6] .", A, True),
    (TYPESET, "file names", A, False),
    (TYPESET, "cafe\u0301s too", A, True),
    (TYPESET, "Use cp -r and", A, False),
    (TYPESET, "Quoted text.", V, True),
    (TYPESET, "N/A", V, True),
    (TYPESET, "measure thrice", X, False),
    (CHINESE, "\u8bf7\u6267\u884c\u4ee5\u4e0b\u6b65\u9aa4", V, True),
    (
        CHINESE,
        "\u683c\u5f0f\u9075\u5faa\u5931\u8d25...\u8bf7\u6267\u884c\u4ee5\u4e0b\u6b65\u9aa4",
        E,
        False,
    ),
    (CHINESE, "\u8bf7\u6267\u884c\u4ee5\u4e0b...\u683c\u5f0f\u9075\u5faa\u5931\u8d25", X, False),
    (CHINESE, "\u65e0", N, False),
    (CHINESE, "\u51b2\u7a81", T, True),
)
