"""Compare a record, or a report on verdicts, with the second computation: JSON in, JSON out.

In comes `{"folder": PATH, "report": null}` of a run, or of verdicts with their report; out go the
places that differ, each with its problem.
"""

import json
import sys
from pathlib import Path
from typing import Any


def answer(folder: Path, report: Any) -> list[tuple[str, str]]:
    """Return where the figures of a folder are not those of the second computation."""
    if report is None:
        from oracle.recomputation import disagreements

        return [*disagreements(json.loads((folder / "manifest.json").read_bytes()), folder)]
    from oracle.observed import disagreements as of_verdicts

    from epc.registry.verdicts import verdicts_in

    document, verdicts = verdicts_in(folder)
    differing = of_verdicts(report, document.header, verdicts)
    return [(f"observed.json{where}", problem) for where, problem in differing]


if __name__ == "__main__":
    question = json.load(sys.stdin.buffer)
    json.dump(answer(Path(question["folder"]), question["report"]), sys.stdout)
