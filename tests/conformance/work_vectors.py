"""Work out the conformance vectors and write them, or check what is committed.

Usage, from the repository's root:

    python tests/conformance/work_vectors.py           # write every file
    python tests/conformance/work_vectors.py --check   # exit 1 if one differs

The answers come from `exact_replay`, which shares no code with epc.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from case_building import Malformed, Vector
from cases import SUITE, Theme
from exact_replay import UnclearCaseError, answer

FOLDER: Final = Path(__file__).parents[2] / "epc" / "spec" / "conformance" / "v1"
TOLERANCE: Final = 1e-12
WIDTH: Final = 88


def worked_vector(name: str, vector: Vector) -> dict[str, object]:
    """Return a well-formed case with its answer."""
    try:
        expected = answer(vector.given, boundary=vector.boundary)
    except UnclearCaseError as error:
        error.add_note(f"in {name}: {vector.description}")
        raise
    built: dict[str, object] = {"id": name, "description": vector.description}
    built["given"] = vector.given
    if vector.worked:
        built["worked"] = vector.worked
    built["expect"] = expected
    return built


def refused_vector(name: str, refused: Malformed) -> dict[str, object]:
    """Return a malformed case with the place of its fault."""
    key = "given_text" if isinstance(refused.given, str) else "given"
    return {
        "id": name,
        "description": refused.description,
        key: refused.given,
        "error": refused.error,
    }


def document(theme: Theme) -> dict[str, object]:
    """Return one file of vectors."""
    cases = []
    for number, one in enumerate(theme.cases, start=1):
        name = f"{theme.name}-{number:02d}"
        if isinstance(one, Vector):
            cases.append(worked_vector(name, one))
        else:
            cases.append(refused_vector(name, one))
    return {
        "clause": theme.clause,
        "function": "replay",
        "absolute_tolerance": TOLERANCE,
        "cases": cases,
    }


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
    texts = {f"{theme.name}.json": lay_out(document(theme)) + "\n" for theme in SUITE}
    if not arguments:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
        return 0
    there = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    differing = sorted(
        name
        for name in texts.keys() | there.keys()
        if there.get(name) != texts.get(name, "").encode()
    )
    for name in differing:
        sys.stderr.write(f"{name} differs: run work_vectors.py and look at the diff\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
