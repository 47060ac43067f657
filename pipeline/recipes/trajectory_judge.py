"""Pass or fail of an agent's steps (mohammadi-hadi/trajectory-judge); the fault was planted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.records.verdicts.converting import FAILS, Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with results/raw/trajectories.jsonl, lines of {trajectory_id, instance_id, label: "
    "{faulty, outcome_correct}}, and results/raw/verdicts.jsonl, lines of {trajectory_id, "
    "judge_id: WAY:MODEL, faulty, confidence, error, prompt_tokens, completion_tokens}"
)
_REPOSITORY: Final = "https://github.com/mohammadi-hadi/trajectory-judge"
_TRAJECTORIES: Final = Path("results/raw/trajectories.jsonl")
_VERDICTS: Final = Path("results/raw/verdicts.jsonl")
_SCRIPT: Final = Path("src/trajectory_judge/judges/llm.py")
_PLAIN: Final = {"temperature": 0, "seed": 7}
_RULES: Final = "programmatic"
# What an Ollama name stands for, with its default tag.
_MODELS: Final[Mapping[str, str]] = {
    "qwen2.5:14b": "Qwen/Qwen2.5-14B-Instruct",
    "llama3.1:8b": "meta-llama/Llama-3.1-8B-Instruct",
}

FAULTS: Final = faults(
    {
        "planted-faults": "Each fault was planted in a scripted agent's correct run, one in a "
        "run, and each of six kinds 50 times. Faults of real agents are others.",
        "one-desk": "All 400 runs are of one invented support desk with seven tools.",
        "worlds": "400 runs are of 141 worlds; a world has 1 to 7 of them. The world is the item "
        "in every interval.",
        "three-in-four-bad": "300 of 400 runs have a fault. A judge that fails everything agrees "
        "in 75%; read TPR and TNR.",
        "what-is-shown": "The way `outcome` shows goal and answer alone. 175 of the 300 faults "
        "leave the answer right, so that it can see none of these.",
        "majority-of-three": "The way `selfcons3` is the majority of three askings at another "
        "temperature; the three stand nowhere.",
        "unparsed-is-clean": "An answer that could not be parsed would stand as clean, with an "
        "error beside it. No row has one.",
        "quantised": "The models were asked through Ollama on the author's machine, under names "
        "whose default weights are quantised. Their digests are not stated.",
        "no-texts": "Digests are of names.",
    },
    models={
        "what-is-shown": ("Qwen/Qwen2.5-14B-Instruct",),
        "majority-of-three": ("Qwen/Qwen2.5-14B-Instruct",),
    },
)


class _Label(Struct, frozen=True):
    faulty: bool
    outcome_correct: bool


class _Trajectory(Struct, frozen=True):
    """A run of the agent, its world, and whether a fault was planted in it."""

    trajectory_id: str
    instance_id: str
    label: _Label

    @property
    def subset(self) -> str:
        """What kind of run it is."""
        if not self.label.faulty:
            return "clean"
        return "silent fault" if self.label.outcome_correct else "loud fault"


class _Verdict(Struct, frozen=True):
    trajectory_id: str
    judge_id: str
    faulty: bool
    confidence: float
    prompt_tokens: int
    completion_tokens: int
    error: str | None


def convert(source: Path, request: Request) -> Conversion:
    """Return every verdict of a model: pass where it finds no fault."""
    work = Work(source=source, request=request, expected=EXPECTED)
    if not (work.holds(_TRAJECTORIES) and work.holds(_VERDICTS)):
        return work.done(name="", repository=_REPOSITORY)
    runs = {run.trajectory_id: run for _, run in work.lines(_TRAJECTORIES, _Trajectory)}
    for where, verdict in work.lines(_VERDICTS, _Verdict):
        if verdict.judge_id == _RULES:
            work.left_out["verdicts of a rule engine, which is no model"] += 1
            continue
        way, _, name = verdict.judge_id.partition(":")
        if name not in _MODELS or (run := runs.get(verdict.trajectory_id)) is None:
            work.wrong(where, f"is of {verdict.judge_id!r} on {verdict.trajectory_id!r}")
            continue
        work.settings[verdict.judge_id] = setting_of(
            name,
            _MODELS[name],
            prompt=way,
            sha256=digest(f"{work.digest_of(_SCRIPT)}/{way}"),
            decoding="unknown" if way == "selfcons3" else {**_PLAIN},
        )
        said = "unreadable" if verdict.error else "b" if verdict.faulty else "a"
        work.add(
            where,
            item=run.trajectory_id,
            setting=verdict.judge_id,
            file=_VERDICTS.as_posix(),
            subset=run.subset,
            question_sha256=digest(f"trajectory-judge/{run.instance_id}"),
            a_sha256=digest(f"trajectory-judge/{run.trajectory_id}"),
            b_sha256=FAILS,
            verdict=said,
            gold="b" if run.label.faulty else "a",
            confidence=verdict.confidence,
            input_tokens=float(verdict.prompt_tokens),
            output_tokens=float(verdict.completion_tokens),
        )
    return work.done(name="Trajectory judge", repository=_REPOSITORY, identity="name")


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
