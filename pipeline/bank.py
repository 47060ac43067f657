"""The bank: what judges gave four answers to each question of RewardBench 2, as one small table.

    python pipeline/bank.py        writes snapshots/bank.parquet

It is a cut of published verdicts, each checked against the digest that it was published with: of
Composo's scores (MIT) and of THEMIS' picks and scores (Apache-2.0), those with the plain prompts
that `epc which` compares (`choices` in params.yaml). A row is a score: of one response to an item,
by one judge, at one asking. `gold` is 1 for the right answer. A pick of one of four is a score of
1 for it and of 0 for the others, and each arrangement of the four is an asking of its own.
Left out: askings without a readable answer, and THEMIS' 150 items that were asked again in an
arrangement that is there already. No texts are in it, and none are in the sources.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from epc.records.banks import COLUMNS
from epc.records.verdicts.columns import Verdicts
from epc.registry.choices import compared_in, compared_judges
from epc.registry.layout import BANK, FOLDER
from epc.registry.reading import of_folder
from epc.registry.succession import VerdictStore

ROOT: Final = Path(__file__).parents[1]
_TYPES: Final = (*(pa.string(),) * 2, pa.int8(), pa.int8(), pa.string(), pa.int8(), pa.float32())

Row = tuple[Any, ...]  # as COLUMNS


def rows(checkout: Path) -> Iterator[Row]:
    """Yield every score of the bank, judge by judge."""
    kept = VerdictStore.from_registry(of_folder(checkout), str(checkout))
    for asked, verdicts in compared_judges(kept, compared_in(checkout).settings):
        yield from _rows(asked.model, verdicts)


def _rows(judge: str, verdicts: Verdicts) -> Iterator[Row]:
    arrangements: list[Any] = sorted(verdicts.order.names)
    for n in range(len(verdicts)):
        item, domain, right, repeat, order, picked, scores = (
            column.names[code] if (code := column.codes[n]) >= 0 else None
            for column in (
                verdicts.item,
                verdicts.subset,
                verdicts.right,
                verdicts.repeat,
                verdicts.order,
                verdicts.picked,
                verdicts.scores,
            )
        )
        asking = arrangements.index(order) if order else repeat or 0
        if order and (repeat or picked is None):
            continue
        given = scores or ([float(each == picked) for each in range(len(order))] if order else ())
        for response, score in enumerate(given):
            if score is not None:
                yield item, domain, response, int(response == right), judge, asking, score


def write(checkout: Path) -> None:
    """Write a checkout's bank; sorted so that equal scores stand side by side, it is small."""
    ordered = sorted(rows(checkout), key=lambda row: (row[4], row[0], row[2], row[5]))
    columns = [
        pa.array(each, of) for each, of in zip(zip(*ordered, strict=True), _TYPES, strict=True)
    ]
    table = pa.table(columns, names=COLUMNS)
    pq.write_table(table, checkout / FOLDER / BANK, compression="zstd", compression_level=19)


if __name__ == "__main__":
    write(ROOT)
