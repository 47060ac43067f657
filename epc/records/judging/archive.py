"""Archiving what judges said, and the log of who judged, how, when, and how much came of it.

Valid evaluations here, invalid ones there, nothing dropped.

Sources: JUDGE-7.4, JUDGE-6, JUDGE-8; Reading R23.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final

from epc.errors import able_to
from epc.json_text import storable
from epc.judge.check import (
    Judgement,
    check,
    check_reply,
    judged_again,
    no_quotes,
    outside_the_set,
    unjudged,
    with_fault,
    worth,
)
from epc.judge.mapping import RubricMapping
from epc.judge.reply import read_reply
from epc.judge.samples import Sample
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.judging.documents import (
    INVALID,
    README,
    RUN_LOG,
    SAMPLES,
    Plan,
    Record,
    RunLog,
    Tally,
    Totals,
    records_path,
    role_of,
)
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.layout import CALLS, digest
from epc.records.manifest import DescribedFile
from epc.records.strict_json import dumps_line, write_text, written_whole
from epc.records.typed import as_json, parse
from epc.records.usage import RoleUsage
from epc.spec.judge_v1 import METHODS, PROTOCOL, Method
from epc.version import __version__

_README: Final = """# Invalid evaluations

Replies of judge models that are no valid evaluations, each with every reason. They are kept
verbatim and counted; none of them enters a statistic of scores or verdicts. **Invalid is not low
quality**: an output that fails is a valid evaluation with the verdict FAIL.

One folder a method, one line of `records.jsonl` a reply: `raw` is the reply, `flags` what applies,
`findings` where and why, `verdict` what its scores would give, `judge_verdict` what it said.
A sample that nobody judged stands here too, with `raw` null.

| flag | raised when |
|---|---|
| PROTOCOL_VIOLATION | a score off the scale 0 to 2; a dimension renamed or added; a dimension \
without a quote and a reason; a quote that is not in the evaluated output; a method that is \
neither of the two; a timestamp that is no date |
| UNPARSABLE_OUTPUT | not exactly one strict JSON object; a field missing; a value of a wrong type |
| INCOMPLETE_COVERAGE | an identifier missing or not the sample's; a sample judged twice, not at \
all, or not in the set |
| JUDGE_REFUSAL_OR_EVASION | a refusal, no dimension scored, or "N/A" for all four |
| INTERNAL_INCONSISTENCY | the sum is not the scores'; the verdict fits neither reading of the \
thresholds; the method contradicts judge and target |

All flags that apply are raised, also those that a judge sets by its own hand.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReply:
    """Reply to one sample, verbatim, with its day and the calls that were made for it.

    `is_repeated` marks every reply to a sample that was judged more than once.
    """

    sample: Sample
    raw: str
    calls: tuple[str, ...] = ()
    is_repeated: bool = False
    date: str | None = None


class Archive:
    """The records of one evaluation while they are written."""

    def __init__(self, plan: Plan, units: EvaluationSet, mapping: RubricMapping | None) -> None:
        self._plan, self._units, self._mapping = plan, units, mapping
        self._files: dict[tuple[bool, str], BinaryIO] = {}
        self._seen: set[str] = set()
        self.tallies: dict[Method, Tally] = {method: Tally() for method in METHODS}

    def add(self, raw_reply: RawReply) -> None:
        """Judge a reply and archive it.

        Raises: WorldError if the disk refuses.
        """
        self._seen.add(raw_reply.sample.id)
        checked = judgement(raw_reply, self._units, self._mapping)
        self._write(raw_reply.sample, checked, raw_reply)

    def _write(self, sample: Sample, checked: Judgement, came: RawReply | None = None) -> None:
        record = record_of(self._plan, self._units, sample, checked, came)
        self.tallies[sample.method].add(record)
        self._files[checked.valid, sample.method].write(dumps_line(as_json(record)).encode("utf-8"))

    @contextmanager
    def written_to(self, folder: Path) -> Iterator[None]:
        """Take records while the block runs; then note who was not judged, and close.

        Raises: WorldError if the disk refuses; the folder is then as it was.
        """
        with ExitStack() as stack:
            for method in self.tallies:
                for valid in (True, False):
                    path = records_path(folder, valid=valid, method=method)
                    with able_to("make", path.parent):
                        path.parent.mkdir(parents=True, exist_ok=True)
                    self._files[valid, method] = stack.enter_context(written_whole(path))
            write_text(folder / INVALID / README, [_README])
            yield
            for sample, _ in self._units.samples():
                if sample.id not in self._seen:
                    self._write(sample, unjudged(self._units.rules))

    def totals(self) -> dict[Method, Totals]:
        """Return the totals of every method."""
        return {method: tally.totals() for method, tally in self.tallies.items()}


def record_of(
    plan: Plan, units: EvaluationSet, sample: Sample, checked: Judgement, came: RawReply | None
) -> Record:
    """Return the record of a sample: what it is worth, and the reply that came, if one did."""
    row = units.row(sample)
    return Record(
        id=sample.id,
        sample=sample,
        output_sha256=None if row is None else row.output_sha256,
        raw=storable(came.raw) if came else None,
        calls=came.calls if came else (),
        date=came.date if came else None,
        prompt=plan.prompts.get(sample.method),
        mapping=plan.mapping,
        constraint=plan.constraint,
        **{name: getattr(checked, name) for name in Judgement.__slots__},
    )


def judgement(
    raw_reply: RawReply, units: EvaluationSet, mapping: RubricMapping | None
) -> Judgement:
    """Return what a reply is worth in its set."""
    row = units.row(raw_reply.sample)
    if row is None:
        return worth([outside_the_set()], quotes=no_quotes(units.rules))
    output, sample = units.folded(row.output_sha256), units.for_judge(raw_reply.sample)
    if mapping is None:
        checked = check(raw_reply.raw, sample, output)
    else:
        _, source, _ = read_reply(raw_reply.raw)
        if source is None:
            checked = check(raw_reply.raw, sample, output)
        else:
            reply, faults = mapping.convert(source, sample)
            checked = check_reply(reply, sample, output, faults)
            checked = replace(
                checked,
                judge_verdict=mapping.verdict(source),
                judge_overall=mapping.overall(source),
            )
    return with_fault(checked, judged_again()) if raw_reply.is_repeated else checked


NO_TOOLS: Final = "none: the judge sees its prompt only"
UNKNOWN_TOOLS: Final = "unknown: the replies were imported"


def begin(folder: Path, *, origin: str, now: str) -> None:
    """Note when an evaluation began.

    It does nothing if that was noted in an earlier session.
    """
    if (folder / RUN_LOG).is_file():
        return
    log = {**_head(origin), "state": "running", "time": {"from": now, "to": None}}
    strict_json.write(folder / RUN_LOG, log)


def complete(
    folder: Path,
    plan: Plan,
    *,
    totals: Mapping[Method, Totals],
    spent: Mapping[str, RoleUsage],
    malformed: Iterable[int],
    now: str | None,
) -> RunLog:
    """Write the log of a complete evaluation and return it.

    `spent` is by the judges' roles; `malformed` are two counts: replies that were asked again,
    and those mended by it.
    """
    began = parse(strict_json.read(folder / RUN_LOG)[0], RunLog)
    asked_again, mended = malformed
    log = {
        **_head(began.origin),
        "state": "complete",
        "time": {"from": began.time["from"], "to": now},
        "judges": [
            {**as_json(judge), **spent.get(role_of(judge.model), RoleUsage()).as_json()}
            for judge in plan.judges
        ],
        "tools": NO_TOOLS if began.origin == "run" else UNKNOWN_TOOLS,
        "samples": plan.samples.rows,
        "malformed": {
            "retries_allowed": plan.retry_malformed,
            "asked_again": asked_again,
            "mended": mended,
        },
        "totals": as_json(totals),
        "files": as_json(described(folder)),
    }
    strict_json.write(folder / RUN_LOG, log)
    return parse(log, RunLog)


def described(folder: Path) -> dict[str, DescribedFile]:
    """Return SHA-256, bytes and rows of every file whose content the log vouches for."""
    paths = [
        records_path(folder, valid=valid, method=method)
        for valid in (True, False)
        for method in METHODS
    ]
    paths += [folder / SAMPLES, folder / CALLS]
    return {
        path.relative_to(folder).as_posix(): parse(digest(path), DescribedFile)
        for path in paths
        if path.is_file()
    }


def _head(origin: str) -> Json:
    return {"protocol": PROTOCOL, "epc_version": __version__, "origin": origin}
