"""THEMIS' picks of one of four answers (sixijsu77-hub/themis-judge-reliability).

Judges with open weights picked the best of four answers, in several arrangements of the same
four. Reward models scored each answer by itself.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from recipes.composo import BENCHMARK, candidates

from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, answered, setting_of

EXPECTED: Final = (
    "a folder with results/exp01/PHASE_JUDGE_oN_ARRANGEMENT[_PROMPT].jsonl, lines of {id, subset, "
    "parsed_letter, judgement_text, results} after a first one with {model, dataset, ordering, "
    "permutation, prompt}, and results/gate/MODEL.jsonl, lines of {id, subset, scores}"
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
_SETS: Final[Mapping[str, tuple[str, str | None]]] = {
    "data/p2_o0": ("", None),
    "data/control_o0": ("", None),  # 150 of these items, asked again in the same arrangements
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
    *("one-of-four", "unbalanced", "copied-phases", "unreadable-quarter"),
    "decoding-unstated",
)

FAULTS: Final = faults(
    {
        "one-of-four": "A judge picks one of four: one that picks at random is right in 25%.",
        "no-texts": "The files hold no question and no candidate, only RewardBench 2's ids. So "
        "digests are those of an answer's name in the benchmark.",
        "unbalanced": "All items were asked in 6 of the 24 arrangements (0, 6, 8, 9, 16, 18). The "
        "right answer stands at A in one, at B in two, at C in two, at D in one. Here "
        "the four places weigh alike in the share right.",
        "copied-phases": "Arrangements 0 and 9 stand in two phases with the same words in all "
        "1,763 answers, as does the original prompt in F1 and G1. These are copies. Where 150 "
        "items were really asked again in the same arrangement (as repeats), 98 to "
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
    models={
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
    permutation: tuple[int, ...] = ()


def convert(source: Path, request: Request) -> Conversion:
    """Return every pick of one of four, and a reward model's four scores, as a verdict."""
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
    return work.done(name=f"{BENCHMARK}, THEMIS' picks", repository=_REPOSITORY, identity="name")


def _add_picks(path: Path, seen: dict[tuple[str, ...], Path], work: Work) -> None:
    run = _Line()
    for where, line in work.lines(path, _Line):
        if line.model:
            run = line
            continue
        if run.ordering is UNSET or sorted(run.permutation) != [*range(len(_LETTERS))]:
            work.wrong(path, "does not begin with its model and arrangement")
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
            again = work.repeat(setting, line.subset, line.id, str(run.ordering))
            fields = _pick(line, run)
            work.add(where, setting=setting, file=path.as_posix(), **fields, **again)


def _setting(run: _Line, prompt: Path, work: Work) -> str:
    """Return the key of who was asked how; what is no fair sample is a setting of its own."""
    part, note = _SETS[run.dataset]
    if prompt.stem != _ORIGINAL:
        note = f"{note}; {_AT_A}" if note else _AT_A
    stated = setting_of(
        run.model, run.model, prompt=prompt.stem, sha256=work.digest_of(prompt), note=note
    )
    return work.setting(f"{run.model}/{prompt.stem}{part}", stated)


def _pick(line: _Line, run: _Line) -> dict[str, Any]:
    """Return what stood at which place, and what the judge picked."""
    letter = line.parsed_letter or ""
    is_read = letter in (*_LETTERS,)
    return {
        **candidates(line.subset, line.id, part=_SETS[run.dataset][0]),
        "order": run.permutation,
        **(
            {"picked": run.permutation[_LETTERS.index(letter)]}
            if is_read
            else {"verdict": "unreadable"}
        ),
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
        fields = candidates(line.subset, line.id, len(line.scores))
        scores = tuple(score for score, *_ in line.scores)
        work.add(where, setting=setting, file=path.as_posix(), **fields, scores=scores)


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
