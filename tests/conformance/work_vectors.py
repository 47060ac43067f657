"""Work out the answers of the conformance vectors again, and write or check them.

Usage, from the repository's root:

    python tests/conformance/work_vectors.py           # write every answer and layout
    python tests/conformance/work_vectors.py --check   # exit 1 if a file differs

The files in `epc/spec/conformance` are the one list of cases. Whoever adds a case writes it there,
with `"expect": null`. The answers of the protocol's cases come from `exact_replay` and the learning
rules of `tests/oracle`, which share no code with epc. Those of the judge protocol are stated by
hand; a Perl program answers them too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests
from exact_replay import UnclearCaseError, answer

FOLDER: Final = Path(__file__).parents[2] / "epc" / "spec" / "conformance"
WIDTH: Final = 88
# Worked by hand in IEEE doubles, because a draw or a weight stands exactly on its boundary.
ON_A_BOUNDARY: Final = {
    "floor-16",
    "metrics-17",
    *(f"roulette-{number:02d}" for number in range(3, 18)),
}


def worked(document: Any) -> Any:
    """Return one file of the protocol's vectors with every answer worked out anew."""
    for case in document["cases"]:
        if "expect" in case:
            try:
                case["expect"] = answer(case["given"], boundary=case["id"] in ON_A_BOUNDARY)
            except UnclearCaseError as error:
                error.add_note(f"in {case['id']}: {case['description']}")
                raise
    return document


def lay_out(value: object, depth: int = 0) -> str:
    """Write JSON with what is short, and every list of numbers, on one line."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    pad, end = "\n" + " " * (depth + 1), "\n" + " " * depth
    if len(flat) + depth <= WIDTH:
        return flat
    if isinstance(value, dict):
        pairs = [f"{json.dumps(k)}: {lay_out(v, depth + 1)}" for k, v in value.items()]
        return "{" + pad + f",{pad}".join(pairs) + end + "}"
    if isinstance(value, list) and not all(isinstance(v, float) for v in value):
        items = [lay_out(v, depth + 1) for v in value]
        return "[" + pad + f",{pad}".join(items) + end + "]"
    return flat


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say which differ."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: work_vectors.py [--check]\n")
        return 2
    differing = 0
    for path in sorted(FOLDER.glob("**/*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        of_judges = path.relative_to(FOLDER).parts[0] == "judge"
        text = lay_out(document if of_judges else worked(document)) + "\n"
        if not arguments:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif path.read_bytes() != text.encode():
            sys.stderr.write(f"{path.name} differs: run work_vectors.py and look at the diff\n")
            differing = 1
    return differing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
