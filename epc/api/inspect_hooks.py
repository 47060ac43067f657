"""Inside Inspect AI: what judges said in a run as a verdict file, and whether they still hold.

Inspect loads this by its entry point. Nothing happens unless the environment names a folder:
`inspect eval task.py --env EPC_VERDICTS=verdicts`.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

from epc.printable import shortened

_FOLDER: Final = "EPC_VERDICTS"
_DAY: Final = len("2026-11-26")
_MOST_NAMES: Final = 3  # of tasks, and of models
_LONGEST: Final = 120  # characters of a run's name


@hooks(name="epc", description="records what judges said, and says whether they still hold")
class Judges(Hooks):
    """Writes the verdict file of each run, and prints what is known of its judges."""

    def enabled(self) -> bool:
        """Return whether a folder is named."""
        return bool(os.environ.get(_FOLDER))

    async def on_run_end(self, data: RunEnd) -> None:
        """Write the run's verdicts, and say what they show."""
        out = Path(os.environ[_FOLDER]) / f"{data.run_id}.jsonl"
        sys.stderr.write("\n".join(_lines(data.logs, out)) + "\n")


def _lines(logs: Sequence[EvalLog], out: Path) -> Iterator[str]:
    """Write the verdict file, and yield the lines that tell of it."""
    from epc.extras import require
    from epc.records.verdicts.converting import Request
    from epc.records.verdicts.shapes import write_converted

    require("measure")
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / _name(logs)  # by which the file is known as a source
        folder.mkdir()
        for log in logs:
            full_log = log if log.samples else read_eval_log(log.location)
            name = Path(log.location).with_suffix(".json").name
            write_eval_log(full_log, f"{folder}/{name}", format="json")
        done = write_converted("inspect", folder, Request(), out)
    if done.header is None or done.findings:
        problems = dict.fromkeys(finding.problem for finding in done.findings)
        yield f"epc: no verdict file: {'; '.join(problems)}"
        return
    yield f"epc: {len(done.rows):,} verdicts in {out}"
    for setting in done.header.settings.values():
        yield f"  judge {_state(setting.judge.platform, setting.judge.model, setting.judge.name)}"
    yield from _figures(out)


def _name(logs: Sequence[EvalLog]) -> str:
    """Return a run's name: its tasks, its models, its day."""
    parts = [
        [log.eval.task.rpartition("/")[2] for log in logs],
        [log.eval.model.rpartition("/")[2] for log in logs],
        [log.eval.created[:_DAY] for log in logs],
    ]
    name = ", ".join(shortened([*dict.fromkeys(names)], _MOST_NAMES) for names in parts)
    return re.sub(r"[^\w.,: -]", "-", name)[:_LONGEST].strip(". ") or "run"


def _state(platform: str, model: str, name: str) -> str:
    """Return what the registry says of a judge, by the best known of its names."""
    from epc.answers.resolve import resolve
    from epc.answers.scanning import answered
    from epc.engine.clock import now
    from epc.registry.reading import open_registry
    from epc.registry.scan.forms import sentence

    registry, today = open_registry(None), now().date()
    spelt = (f"{platform}/{model}", model, name)
    registered = (spelling for spelling in spelt if resolve(registry, spelling, today).is_known)
    return sentence(answered(registry, next(registered, name), (), today))


def _figures(path: Path) -> Iterator[str]:
    """Yield what the verdicts show of each judge that was asked twice, or whose gold is known."""
    from epc.analysis.verdicts_audit import audit_of
    from epc.records.verdicts.verdict_file import read
    from epc.statistics.figures import TOO_FEW

    header, verdicts, _ = read(path)
    assert header
    assert verdicts
    for group in audit_of(header, verdicts).groups:
        for name, figure in group.figures.items():
            if name not in ("unreadable", "ties"):
                yield f"  {group.settings[0]}  {name} {figure.text(absent=TOO_FEW)}, n {figure.n:,}"
    yield f"  all figures: epc audit {path}"
