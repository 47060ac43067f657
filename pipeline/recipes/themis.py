"""THEMIS' picks of one of four answers (sixijsu77-hub/themis-judge-reliability).

Judges with open weights picked the best of four answers, in several arrangements of the same
four. A verdict is the right answer against the three others together, so that its share right is
that of four. `first` says whether the right answer stood at A. Reward models scored each answer by
itself: their verdicts are pairs of two scores, those of Composo's recipe.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from recipes.composo import BENCHMARK, pair

from epc.records.observed.converting import Conversion, Request, digest
from epc.records.observed.recipes import main
from epc.records.observed.types import faults
from epc.records.observed.work import Work, answered, setting_of

EXPECTED: Final = (
    "a folder with results/exp01/PHASE_JUDGE_oN_ARRANGEMENT[_PROMPT].jsonl, lines of {id, subset, "
    "parsed_letter, judgement_text, results} after a first one with {model, dataset, ordering, "
    "chosen_at_slot, prompt}, and results/gate/MODEL.jsonl, lines of {id, subset, scores}"
)
_REPOSITORY: Final = "https://github.com/sixijsu77-hub/themis-judge-reliability"
_PICKS: Final = "results/exp01/*.jsonl"
_SCORES: Final = "results/gate/*.jsonl"
_WITHOUT_PICK: Final = "results/variance/*.jsonl"
_PILOTS: Final = "results/validation/*/*.jsonl"
_LETTERS: Final = "ABCD"
_COPIES: Final = "picks copied from another phase: same judge, answers, arrangement and prompt"
_ULTRA: Final = "picks on UltraFeedback, whose right answer is a score of GPT-4"
_UNKNOWN_PICKS: Final = "answers right or wrong without the pick or the arrangement"
_PILOT: Final = "answers of pilots, or on 150 items with off-topic answers"
_TIES: Final = "answers of the subset Ties, which has more than one right one"
# What keeps the answers of a set from being a fair sample of the benchmark; other sets are pilots.
_OFF_TOPIC: Final = "of the three wrong answers replaced by answers to other questions"
_AGAIN: Final = "asked again"
_SETS: Final[Mapping[str, tuple[str, str | None]]] = {
    "data/p2_o0": ("", None),
    "data/control_o0": ("", f"150 items, {_AGAIN} in the same arrangements"),
    "data/control_o1_full": ("/off-topic 1", f"1 {_OFF_TOPIC}"),
    "data/control_o2_full": ("/off-topic 2", f"2 {_OFF_TOPIC}"),
    "data/p1b_o3": ("/off-topic 3", f"3 {_OFF_TOPIC}"),
}
_ORIGINAL: Final = "polarity_original"
_AT_A: Final = "asked with the right answer at A alone"
_PICKERS: Final = (
    "Qwen/Qwen2.5-7B-Instruct",
    "R-I-S-E/RISE-Judge-Qwen2.5-7B",
    "Skywork/Skywork-Critic-Llama-3.1-8B",
    "ZiyiYe/Con-J-Qwen2-7B",
    "NCSOFT/Llama-3-OffsetBias-8B",
)
_OF_PICKS: Final = (
    *("one-of-four", "place-of-four", "unbalanced", "copied-phases", "unreadable-quarter"),
    "decoding-unstated",
)

FAULTS: Final = faults(
    {
        "one-of-four": "A judge picks one of four. A verdict here is the right answer against the "
        "three others together: a judge that picks at random is right in 25%. Two wrong picks "
        "count as the same, so agreement and repeats are those of being right.",
        "place-of-four": "`first` says only whether the right answer stood at A. Of B, C and D "
        "nothing can be said here. By the source's rows the share right goes from .26 "
        "(Qwen2.5-7B-Instruct, right answer at D) to .89 (Skywork-Critic, at A).",
        "no-texts": "The files hold no question and no candidate, only RewardBench 2's ids. So "
        "digests are those of an answer's name in the benchmark, and lengths stand as 0.",
        "unbalanced": "All items were asked in 6 of the 24 arrangements (0, 6, 8, 9, 16, 18). The "
        "right answer stands at A in one, at B in two, at C in two, at D in one. A share right "
        "over all six weighs the places so.",
        "copied-phases": "Arrangements 0 and 9 stand in two phases with the same words in all "
        "1,763 answers, as does the original prompt in F1 and G1. These are copies. Where 150 "
        "items were really asked again in the same arrangement (setting `asked again`), 98 to "
        "100% of the picks and 29 to 100% of the texts are the same.",
        "unreadable-quarter": "`results` gives an answer without a letter 0.25. Here it is "
        "unreadable, and not right.",
        "off-topic": "In settings `off-topic N`, N of the three wrong answers are replaced by "
        "answers to other questions. They are easier by construction, and no evidence of how "
        "often a judge is right.",
        "inverted-prompt": "The authors found their prompt `polarity_inverted` faulty and wrote "
        "`polarity_inverted_fixed`. Prompts other than the original were asked with the right "
        "answer at A alone. So their shares right are mostly the pull of that place, and no "
        "evidence: with the fixed one 25% of Qwen2.5-7B-Instruct's picks are right and 90% of "
        "Skywork-Critic's.",
        "decoding-unstated": "No decoding is stated. Answers were given by vLLM on one machine in "
        "August 2026 at the latest.",
    },
    of={
        **dict.fromkeys(_OF_PICKS, _PICKERS),
        **dict.fromkeys(("off-topic", "inverted-prompt"), _PICKERS[:3]),
    },
)


class _Line(Struct, frozen=True):
    """What a run says of itself in its first line, or one answer."""

    id: str = ""
    subset: str = ""
    parsed_letter: str | None = None
    judgement_text: str | None = None
    scores: list[list[float]] = []
    model: str = ""
    dataset: str = ""
    prompt: str = ""
    ordering: int | UnsetType = UNSET
    chosen_at_slot: str = ""


def convert(source: Path, request: Request) -> Conversion:
    """Return every pick of one of four, and every two scores of a reward model, as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    seen: dict[tuple[str, ...], Path] = {}
    for path in work.paths(_PICKS):
        _add_picks(path, seen, work)
    for path in work.paths(_SCORES):
        _add_scores(path, work)
    for pattern, why in ((_WITHOUT_PICK, _UNKNOWN_PICKS), (_PILOTS, _PILOT)):
        for path in source.glob(pattern):
            with path.open("rb") as file:
                work.left_out[why] += sum(b'"id"' in line for line in file)
    return work.done(name=f"{BENCHMARK}, THEMIS' picks", repository=_REPOSITORY)


def _add_picks(path: Path, seen: dict[tuple[str, ...], Path], work: Work) -> None:
    run = _Line()
    for where, line in work.lines(path, _Line):
        if line.model:
            run = line
            continue
        if run.chosen_at_slot not in (*_LETTERS,) or run.ordering is UNSET:
            work.wrong(path, "does not begin with its model, arrangement and the right place")
            return
        prompt = Path(run.prompt.split()[0])
        key = (run.model, run.dataset, prompt.stem, str(run.ordering))
        if run.dataset.startswith("data/uf"):
            work.left_out[_ULTRA] += 1
        elif run.dataset not in _SETS:
            work.left_out[_PILOT] += 1
        elif seen.setdefault(key, path) != path:
            work.left_out[_COPIES] += 1
        else:
            setting = _setting(run, prompt, work)
            again = work.asked(setting, line.subset, line.id)
            fields = _pick(line, run)
            work.add(where, setting=setting, file=path.as_posix(), **fields, **again)


def _setting(run: _Line, prompt: Path, work: Work) -> str:
    """Return the key of who was asked how; what is no fair sample is a setting of its own."""
    part, note = _SETS[run.dataset]
    part = f"/{_AGAIN}" if note and not part else part
    if prompt.stem != _ORIGINAL:
        note = f"{note}; {_AT_A}" if note else _AT_A
    stated = setting_of(
        run.model, run.model, prompt=prompt.stem, sha256=work.digest_of(prompt), note=note
    )
    return work.setting(f"{run.model}/{prompt.stem}{part}", stated)


def _pick(line: _Line, run: _Line) -> dict[str, Any]:
    """Return the right answer against the three others together, and what the judge picked."""
    part, _ = _SETS[run.dataset]
    fields, right = pair(line.subset, line.id, 0)
    others = "ab"[right == "a"]
    item = f"{line.subset}/{line.id}/of-four{part}"
    letter = line.parsed_letter or ""
    verdict = right if letter == run.chosen_at_slot else others
    return {
        **fields,
        "item": item,
        f"{others}_sha256": digest(f"{BENCHMARK}/{item}/others"),
        "first": right if run.chosen_at_slot == "A" else others,
        "verdict": verdict if letter in (*_LETTERS,) else "unreadable",
        **(answered(line.judgement_text) if line.judgement_text else {}),
    }


def _add_scores(path: Path, work: Work) -> None:
    model = ""
    for where, line in work.lines(path, _Line):
        if line.model:
            model = line.model
            continue
        if line.subset == "Ties":
            work.left_out[_TIES] += 1
            continue
        setting = work.setting(f"{model}/score", setting_of(model, model, prompt="score"))
        for other in range(1, len(line.scores)):
            fields, right = pair(line.subset, line.id, other)
            said = {right: line.scores[0][0], "ab"[right == "a"]: line.scores[other][0]}
            scores = {f"{name}_score": value for name, value in said.items()}
            work.add(where, setting=setting, file=path.as_posix(), **fields, **scores)


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
