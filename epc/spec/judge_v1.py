"""Every constant of the judge protocol, once, with its clause, and what scores add up to.

The protocol's text numbers its sections only; `site/docs/judge-protocol.md` numbers the sentences
within them, and these numbers are quoted here.
"""

from collections.abc import Mapping
from typing import Final, Literal

PROTOCOL: Final = "Judge-v1.0"

Method = Literal["cross_judge", "self_judge"]
Verdict = Literal["PASS", "PARTIAL", "FAIL"]
Dimension = Literal[
    "FORMAT_COMPLIANCE", "INSTRUCTION_COMPLIANCE", "SEMANTIC_FIDELITY", "COMPLETENESS"
]
Flag = Literal[
    "PROTOCOL_VIOLATION",
    "UNPARSABLE_OUTPUT",
    "INCOMPLETE_COVERAGE",
    "JUDGE_REFUSAL_OR_EVASION",
    "INTERNAL_INCONSISTENCY",
]

IDENTIFIERS: Final = ("question_id", "prompt_variant", "target_model", "output_id")  # JUDGE-0
CROSS: Final[Method] = "cross_judge"  # JUDGE-1.1: the primary method
SELF: Final[Method] = "self_judge"  # JUDGE-1.2: supporting, never in the primary statistics
METHODS: Final[tuple[Method, ...]] = (CROSS, SELF)

DIMENSIONS: Final[tuple[Dimension, ...]] = (
    "FORMAT_COMPLIANCE",  # JUDGE-2.1, D1
    "INSTRUCTION_COMPLIANCE",  # JUDGE-2.2, D2
    "SEMANTIC_FIDELITY",  # JUDGE-2.3, D3
    "COMPLETENESS",  # JUDGE-2.4, D4
)
DECISIVE: Final = DIMENSIONS[:2]  # JUDGE-3.3: no PASS where one of these is 0

SCALE: Final = (0, 1, 2)  # JUDGE-3.1
OVERALL: Final = "overall_score"  # JUDGE-3.2: the sum, 0 to 8
HIGHEST_OVERALL: Final = max(SCALE) * len(DIMENSIONS)
PASS_FROM: Final = 7  # JUDGE-3.3
PARTIAL_FROM: Final = 4  # JUDGE-3.3
FAIL_TO: Final = 3  # JUDGE-3.3
VERDICTS: Final[tuple[Verdict, ...]] = ("PASS", "PARTIAL", "FAIL")

META: Final = ("judge_model", *IDENTIFIERS, "method", "timestamp")  # JUDGE-5.2
EVIDENCE_KEYS: Final = ("dimension", "quote", "reason")  # JUDGE-4.2, 4.3

VIOLATION: Final = "PROTOCOL_VIOLATION"  # JUDGE-6.1
UNPARSABLE: Final = "UNPARSABLE_OUTPUT"  # JUDGE-6.2
COVERAGE: Final = "INCOMPLETE_COVERAGE"  # JUDGE-6.3
EVASION: Final = "JUDGE_REFUSAL_OR_EVASION"  # JUDGE-6.4
INCONSISTENCY: Final = "INTERNAL_INCONSISTENCY"  # JUDGE-6.5
FLAGS: Final[tuple[Flag, ...]] = (
    VIOLATION,
    UNPARSABLE,
    COVERAGE,
    EVASION,
    INCONSISTENCY,
)  # Reading R22: the order

# JUDGE-4.2. Spellings of one mark, which a judge that quotes rightly may exchange (Reading R22).
QUOTATION_MARKS: Final = {
    '"': "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02",
    "'": "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\uff07\u02bc",
}
DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"

# Which departures make an evaluation invalid (Reading R22), by version. Version 1 folds white
# space, quotation marks and dashes. Version 2 folds ellipses and Unicode's NFC as well, and knows
# what a date is, what a method is, and that four times "N/A" is no score. A plan without a version
# is under the first; new ones are under the last. Version 3 differs in intervals alone: means stay
# on their scale, and shares of few questions have an interval (Reading R26).
Rules = Literal[1, 2, 3]
RULES: Final[Rules] = 3

# What a quote is (Reading R25). The first that fits counts; a trivial one is counted apart.
Kind = Literal["verbatim", "altered", "elided", "absence", "invented", "trivial"]
KINDS: Final[tuple[Kind, ...]] = (
    "verbatim",
    "altered",
    "elided",
    "absence",
    "invented",
    "trivial",
)
ELLIPSES: Final = ("\u2026", "\u22ef", ". . .")  # spelt "..." where they are folded
LEAST_CHARACTERS: Final = 3  # word characters; a quote of fewer is trivial
LEAST_WORDS: Final = 3  # a piece between ellipses of fewer is not looked up
# What says that something is not in the output: the whole quote, folded, without brackets and stop.
ABSENCES: Final = frozenset(
    {
        *("n/a", "na", "none", "null", "nil", "not applicable", "not available", "not found"),
        *("not present", "not included", "not provided", "not stated", "absent", "missing"),
        *("empty", "no quote", "no quote available", "no evidence", "no evidence found"),
        *("no such section", "section missing", "missing section", "no output", "nothing"),
        *("\u65e0", "\u7f3a\u5931", "\u672a\u51fa\u73b0", "\u672a\u63d0\u4f9b", "\u6ca1\u6709"),
    }
)
NO_SCORES: Final = frozenset({"", "n/a", "na", "none", "null", "not applicable", "-", "--", "?"})

Scores = Mapping[Dimension, int] | Mapping[str, int]


def overall_of(scores: Scores) -> int:
    """Return the sum of the four scores, 0 to 8 (JUDGE-3.2)."""
    return sum(scores.values())


def verdict_of(scores: Scores) -> Verdict:
    """Return the verdict that we archive.

    Source: JUDGE-3.3. Reading R20: as printed, a vector can be PARTIAL and FAIL at once; the
    sum decides.
    """
    overall = overall_of(scores)
    if overall <= FAIL_TO:
        return "FAIL"
    return "PASS" if overall >= PASS_FROM else "PARTIAL"


def admitted(scores: Scores) -> tuple[Verdict, ...]:
    """Return every verdict that the printed thresholds admit; a judge may give any of them.

    Source: JUDGE-3.3; Reading R20.
    """
    overall = overall_of(scores)
    holds: dict[Verdict, bool] = {
        "PASS": overall >= PASS_FROM and all(scores[name] != 0 for name in DECISIVE),
        "PARTIAL": PARTIAL_FROM <= overall < PASS_FROM or 0 in scores.values(),
        "FAIL": overall <= FAIL_TO,
    }
    return tuple(verdict for verdict, admits in holds.items() if admits)
