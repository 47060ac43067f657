"""Arena pairs with Claude Opus 4 in all of them (yiqunchen/debias-llm-as-a-judge)."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with data/judge_results/MODEL_vs_MODEL_JUDGE.json, a list of {id, model_a, model_b, "
    "human_winner: model_a or model_b, judge_pick: A, B or null}"
)
_REPOSITORY: Final = "https://github.com/yiqunchen/debias-llm-as-a-judge"
_FILES: Final = "data/judge_results/*.json"
_SCRIPT: Final = Path("reproduce/llm_judge_eval.py")
_PICKS: Final = {"A": "a", "B": "b", None: "unreadable"}
_WINNERS: Final = {"model_a": "a", "model_b": "b"}

FAULTS: Final = faults(
    {
        "one-order": "Each pair was shown in one order, that of the Arena. Nothing can be said of "
        "the place.",
        "no-ties": "Only pairs for which a person chose one are here, and the prompt lets the "
        "judge choose no tie.",
        "one-person": "Beside each pair stands the choice of one visitor of the Arena.",
        "one-rival": "Claude Opus 4 is in every pair, against three others. So a judge that likes "
        "Claude is wrong wherever people do not: of Claude against Qwen3-235B GPT-5.2 chooses "
        "Claude in 194 of 275 pairs, people in 110. Ids, winners and order are those of the Arena.",
        "first-turn": "The judge saw the first turn alone, cut at 8,000 characters for each text. "
        "People may have judged more of it.",
        "no-texts": "The texts stand elsewhere in the source, partly in files too large for the "
        "mirror that was read. So digests are of names.",
        "through-openrouter": "The script asks undated names through OpenRouter at temperature 0. "
        "Which platform answered, and when, is not stated; the answers were published on 3 "
        "January 2026 at the latest.",
    }
)


class _Judged(Struct, frozen=True):
    """One pair, what a person chose, and what the judge chose."""

    id: str
    model_a: str
    model_b: str
    human_winner: str
    judge_pick: str | None


def convert(source: Path, request: Request) -> Conversion:
    """Return every choice of a judge as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path in work.paths(_FILES):
        judge = path.stem.rpartition("_")[2]
        work.settings[judge] = setting_of(
            judge,
            judge,
            prompt="JUDGE_PROMPT",
            sha256=work.digest_of(_SCRIPT),
            decoding={"temperature": 0},
        )
        key = path.stem
        for number, each in enumerate(work.decoded(path, list[_Judged], key=key) or ()):
            where = f"{path}/{number}"
            if each.judge_pick not in _PICKS or each.human_winner not in _WINNERS:
                work.wrong(where, f"has {each.judge_pick!r} and {each.human_winner!r}")
                continue
            names = {side: f"Arena/{each.id}/{side}" for side in "ab"}
            work.add(
                where,
                item=each.id,
                setting=judge,
                file=key,
                subset=path.stem.removesuffix(f"_{judge}"),
                question_sha256=digest(f"Arena/{each.id}"),
                **{f"{side}_sha256": digest(name) for side, name in names.items()},
                a_by=each.model_a,
                b_by=each.model_b,
                first="a",
                verdict=_PICKS[each.judge_pick],
                humans=(_WINNERS[each.human_winner],),
            )
    # LICENSE.md states it; only a file named LICENSE is read.
    return work.done(name="Arena pairs with Claude Opus 4", repository=_REPOSITORY, identity="name")


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
