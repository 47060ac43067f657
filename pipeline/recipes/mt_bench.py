"""MT-Bench's pairs as FastChat's judging writes them: each asked in both orders.

`g1` shows model_1 as assistant A, `g2` the other way round; the winners of both are models. What
was judged is read from the prompts themselves, and both have to show the same two answers.
"""

import re
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from epc.errors import UsageError
from epc.json_text import storable
from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, Row, Setting, faults
from epc.records.verdicts.work import Work, answered, setting_of

EXPECTED: Final = (
    "a folder with fastchat/llm_judge/data/mt_bench/model_judgment/JUDGE_pair.jsonl, a line each "
    "{question_id, turn, model_1, model_2, judge: [model, prompt], g1_winner, g2_winner: model_1, "
    "model_2, tie or error, g1_judgment, g2_judgment, g1_user_prompt, g2_user_prompt: with both "
    "answers between their marks, tstamp}, and question.jsonl and judge_prompts.jsonl"
)
_DATA: Final = Path("fastchat/llm_judge/data")
_PAIRS: Final = (_DATA / "mt_bench/model_judgment/*_pair.jsonl").as_posix()
_QUESTIONS: Final = _DATA / "mt_bench/question.jsonl"
_PROMPTS: Final = _DATA / "judge_prompts.jsonl"
_FAILED: Final = "requests that failed: no answer, $ERROR$ in its place"
_NO_ANSWER: Final = "$ERROR$"
_WINNERS: Final = {"model_1": "a", "model_2": "b", "tie": "tie", "error": "unreadable"}
_SHOWN: Final = re.compile(
    r"(?:\[|<\|)The Start of Assistant ([AB])'s (?:Answer|Conversation with User)(?:\]|\|>)\n+"
    r"(.*?)\n+(?:\[|<\|)The End of Assistant \1's",
    re.DOTALL,
)
_Winner = Literal["model_1", "model_2", "tie", "error"]

FAULTS: Final = faults(
    {
        "cut-short": "75 of the 80 questions are there, first turn only. The run ended in failed "
        "requests: 3 of 150 have no answer, and questions 126 to 130, all of coding, are missing.",
        "one-pair": "All verdicts compare the same two models, a small one and a tuned copy of "
        "it. Other pairs may be easier or harder to tell apart.",
        "generation-unstated": "Only the undated name gpt-4 is stated. Which generation the name "
        "stood for on 1 June 2024, the source does not say.",
        "a-copy": "The files are those of one user's copy of FastChat. The project itself keeps "
        "its judgments elsewhere.",
        "decoding-unstated": "The verdicts state no decoding. The copy's program has temperature "
        "0 and 2,048 tokens written into it.",
        "two-prompts": "Questions of reasoning, math and coding were asked with another prompt, "
        "which shows a reference answer. The two prompts are two settings.",
        "cut-answers": "About a third of the answers end without a closing mark; some stop at a "
        "limit of length in the middle of a sentence.",
    },
)


class _Entry(Struct, frozen=True):
    """One pair, asked in both orders."""

    question_id: int
    turn: int
    model_1: str
    model_2: str
    judge: tuple[str, str]
    g1_winner: _Winner
    g2_winner: _Winner
    g1_user_prompt: str
    g2_user_prompt: str
    g1_judgment: str
    g2_judgment: str
    tstamp: float


class _Question(Struct, frozen=True):
    """A question of one or more turns."""

    question_id: int
    category: str
    turns: list[str]


class _Prompt(Struct, frozen=True):
    """A judge's prompt."""

    name: str
    system_prompt: str
    prompt_template: str


def convert(source: Path, request: Request) -> Conversion:
    """Return every answered request as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    days: dict[str, set[str]] = defaultdict(set)
    paths = work.paths(_PAIRS)
    if paths and work.holds(_QUESTIONS) and work.holds(_PROMPTS):
        questions = {each.question_id: each for each in work.decoded(_QUESTIONS, _Question) or ()}
        prompts = {each.name: each for each in work.decoded(_PROMPTS, _Prompt) or ()}
        for path in paths:
            key = path.stem
            for number, entry in enumerate(work.decoded(path, _Entry, key=key) or (), 1):
                try:
                    verdicts = _verdicts(entry, questions, work)
                    name = "/".join(entry.judge)
                    work.settings.setdefault(name, _setting(entry, prompts))
                except UsageError as error:
                    work.wrong(f"{path}:{number}", str(error))
                    continue
                for each in verdicts:
                    days[name].add(each["date"])
                    repeat = work.repeat(name, each["item"], each["first"])
                    work.rows.append(Row(setting=name, file=key, **each, **repeat))
    # The verdicts have their days; a setting has one only where all its verdicts share it.
    for name, (day, *more) in days.items():
        if not more:
            work.settings[name] = replace(work.settings[name], date=day)
    # Many repositories are copies of FastChat: which one this is, only the user can say.
    return work.done(name="MT-Bench pairs (FastChat)", repository=UNKNOWN)


def _verdicts(entry: _Entry, questions: dict[int, _Question], work: Work) -> list[dict[str, Any]]:
    """Return the two verdicts of a pair, without those that nobody gave.

    Raises: UsageError for an unknown question, or prompts that do not show the same two answers.
    """
    question = questions.get(entry.question_id)
    if question is None or not 1 <= entry.turn <= len(question.turns):
        raise UsageError(f"question {entry.question_id}, turn {entry.turn} is not in {_QUESTIONS}")
    shown = dict(_SHOWN.findall(entry.g1_user_prompt))
    swapped = dict(_SHOWN.findall(entry.g2_user_prompt))
    if sorted(shown) != ["A", "B"] or [shown["A"], shown["B"]] != [*map(swapped.get, "BA")]:
        raise UsageError("the prompts do not show the same two answers in both orders")
    question_text = storable("\n\n".join(question.turns[: entry.turn]))
    a, b = (work.candidate(name, shown[name.upper()]) for name in "ab")
    pair = f"{a['a_sha256'][:8]}-{b['b_sha256'][:8]}"
    common = {
        "item": f"{entry.question_id}/{entry.turn}/{pair}",
        "subset": question.category,
        "question_sha256": digest(question_text),
        **a,
        "a_by": entry.model_1,
        **b,
        "b_by": entry.model_2,
        "date": datetime.fromtimestamp(entry.tstamp, UTC).date().isoformat(),
    }
    verdicts = []
    for first, winner, judgment in (
        ("a", entry.g1_winner, entry.g1_judgment),
        ("b", entry.g2_winner, entry.g2_judgment),
    ):
        if judgment == _NO_ANSWER:
            work.left_out[_FAILED] += 1
            continue
        verdicts.append(
            {**common, "first": first, "verdict": _WINNERS[winner], **answered(judgment)}
        )
    return verdicts


def _setting(entry: _Entry, prompts: dict[str, _Prompt]) -> Setting:
    judge, name = entry.judge
    if name not in prompts:
        raise UsageError(f"prompt {name!r} is not in {_PROMPTS}")
    text = f"{prompts[name].system_prompt}\n\n{prompts[name].prompt_template}"
    return setting_of(judge, judge, prompt=name, sha256=digest(storable(text)))


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
