"""Work out the judge protocol's conformance vectors and write them, or check what is committed.

Usage, from the repository's root:

    python tests/conformance/work_judge_vectors.py           # write the files
    python tests/conformance/work_judge_vectors.py --check   # exit 1 if one differs

Nothing of epc is imported: flags are stated by hand in `cases_judge`, figures are worked by hand in
`cases_figures`, and verdicts are read from the two tables below.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import Final

from cases_agreement import AGREEMENT, INTERVALS
from cases_figures import DRIFT, LABELS, SELF_PREFERENCE, SHARES, Case
from cases_judge import CASES, DIMENSIONS, Reply
from cases_quotes import QUOTES
from work_vectors import lay_out

FOLDER: Final = Path(__file__).parents[2] / "epc" / "spec" / "conformance" / "judge" / "v1"
FLAGS: Final = {
    "P": "PROTOCOL_VIOLATION",
    "U": "UNPARSABLE_OUTPUT",
    "C": "INCOMPLETE_COVERAGE",
    "E": "JUDGE_REFUSAL_OR_EVASION",
    "I": "INTERNAL_INCONSISTENCY",
}
# R20, by the sum: 0 to 3, 4 to 6, 7 and 8.
BY_SUM: Final = ("FAIL",) * 4 + ("PARTIAL",) * 3 + ("PASS",) * 2
# The three sentences of section 3 as printed, each for a sum and the four scores.
SENTENCES: Final = (
    ("PASS", lambda total, s: total in (7, 8) and s[0] in (1, 2) and s[1] in (1, 2)),
    ("PARTIAL", lambda total, s: total in (4, 5, 6) or min(s) == 0),
    ("FAIL", lambda total, s: total in (0, 1, 2, 3)),
)


def verdicts() -> dict[str, object]:
    """Return all 81 score vectors with our verdict and those that the sentences admit."""
    cases = []
    for number, scores in enumerate(product((0, 1, 2), repeat=4), start=1):
        total = scores[0] + scores[1] + scores[2] + scores[3]
        expected = {
            "overall_score": total,
            "verdict": BY_SUM[total],
            "admitted": [name for name, holds in SENTENCES if holds(total, scores)],
        }
        given = dict(zip(DIMENSIONS, scores, strict=True))
        cases.append({"id": f"verdict-{number:02d}", "given": given, "expect": expected})
    return {"clause": "JUDGE-3.3", "function": "verdict", "cases": cases}


def reply(name: str, one: Reply) -> dict[str, object]:
    """Return a reply with what `epc judge check` must say of it."""
    if one.flags not in ("", *_in_order(one.flags)):
        message = f"{one.description}: flags {one.flags!r} are not in order"
        raise ValueError(message)
    return {
        "id": name,
        "description": one.description,
        "given": {
            "reply": one.text,
            "sample": one.sample,
            "output": one.output,
            **({} if one.rules == 1 else {"rules": one.rules}),
        },
        "expect": {
            "valid": not one.flags,
            "flags": [FLAGS[letter] for letter in one.flags],
            "verdict": None if one.scores is None else BY_SUM[sum(one.scores)],
            "judge_verdict": one.judge_verdict,
        },
    }


def _in_order(flags: str) -> tuple[str]:
    return ("".join(letter for letter in FLAGS if letter in flags),)


def replies() -> dict[str, object]:
    """Return every reply case."""
    cases = [reply(f"reply-{number:03d}", one) for number, one in enumerate(CASES, start=1)]
    return {"clause": "JUDGE-6", "function": "check", "cases": cases}


def quotes() -> dict[str, object]:
    """Return every quote with what it is, and whether its output holds it."""
    cases = [
        {
            "id": f"quote-{number:02d}",
            "given": {"output": output, "quote": quote, "rules": 2},
            "expect": {"kind": kind, "held": held},
        }
        for number, (output, quote, kind, held) in enumerate(QUOTES, start=1)
    ]
    return {"clause": "JUDGE-4.4", "function": "quote", "cases": cases}


def figures(clause: str, function: str, worked: tuple[Case, ...]) -> dict[str, object]:
    """Return the cases of a figure."""
    cases = [
        {
            "id": f"{function.replace('_', '-')}-{number:02d}",
            "description": description,
            "given": given,
            "expect": expected,
        }
        for number, (description, given, expected) in enumerate(worked, start=1)
    ]
    return {"clause": clause, "function": function, "cases": cases}


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say which differ."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: work_judge_vectors.py [--check]\n")
        return 2
    texts = {
        f"{name}.json": f"{lay_out(json.loads(json.dumps(document)))}\n"
        for name, document in (
            ("verdicts", verdicts()),
            ("replies", replies()),
            ("quotes", quotes()),
            ("shares", figures("Reading R26", "shares", SHARES)),
            ("self_preference", figures("Reading R24", "self_preference", SELF_PREFERENCE)),
            ("drift", figures("Reading R27", "drift", DRIFT)),
            ("labels", figures("Human labels", "labels", LABELS)),
            ("intervals", figures("Reading R26", "interval", INTERVALS)),
            ("agreement", figures("JUDGE-1.2", "agreement", AGREEMENT)),
        )
    }
    if not arguments:
        FOLDER.mkdir(parents=True, exist_ok=True)
    differing = 0
    for name, text in texts.items():
        path = FOLDER / name
        if not arguments:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{name} differs: run work_judge_vectors.py and look at the diff\n")
            differing = 1
    return differing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
