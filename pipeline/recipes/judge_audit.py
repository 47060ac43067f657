"""Choices among 2 to 77 labels, with confidences (kunko-ai-labs/judge-audit, study of v0.5)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.digests import sha256
from epc.records.verdicts.converting import Conversion, Request, day_of, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with docs/runs/v05/*/*.ckpt.jsonl, first {run: {timestamp_utc, judge, dataset: "
    "{path, sha256}}}, then lines of {idx, judgments: [{question, decision, confidence, raw}]}, "
    "and the files of labels that they name, lines of {state, questions, labels}; those of "
    "BANKING77 and CLINC150 are made by scripts/fetch_real_datasets.py"
)
_REPOSITORY: Final = "https://github.com/kunko-ai-labs/judge-audit"
_RUNS: Final = "docs/runs/v05/*/*.ckpt.jsonl"
# The code is Apache-2.0; of these files the source says that they are no dataset to pass on.
_LICENCE: Final = "LicenseRef-not-for-redistribution"
_HEAD: Final = -1  # index of a line that holds no row
_QWEN: Final = "mlx-community/Qwen3-8B-4bit"
_JEV: Final = "jev-1.13.0"
_GEMINI: Final = "gemini-3.6-flash"
_LAYA: Final = "convaiinnovations/laya"
# Judges by the name that a run has for them: the model that answered, and who served it.
_JUDGES: Final[Mapping[str, tuple[str, str]]] = {
    "jev-latest": (_JEV, "typesafe"),
    "laya": (_LAYA, UNKNOWN),
    "gemini-3.6-flash": (_GEMINI, "google-gemini-api"),
    "qwen3-8b-4bit": (_QWEN, UNKNOWN),
}
_PARTS: Final = {"r2": 1, "r3": 2}  # further askings of one run

FAULTS: Final = faults(
    {
        "public-data": "BANKING77 (2020) and CLINC150 (2019) are public, so that a judge may have "
        "seen them in training.",
        "one-annotator": "Each label of BANKING77 and CLINC150 is one person's. How often these "
        "are wrong nobody measured; a wrong label counts as the judge's error.",
        "part-of-clinc150": "Of CLINC150 there are 900 requests of 30 intents and 1,000 that are "
        "out of scope: more than half of the rows have that one label.",
        "templates": "1,000 mails, 1,000 attacked mails and 1,050 tasks were made of 80, 100 and "
        "80 templates, and their labels are the template's. The template is the item in every "
        "interval.",
        "difficulty-by-design": "The label of a task is its template's difficulty. Nobody tried "
        "whether the cheap model solves it. A third of the tasks carry an attack.",
        "not-passed-on": "The source publishes its runs as evidence and says that they are no "
        "dataset for redistribution. So figures are here, and no row.",
        "read-from-a-package": "The runs are those of the source distribution kunko-judge-audit "
        "0.5.1. Sets of labels that it lacks were made by its own script; they have the digests "
        "that the runs state.",
        "earlier-runs-left-out": "Left out are the pilot and the runs of earlier versions, on "
        "120 or 200 rows; those of the fine-tuned DeBERTa hold half of these.",
        "asked-as-latest": "The runs asked for jev-latest. Each reply states jev-1.13.0.",
        "description-copied": "On CLINC150 the judge answered 267 times with the option and its "
        "description behind a colon. That is read as the option here, so that 97.2% are right. By "
        "the source's rule of record these are wrong, and 83.2% are right; it reports both.",
        "quantised": "The weights are a 4-bit copy for Apple's MLX, at revision 545dc42, run on "
        "the author's machine. Served ones may differ.",
        "near-ties": "Where two labels are almost equally likely, rounding of 16-bit numbers can "
        "turn the choice by log-probability. The source counts such rows.",
        "invented-labels": "Up to 160 of 3,080 answers on BANKING77 name no label of the list. "
        "They count as wrong.",
        "no-texts": "Digests are of names: set and row.",
    },
    models={
        "asked-as-latest": (_JEV,),
        "description-copied": (_GEMINI,),
        "quantised": (_QWEN,),
        "near-ties": (_QWEN,),
        "invented-labels": (_QWEN,),
    },
)


class _Question(Struct, frozen=True):
    name: str
    options: Sequence[str] = ()
    descriptions: Mapping[str, str] = {}

    def read(self, decision: str) -> str:
        """Return a decision; the option alone where its description was copied behind a colon."""
        option, _, description = decision.partition(":")
        described = option in self.options and option in self.descriptions
        if described and description.strip() == self.descriptions[option]:
            return option
        return decision


class _Made(Struct, frozen=True):
    template: str = ""


class _Labelled(Struct, frozen=True, rename={"made": "_meta"}):
    """Row of a set: a text, its question and the right label; the first line has none."""

    idx: int = 0
    state: str = ""
    questions: Sequence[_Question] = ()
    labels: Mapping[str, str] = {}
    made: _Made = _Made()


class _Dataset(Struct, frozen=True):
    path: str
    sha256: str


class _Judge(Struct, frozen=True):
    name: str
    model: str
    confidence_method: str = "the judge's own probability"
    temperature: float | str = "n/a"
    prompt_template: str = ""
    prompt_sha256: str = UNKNOWN
    samples: int = 1


class _Run(Struct, frozen=True):
    timestamp_utc: str
    judge: _Judge
    dataset: _Dataset


class _Raw(Struct, frozen=True):
    model: str = ""
    votes: Mapping[str, int] = {}


class _Judgment(Struct, frozen=True):
    """Decision on one question; of several samples it is the one with most `votes`."""

    decision: str
    confidence: float | None
    raw: _Raw

    def read(self, question: _Question, samples: int) -> tuple[str, float | None]:
        """Return the label and how sure the judge was; each sample is read before it votes."""
        counts = Counter[str]()
        for decision, count in self.raw.votes.items():
            counts[question.read(decision)] += count
        label = question.read(self.decision)
        if not counts:
            return label, self.confidence
        most = max(counts.values())
        label = label if counts[label] == most else max(counts, key=lambda name: counts[name])
        return label, most / samples


class _Line(Struct, frozen=True):
    idx: int
    run: _Run | None = None
    judgments: Sequence[_Judgment] = ()


def convert(source: Path, request: Request) -> Conversion:
    """Return every choice of a judge beside the right label."""
    work = Work(source=source, request=request, expected=EXPECTED)
    sets: dict[str, Sequence[_Labelled]] = {}
    for path in work.paths(_RUNS):
        lines = list(work.lines(path, _Line))
        run = lines[0][1].run if lines else None
        if run is None or run.judge.model not in _JUDGES:
            work.wrong(path.as_posix(), "begins with no run of a known judge")
            continue
        if run.dataset.path not in sets:
            sets[run.dataset.path] = _labelled(work, run.dataset)
        if rows := sets[run.dataset.path]:
            _add(work, path, run, lines[1:], rows)
    return work.done(
        name="Judge audit (choices)", repository=_REPOSITORY, licence=_LICENCE, identity="name"
    )


def _labelled(work: Work, dataset: _Dataset) -> Sequence[_Labelled]:
    """Return the rows of a set, if it is the one that runs state by its digest."""
    path = Path(dataset.path)
    if not work.holds(path):
        return ()
    if sha256(work.read(path)) != dataset.sha256:
        work.wrong(dataset.path, f"has not the SHA-256 {dataset.sha256} that the runs state")
        return ()
    rows = work.decoded(path, _Labelled) or []
    return [row for row in rows if row.idx != _HEAD]


def _add(
    work: Work,
    path: Path,
    run: _Run,
    lines: Sequence[tuple[str, _Line]],
    rows: Sequence[_Labelled],
) -> None:
    """Add a run's choices. A text or template that stands in several rows is one question."""
    name = path.parent.name
    setting, repeat = _setting(work, path, run)
    for where, line in lines:
        row, judgment = rows[line.idx], line.judgments[0]
        question = row.questions[0]
        label, confidence = judgment.read(question, run.judge.samples)
        cluster = row.made.template or " ".join(row.state.lower().split())
        work.add(
            where,
            item=f"{name}/{line.idx}",
            setting=setting,
            file=path.as_posix(),
            question_sha256=digest(f"{_REPOSITORY}/{name}/{cluster}"),
            a_sha256=digest(f"{_REPOSITORY}/{name}/{line.idx}"),
            gold_label=row.labels[question.name],
            date=day_of(run.timestamp_utc),
            **({"label": label} if label else {"verdict": "unreadable"}),
            **({} if confidence is None else {"confidence": confidence}),
            **({"repeat": repeat} if repeat else {}),
        )


def _setting(work: Work, path: Path, run: _Run) -> tuple[str, int]:
    """Return the key of how a judge was asked, and which asking it was."""
    judge, data = run.judge, path.parent.name
    model, platform = _JUDGES[judge.model]
    kind, *parts = path.name.removesuffix(".ckpt.jsonl").split("-")
    ways = [kind] if kind == "logprob" else []
    if judge.samples > 1:
        ways.append(f"{judge.samples}-samples")
    if judge.prompt_template == "v2":
        ways.append("prompt-v2")
    key = "/".join((model.rpartition("/")[2], data, *ways))
    is_stated = judge.prompt_sha256 != UNKNOWN
    decoding: dict[str, Any] = {"confidence": judge.confidence_method}
    if not isinstance(judge.temperature, str):
        decoding["temperature"] = judge.temperature
    if judge.samples > 1:
        decoding["samples"] = judge.samples
    # A prompt is its template with the set's question and labels.
    work.settings[key] = setting_of(
        judge.name.partition(":")[0] if platform == "typesafe" else judge.model,
        model,
        platform=platform,
        prompt=f"{judge.prompt_template or judge.name}, {data}",
        sha256=digest(f"{judge.prompt_sha256} {run.dataset.sha256}") if is_stated else UNKNOWN,
        decoding=decoding,
    )
    return key, next((_PARTS[part] for part in parts if part in _PARTS), 0)


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
