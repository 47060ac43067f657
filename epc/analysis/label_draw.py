"""Draw of the rows that a person labels: by chance within each verdict of a judge, then mixed.

Labels need be drawn at random only within what a judge passes, and within what it fails: half of
them from either tells most about what people would pass of all rows (Reading R101).
"""

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from epc.arrays import Array, Indices, np
from epc.errors import UsageError
from epc.protocol.draws import generator
from epc.records.verdicts.columns import Verdicts

SIZE: Final = 50
SEED: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDraw:
    """Rows of a draw in an order that says nothing of the verdicts.

    `drawn` and `judged` count the answers that the judge passed and failed: of the draw, of all.
    """

    rows: Indices
    drawn: tuple[int, int]
    judged: tuple[int, int]


def draw_for_labels(verdicts: Verdicts, settings: Container[str], size: int = SIZE) -> LabelDraw:
    """Return a draw of pass/fail verdicts in these settings; each answer is drawn at most once.

    Of a judge that was asked repeatedly the first readable verdict on an answer counts. Where one
    verdict has too few answers, the other one fills the draw.

    Raises: UsageError if no verdict can be read.
    """
    verdict = verdicts.verdict.as_places(("a", "b"))
    readable = np.flatnonzero(verdicts.are_of(settings) & (verdict >= 0))
    if not len(readable):
        raise UsageError("--label-page: no verdict is pass or fail\n  fix: name another --setting")
    _, first = np.unique(verdicts.item.codes[readable], return_index=True)
    rows = readable[np.sort(first)]
    passed, failed = (rows[verdict[rows] == place] for place in (0, 1))
    from_passed = min(len(passed), max(size // 2, size - len(failed)))
    from_failed = min(len(failed), size - from_passed)
    rng = generator(SEED)
    drawn = [
        passed[_order(rng.random(len(passed)))[:from_passed]],
        failed[_order(rng.random(len(failed)))[:from_failed]],
    ]
    together = np.concatenate(drawn)
    return LabelDraw(
        rows=together[_order(rng.random(len(together)))],
        drawn=(from_passed, from_failed),
        judged=(len(passed), len(failed)),
    )


def _order(numbers: Array) -> Indices:
    return np.argsort(numbers, kind="stable").astype(np.int32)
