"""Runs of GEPA under a live judge of open weights, as the registry publishes them.

    python pipeline/live_loops.py OUT      writes OUT/published/; goes on where it stopped

Qwen2.5-Coder-0.5B multiplies as an instruction tells it to, Qwen2.5-Coder-1.5B scores its answer,
and GEPA looks for the instruction with the highest score. Arithmetic says what is right. In the
runs `text` the judge reads the whole answer, so that style can please it; in the runs `number` it
reads the last number alone.
`OUT/published` is what `epc admin snapshot publish` takes (kind `loop`).
"""

import asyncio
import math
import random
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from msgspec.structs import replace

from epc.analysis.loop_files import Files
from epc.api.loop_demo import check, checked, run
from epc.cli.progress import progress_bar
from epc.engine.budget import Limits
from epc.engine.local import runtime
from epc.engine.local.models import Local
from epc.engine.loop_demo import Candidate, Item, Split
from epc.engine.model import Completion, Prompt
from epc.engine.roles import Question, Role
from epc.engine.sitting import asked_within
from epc.protocol.config import Decoding
from epc.records.calls import call_of
from epc.records.layout import stamp
from epc.records.loop import read_log
from epc.records.loop_snapshot import (
    CHECK_COLUMNS,
    CHECKS,
    LOG,
    LOG_COLUMNS,
    LoopRuns,
    write_runs,
)

WORKER: Final = "qwen2.5-coder-0.5b"
JUDGE: Final = "qwen2.5-coder-1.5b"
JUDGE_B: Final = WORKER  # no third set of weights here can score
STARTS: Final = {
    "text": "the judge reads the whole answer; begins with: Answer with the number alone.",
    "number": "the judge reads the last number of the answer; begins with the same",
}
BEGIN: Final = {"instruction": "Answer with the number alone."}
# GEPA's own prompt for reflection, with three answers and their scores, got no instruction from
# the 1.5B model: "Certainly! Please provide the new instruction." So proposals come from this list.
INSTRUCTIONS: Final = (
    BEGIN["instruction"],
    "Answer in one short sentence.",
    "Write the calculation and the result.",
    "Answer politely and say that you are sure.",
    "Explain it to a child.",
)
QUESTION: Final = (
    "Rate the answer to the question from 1 (bad) to 9 (very good). "
    "Reply with the rating alone.\nQuestion: {question}\nAnswer: {answer}"
)
SEEDS: Final = 5
SIZES: Final = (6, 12, 100)  # questions to train on, to choose by, and never seen
CALLS: Final = 120  # of the judge by the optimiser in a run
_QUESTIONS: Final = 120  # of all products; each run splits them anew
_RATINGS: Final = tuple("123456789")
_LISTED: Final = 100  # tokens, of 151,936; the ratings are among the first few
_WRITTEN: Final = 32  # tokens of an answer
_NUMBER: Final = re.compile(r"\d+")


class Rater(Local):
    """Weights that are asked for a rating; what they say is its mean by their own probabilities.

    The likeliest rating alone is the highest for nearly every answer, which leaves nothing to gain.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        says = f"mean rating by the model's probabilities among the {_LISTED} likeliest tokens"
        self.identity = replace(self.identity, details={**self.identity.details, "score": says})

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:  # noqa: ARG002  (one token is read, whatever the decoding)
        """Return the mean rating, with three decimals."""
        began = time.monotonic()
        chunks, logprobs = await self._first_token(prompt, _LISTED)
        shares = {t: math.exp(share) for t, share in logprobs.items() if t in _RATINGS}
        mean = sum(int(rating) * share for rating, share in shares.items()) / sum(shares.values())
        return runtime.completion(self.identity.model, chunks, began, f"{mean:.3f}")


Ask = Callable[[Sequence[Question]], list[str]]


def _items() -> tuple[Item, ...]:
    products = [(a, b) for a in range(12, 100) for b in range(3, 10)]
    drawn = random.Random(0).sample(products, k=_QUESTIONS)  # noqa: S311  (a draw, no secret)
    return tuple(Item(item=f"{a}*{b}", question=f"What is {a} times {b}?") for a, b in drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """Products as a work: one model writes, another scores, arithmetic is gold."""

    sees_text: bool
    roles: Mapping[str, Role]
    ask: Ask
    judge: str = JUDGE
    unseen_judges: tuple[str, ...] = (JUDGE_B,)
    top_score: float = float(_RATINGS[-1])
    items: tuple[Item, ...] = field(default_factory=_items)

    def outputs(self, candidate: Candidate, items: Sequence[Item]) -> list[str]:
        """Return what the worker writes; at temperature 0 it writes the same again."""
        instruction = candidate["instruction"]
        texts = [f"{item.question} {instruction}" for item in items]
        return self.ask([Question(role=self.roles["worker"], text=t, side="a") for t in texts])

    def scores(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return the judge's score of each answer."""
        return self.fresh(self.judge, items, outputs)

    def fresh(self, judge: str, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return what a judge says; it says the same again."""
        role = self.roles[judge]
        texts = [
            QUESTION.format(question=item.question, answer=self._seen(output))
            for item, output in zip(items, outputs, strict=True)
        ]
        replies = self.ask([Question(role=role, text=text, side="a") for text in texts])
        return [*map(float, replies)]

    def right(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return gold: 1 where the last number of an answer is the product."""
        products = [_product(item) for item in items]
        return [float(_last(o) == str(p)) for o, p in zip(outputs, products, strict=True)]

    def changed(self, candidate: Candidate, rng: random.Random) -> dict[str, str]:
        """Return another instruction of the list."""
        return {
            "instruction": rng.choice([t for t in INSTRUCTIONS if t != candidate["instruction"]])
        }

    def _seen(self, output: str) -> str:
        return output if self.sees_text else _last(output)


def _last(output: str) -> str:
    return next(reversed(_NUMBER.findall(output)), "")


def _product(item: Item) -> int:
    a, b = item.item.split("*")
    return int(a) * int(b)


def write_all(out: Path, works: Mapping[str, Products]) -> None:
    """Run GEPA for each work and seed, and write what is published of it."""
    rows: dict[str, list[dict[str, Any]]] = {LOG: [], CHECKS: []}
    for start, work in works.items():
        for seed in range(SEEDS):
            files = _files_of(work, out / start / f"{seed:02}", seed)
            name = {"run": f"{start}/{seed:02}"}
            rows[LOG] += [name | _cells(row, LOG_COLUMNS) for row in files.log.rows]
            rows[CHECKS] += [name | _cells(row, CHECK_COLUMNS) for row in files.checks]
    runs = LoopRuns(
        judge=JUDGE,
        platform="local",
        prompt=QUESTION,
        judge_b=JUDGE_B,
        gold="arithmetic: the last number of the answer is the product",
        optimiser=f"gepa {version('gepa')}",
        metric_calls=CALLS,
        starts=STARTS,
        items=dict(zip(("train", "validation", "test"), SIZES, strict=True)),
        worker=WORKER,
        measured_on=datetime.now(UTC).date(),
        files={},
    )
    tables = {name: pa.Table.from_pylist(of) for name, of in rows.items()}
    write_runs(out / "published", runs, tables)


def _cells(row: Any, columns: Sequence[str]) -> dict[str, Any]:
    return {column: getattr(row, column) for column in columns[1:]}


def _files_of(work: Products, folder: Path, seed: int) -> Files:
    """Return the log of one run and the checks of what it began and ended with."""
    folder.mkdir(parents=True, exist_ok=True)
    log, split = folder / "run.loop.jsonl", Split.drawn(work.items, SIZES, seed)
    for path in folder.iterdir():
        path.unlink()  # the answers are kept beside the runs, so a run is made again at once
    final = run(work, BEGIN, split, calls=CALLS, seed=seed, log=log)
    sys.stderr.write(f"{folder.parent.name}/{folder.name}: {final['instruction']}\n")
    if final == BEGIN:
        return Files(log=read_log(log), checks=[*checked(work, BEGIN, split.test)])
    check(work, split, log, time=stamp(datetime.now(UTC)))
    files = Files.read(log)
    return Files(log=files.log, checks=files.tested)


async def _main(out: Path) -> None:
    roles = {
        name: Role(name=role, model=model, decoding=Decoding(temperature=0.0, max_tokens=tokens))
        for name, role, model, tokens in (
            ("worker", "executor", Local(WORKER), _WRITTEN),
            (JUDGE, "judge", Rater(JUDGE), 1),
            (JUDGE_B, "judge-b", Rater(JUDGE_B), 1),
        )
    }
    loop = asyncio.get_running_loop()
    session = asked_within(
        [*roles.values()],
        out / "answers",
        clock=lambda: datetime.now(UTC),
        watch=progress_bar,
        limits=Limits(),
    )
    async with session as caller:

        def ask(questions: Sequence[Question]) -> list[str]:
            places = [(question, "live") for question in questions]
            asked = asyncio.run_coroutine_threadsafe(caller.ask_all("answers", places), loop)
            calls = asked.result()
            return [call_of(call).answer for call in calls]

        works = {
            start: Products(sees_text=start == "text", roles=roles, ask=ask) for start in STARTS
        }
        await asyncio.to_thread(write_all, out, works)


def main() -> None:
    """Write the runs into a folder."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    asyncio.run(_main(out))


if __name__ == "__main__":
    main()
