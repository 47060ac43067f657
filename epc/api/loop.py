"""`epc.loop`, `epc.selection` and `epc.transfer`: an optimiser's run, and a bank, from Python.

The recorder stands between an optimiser and its metric. It asks nothing, and changes nothing: what
the metric returned goes on to the optimiser, and a line of it into the log.
"""

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from epc.analysis.loop import LoopReport, RunsReport, over_runs
from epc.analysis.loop_decisions import Gate, assess, runs_refusals
from epc.analysis.loop_decisions import gate as decide
from epc.analysis.loop_files import Files
from epc.analysis.selection import PickersQuality, Selection, banks_in, pickers_quality, selections
from epc.errors import UsageError, able_to, refuse
from epc.records.loop import (
    LogLine,
    StoredValue,
    digest,
    loop_paths,
    name_and_text,
    plain,
    read_kept,
    read_ledger,
    read_log,
)
from epc.spec.epc_v1 import ROUNDS

__all__ = ["Gate", "LoopReport", "Recorder", "RunsReport", "gate", "record", "report"]

_SCORE: Final = "score"
_MOST_NAMES: Final = 10_000  # items whose names are at hand
_ENCODER: Final = msgspec.json.Encoder()
Split = Callable[[Any], str] | Mapping[str, Iterable[Any]]


def record(target: Any, *, judge: str, split_of: Split, out: str | Path) -> "Recorder":
    """Return a metric, or a GEPA adapter, that also writes each score into a log.

    `judge` is the model behind the metric. `split_of` says of an item to which split it belongs: a
    function, or each split with its items. `out` is the log, by custom NAME.loop.jsonl; a run that
    goes on appends to it. The texts of candidates, items and outputs are kept beside it.

    Raises: UsageError if the target is neither; MalformedError if the log is damaged.
    """
    if not callable(target) and not callable(getattr(target, "evaluate", None)):
        raise UsageError(
            "record a metric (a function) or an adapter with evaluate(batch, candidate)"
        )
    return Recorder(target, judge=judge, split_of=split_of, out=Path(out))


class Recorder:
    """A metric or an adapter that records. Everything else is that of what it wraps."""

    def __init__(self, target: Any, *, judge: str, split_of: Split, out: Path) -> None:
        """Take what `record` takes."""
        self._target, self._judge = target, judge
        self._split_of = split_of if callable(split_of) else None
        splits = {} if callable(split_of) else split_of
        self._splits = {name_and_text(i)[0]: name for name, items in splits.items() for i in items}
        texts_path, begun = loop_paths(out)[2], out.exists() and out.stat().st_size > 0
        self._kept = {*read_kept(texts_path)}
        logged_rows = read_log(out).rows if begun else []
        self._seq = count(1 + max((row.seq or 0 for row in logged_rows), default=0))
        self._batch = count(1 + max((row.batch or 0 for row in logged_rows), default=0))
        self._candidate: str | None = None
        self._names: dict[int, tuple[Any, str, str, str]] = {}
        with able_to("write", out):
            self._log, self._texts = (
                os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
                for path in (out, texts_path)
            )
        for file in (self._log, self._texts):
            weakref.finalize(self, os.close, file)
        if callable(target):
            update_wrapper(self, target)

    def __getattr__(self, name: str) -> Any:
        """Return what the wrapped adapter or metric has."""
        if name.startswith("__") or "_target" not in self.__dict__:  # while it is copied
            raise AttributeError(name)
        return getattr(self._target, name)

    def evaluate(self, batch: Any, candidate: Any, *args: Any, **options: Any) -> Any:
        """Evaluate a candidate as the adapter does, and record its scores."""
        result = self._target.evaluate(batch, candidate, *args, **options)
        name, number = self._named(candidate), next(self._batch)
        lines = [
            self._line(name, item, output, float(score), number)
            for item, output, score in zip(batch, result.outputs, result.scores, strict=True)
        ]
        os.write(self._log, b"".join(lines))
        return result

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Return what the metric says of an item (its first argument) and an output (its second).

        Raises: UsageError outside of `with recorder.candidate(...)`.
        """
        if self._candidate is None:
            raise UsageError("say whose output it is: `with recorder.candidate(ID): ...`")
        result = self._target(*args, **options)
        item, output, *_ = (*args, *options.values())
        if (score := _score_of(result)) is not None:
            os.write(self._log, self._line(self._candidate, item, output, score, None))
        return result

    @contextmanager
    def candidate(self, candidate: Any) -> Iterator[None]:
        """Record the calls inside the block, in whatever thread, as a candidate's.

        An identifier or the candidate itself, such as its prompts by name.

        Raises: UsageError if another candidate's block is open.
        """
        if self._candidate is not None:
            raise UsageError("one candidate at a time: another one's block is still open")
        self._candidate = candidate if isinstance(candidate, str) else self._named(candidate)
        try:
            yield
        finally:
            self._candidate = None

    def _named(self, candidate: Any) -> str:
        return self._keep("candidate", digest(candidate), candidate)

    def _line(
        self, candidate: str, item: Any, output: Any, score: float, batch: int | None
    ) -> bytes:
        _, name, text, split = self._names.get(id(item)) or self._name(item)
        row = LogLine(
            candidate=candidate,
            item=name,
            output=self._keep("output", digest(output), output),
            judge=self._judge,
            score=score,
            split=split,
            seq=next(self._seq),
            batch=batch,
            text=text,
        )
        return _ENCODER.encode(row) + b"\n"

    def _name(self, item: Any) -> tuple[Any, str, str, str]:
        """Return an item with its name, its text's digest and its split; the next time at once."""
        if len(self._names) > _MOST_NAMES:
            self._names.clear()
        name, text = name_and_text(item)
        split = self._split_of(item) if self._split_of else self._splits.get(name)
        if split is None:
            raise UsageError(f"split_of has no split for the item {name}")
        self._names[id(item)] = named = (item, name, text, split)
        self._keep("item", name, item)
        return named

    def _keep(self, kind: str, name: str, value: Any) -> str:
        """Write once what an identifier stands for."""
        if (kind, name) not in self._kept:
            self._kept.add((kind, name))
            row = StoredValue(kind=kind, id=name, value=value)
            os.write(self._texts, msgspec.json.encode(row, enc_hook=plain) + b"\n")
        return name


def report(
    log: str | Path | Iterable[str | Path], checks: str | Path | None = None
) -> LoopReport | RunsReport:
    """Return what `epc loop report` says of a log, or of the logs of five seeds or more.

    The checks are those beside a log unless they are named.

    Raises: MalformedError of the first reason why nothing can be said.
    """
    if isinstance(log, str | Path):
        assessed = assess(Files.read(Path(log), Path(checks) if checks else None))
        refuse(assessed.findings)
        assert assessed.report is not None
        return assessed.report
    runs = [Files.read(Path(path)) for path in log]
    done = [assess(run) for run in runs]
    refuse(
        [*runs_refusals(runs), *(finding for assessment in done for finding in assessment.findings)]
    )
    return over_runs([assessment.report for assessment in done if assessment.report is not None])


def gate(log: str | Path, checks: str | Path, *, unplanned: bool = False) -> Gate:
    """Return what `epc loop gate` says. Nothing is used up by it: the ledger is the command's."""
    files = Files.read(Path(log), Path(checks))
    return decide(files, read_ledger(Path(log)), unplanned=unplanned)


def _score_of(result: Any) -> float | None:
    """Return the number of what a metric returned: itself, or its `score`; None if it has none."""
    value = result[0] if isinstance(result, tuple) else result
    value = value.get(_SCORE) if isinstance(value, Mapping) else getattr(value, _SCORE, value)
    return None if value is None else float(value)


def selection(
    bank: str | Path,
    *,
    settings: Sequence[str] = (),
    askings: int | None = None,
    pick: Literal["mean", "lower"] = "mean",
) -> list[Selection]:
    """Return what `epc observe selection` says of each judge."""
    return [*selections(banks_in(Path(bank), settings), askings, lower=pick == "lower")]


def transfer(
    bank: str | Path,
    *,
    settings: Sequence[str] = (),
    judge: str | None = None,
    domains: Sequence[str] = (),
    rounds: int = ROUNDS,
) -> list[PickersQuality]:
    """Return what `epc observe transfer` says of each judge, or of one."""
    return [*pickers_quality(banks_in(Path(bank), settings), judge, domains, rounds=rounds)]
