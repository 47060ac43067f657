"""Answers of two models to Korean tasks, judged in both places (kngyeol/ssafy-llm-judge-bias)."""

import re
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, answered, setting_of, turned

EXPECTED: Final = (
    "a folder with results/battle_*, results/replay_* and results/logickor_judge_*, each with "
    "_results.json; in the first two a page ID.md for each task, with the answers and the judge's "
    "words; results/logickor_fights/N.json with the answers; human_baseline/progress.json"
)
_REPOSITORY: Final = "https://github.com/kngyeol/ssafy-llm-judge-bias"
_ROUNDS: Final = "results/*/_results.json"
_PEOPLE: Final = Path("results/human_baseline/progress.json")
_READ: Final = "battle_20260516_134437_judge-gpt5"  # whose answers the person read
_PAGE: Final = re.compile(
    r"\*\*문제\*\*\n(.*?)\n## 🅰️[^\n]*\n(.*?)\n## 🅱️[^\n]*\n(.*?)\n## ⚖️[^\n]*\n(.*)", re.DOTALL
)
_NOTE: Final = "\n**해석**"  # what the script says of the verdict, behind the judge's words
_WINNER: Final = re.compile(r"^\**WINNER:\s*(A|B|TIE)\b[.*\s]*$", re.IGNORECASE | re.MULTILINE)
_WORDS: Final = {"A": "a", "B": "b", "TIE": "tie"}
_FAILED: Final = "requests that failed"
_AUTHORS: Final = ("gpt-5.2", "claude-opus-4-5-20251101")

FAULTS: Final = faults(
    {
        "answers-of-its-own": "GPT-5, Claude Sonnet 4.5 and Gemini 2.5 Flash were first asked "
        "about answers written anew for each: 46 of 50 pairs differ. The source compares these "
        "judges with each other and with the person, and Claude and Gemini with the exchanged "
        "pairs, all the same. Here two verdicts are of one pair only if its answers are equal. So "
        "places are compared of GPT-5 alone, and the person with the judges of the answers that "
        "were read.",
        "one-person": "One person chose, between unnamed answers on the left and the right.",
        "two-authors": "GPT-5.2 and Claude Opus 4.5 wrote all answers. Without a third author "
        "self-preference (R24) cannot be told from quality.",
        "rewritten-answers": "50 pairs of GPT-5, Sonnet and Gemini are rewritten, each answer in "
        "the style of the other model. They are items of their own.",
        "bold-for-ties": "The source counts a winner in bold as a tie: 11 verdicts, so 24 ties "
        "where there are 13. Here they are read.",
        "through-a-gateway": "Requests went through a gateway of the author's school. No "
        "temperature was sent; GPT-5 and GPT-5.2 reasoned as they like.",
    },
    models={
        "bold-for-ties": ("claude-opus-4-5-20251101",),
        "rewritten-answers": ("gpt-5", "claude-sonnet-4-5-20250929", "gemini-2.5-flash"),
    },
)


class _Judge(Struct, frozen=True):
    model: str


class _Turn(Struct, frozen=True):
    turn: int
    winner: str
    raw: str = ""


class _Result(Struct, frozen=True):
    id: str | int
    category: str
    winner: str | None = None
    original_winner: str | None = None
    turns: list[_Turn] = []


class _Round(Struct, frozen=True):
    timestamp: str
    judge: _Judge
    results: list[_Result]
    from_battle: str | None = None
    swap_ab: bool = False


class _Choice(Struct, frozen=True):
    human_pick: str


class _Person(Struct, frozen=True):
    scores: dict[str, _Choice]


class _Answers(Struct, frozen=True):
    answers: list[str]


class _Fight(Struct, frozen=True):
    questions: list[str]
    a: _Answers
    b: _Answers


def convert(source: Path, request: Request) -> Conversion:
    """Return every choice of a judge as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    person: _Person | None = work.decoded(_PEOPLE, _Person) if work.holds(_PEOPLE) else None
    for path in work.paths(_ROUNDS):
        if path.parent.name.startswith("restyle"):
            continue
        file: _Round | None = work.decoded(path, _Round, key=path.as_posix())
        for result in file.results if file else ():
            assert file is not None
            if result.turns:
                _of_turns(work, path, file, result)
            else:
                _of_page(work, path, file, result, person)
    return work.done(name="Korean pairs of GPT-5.2 and Claude Opus 4.5", repository=_REPOSITORY)


def _of_page(work: Work, path: Path, file: _Round, result: _Result, person: _Person | None) -> None:
    """Add what a page says of one pair; in an exchanged one the first author's answer is B."""
    if "ERROR" in (result.winner, result.original_winner):
        work.left_out[_FAILED] += 1
        return
    battle = file.from_battle or path.parent.name
    content = work.read(path.parent / f"{result.id}.md").decode()
    page = _PAGE.search(content)
    if page is None:
        work.wrong(path.parent / f"{result.id}.md", "has no task, answers and verdict")
        return
    question, shown_a, shown_b, raw = (part.strip() for part in page.groups())
    a, b = (shown_b, shown_a) if file.swap_ab else (shown_a, shown_b)
    said = person.scores.get(str(result.id)) if person and battle == _READ else None
    humans = {} if said is None else {"humans": (_WORDS[said.human_pick],)}
    _add(
        work,
        f"{path}/{result.id}",
        file=path.as_posix(),
        judge=file.judge.model,
        prompt="gladiator",
        item=f"{battle}/{result.id}",
        subset=result.category,
        first="b" if file.swap_ab else "a",
        day=file.timestamp,
        raw=raw.partition(_NOTE)[0].strip(),
        texts=(question, a, b),
        **humans,
    )


def _of_turns(work: Work, path: Path, file: _Round, result: _Result) -> None:
    """Add the verdict on each turn of a conversation."""
    where = Path(f"results/logickor_fights/{int(result.id):02d}.json")
    fight: _Fight | None = work.decoded(where, _Fight)
    for turn in result.turns if fight else ():
        assert fight is not None
        if turn.winner == "ERROR":
            work.left_out[_FAILED] += 1
            continue
        number = turn.turn - 1
        question = "\n".join(fight.questions[: turn.turn])
        _add(
            work,
            f"{path}/{result.id}/{turn.turn}",
            file=path.as_posix(),
            judge=file.judge.model,
            prompt="logickor",
            item=f"logickor/{result.id}/{turn.turn}",
            subset=result.category.partition("(")[2].removesuffix(")").lower() or result.category,
            first="a",
            day=file.timestamp,
            raw=turn.raw,
            texts=(question, fight.a.answers[number], fight.b.answers[number]),
        )


def _add(
    work: Work,
    where: str,
    *,
    judge: str,
    prompt: str,
    first: str,
    day: str,
    raw: str,
    texts: tuple[str, str, str],
    **fields: Any,
) -> None:
    said = _WINNER.search(raw)
    stated = setting_of(
        judge,
        judge,
        prompt=prompt,
    )
    work.add(
        where,
        setting=work.setting(f"{judge}/{prompt}", stated),
        first=first,
        verdict=turned(_WORDS[said[1].upper()], first) if said else "unreadable",
        date=f"{day[:4]}-{day[4:6]}-{day[6:8]}",
        a_by=_AUTHORS[0],
        b_by=_AUTHORS[1],
        **work.pair(*texts),
        **answered(raw),
        **fields,
    )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
