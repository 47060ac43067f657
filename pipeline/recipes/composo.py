"""Composo's scores of RewardBench 2 (composo-ai/llm-judge-criteria-ensembling).

A judge scored four answers to each question from 1 to 10, eight times each and each by itself. The
first answer is the right one (`collect.py` puts it there). A verdict is one asking: four scores.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, Row, Setting, faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with judge.py and results/raw/PROMPT_MODELS_kN.jsonl, lines of {id, subset, k, "
    "full_scores: [the right answer's scores, then those of three others], full_errors, cost}, or "
    "with mini_ or nano_ in the place of full_"
)
BENCHMARK: Final = "RewardBench 2"
_REPOSITORY: Final = "https://github.com/composo-ai/llm-judge-criteria-ensembling"
_FILES: Final = "results/raw/*.jsonl"
_JUDGE: Final = Path("judge.py")
_GPT: Final = {"full": "gpt-5.4", "mini": "gpt-5.4-mini", "nano": "gpt-5.4-nano"}
_CLAUDE: Final = {"full": "claude-sonnet-4-6", "mini": "claude-haiku-4-5-20251001"}
# Which constants of judge.py a prompt is made of. In `combined` the criteria reach the example's
# score alone: judge.py takes the first template that fits, and that is the one with an example.
_PROMPTS: Final[Mapping[str, Sequence[str]]] = {
    "base": ("RATING_PROMPT",),
    "criteria": ("RATING_PROMPT_CRITERIA", "TASK_CRITERIA"),
    "cal-low": ("RATING_PROMPT_CALIBRATION",),
    "cal-high": ("RATING_PROMPT_CALIBRATION",),
    "cal-cross": ("RATING_PROMPT_CALIBRATION",),
    "cal-both": ("RATING_PROMPT_CALIBRATION_BOTH",),
    "combined": ("RATING_PROMPT_CALIBRATION",),
}
_FAILED: Final = ("max_retries_exceeded", "cli_error", "timeout", "json_parse_error")
_FAILURES: Final = "askings with a score that a failed request left out"
# Without the client's own text no question of the benchmark comes near this; with it, all are over.
_CONTEXT: Final = 15_000  # tokens a call

FAULTS: Final = faults(
    {
        "no-texts": "The files hold no question and no answer, only RewardBench 2's ids. So every "
        "digest is that of an answer's name in the benchmark, and nothing is said of longer "
        "answers. An id is unique only together with its subset.",
        "right-by-place": "No file marks the right answer. It is the first of four by the script "
        "that collected the scores (`collect.py`).",
        "scored-alone": "Each answer was scored by itself. There is no place, and a pair is two "
        "scores. The eight askings of a GPT judge are eight choices of one request.",
        "undated": "The answers are not dated. GPT scores were published on 30 April 2026, Claude "
        "scores on 29 April 2026. Azure's deployments bear the names that the script gives them "
        "by default; no day of a model stands in them.",
        "filtered": "A question is in no file where no judge of the run scored one of its answers: "
        "33 of 1,763 with the base prompt (31 of Safety) for gpt-5.4 and -mini, 45 for nano. That "
        "is not at random, and each prompt lacks other ones.",
        "no-combined": "The prompt called `combined` (criteria and an example) sends no "
        "criteria: judge.py takes the template with the example and leaves them out. 1,707 of "
        "1,743 requests have as many tokens as those of cal-low. Only the example's score was "
        "given with criteria.",
        "example-scores": "The score shown with an example is kept by the example's id alone. "
        "Where an id is drawn again with another answer, the prompt shows the first one's score. "
        "In cal-both the answer shown as the better one has no higher score in 688 of 1,733 "
        "prompts.",
        "failed-requests": "1,640 scores of gpt-5.4-mini are missing because of rate limits, 1,251 "
        "scores with the prompt cal-both. An asking with one of them is left out.",
        "client-context": "Claude was asked by its command line client. In 1,165 (Sonnet) and "
        "1,168 (Haiku) of 1,763 questions of the base prompt, and in 21 with criteria, 15,000 to "
        "36,000 tokens of the client's own stand before the prompt; these are settings of their "
        "own. That is nearly all of Factuality, Focus and Math with the base prompt and nearly "
        "none of them with criteria. So the source's gain by criteria is not that of criteria "
        "alone.",
        "effort-changed": "The option for low effort came into the script between the first and "
        "the last published version. Sonnet's answers with the client's context have three to "
        "four times as many tokens (448 against 118 in Focus).",
        "subscription": "Claude was asked through a subscription. Its tokens hold what the client "
        "added, so they say nothing of a price.",
    },
    models={
        "failed-requests": ("gpt-5.4-mini",),
        "no-combined": ("gpt-5.4", "gpt-5.4-mini"),
        "example-scores": ("gpt-5.4", "gpt-5.4-mini"),
        "filtered": tuple(_GPT.values()),
        "client-context": tuple(_CLAUDE.values()),
        "effort-changed": tuple(_CLAUDE.values()),
        "subscription": tuple(_CLAUDE.values()),
    },
)

_Scores = list[list[int | None]] | None
_Errors = list[list[str | None]] | None


class _Line(Struct, frozen=True):
    """One question: by judge the scores of its answers, and why one is missing."""

    id: str
    subset: str
    k: int
    cost: dict[str, int]
    full_scores: _Scores = None
    full_errors: _Errors = None
    mini_scores: _Scores = None
    mini_errors: _Errors = None
    nano_scores: _Scores = None
    nano_errors: _Errors = None


def convert(source: Path, request: Request) -> Conversion:
    """Return each asking of a question, with the scores of its answers, as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    texts = _constants(work) if work.holds(_JUDGE) else {}
    questions: set[tuple[str, str]] = set()
    for path in work.paths(_FILES) if texts else ():
        for where, line in work.lines(path, _Line):
            questions.add((line.subset, line.id))
            for size in ("full", "mini", "nano"):
                scores = getattr(line, f"{size}_scores")
                errors = getattr(line, f"{size}_errors")
                if scores is None or errors is None:
                    continue
                if {len(each) for each in (*scores, *errors)} != {line.k}:
                    work.wrong(where, f"does not hold {line.k} {size} scores of each answer")
                    continue
                setting = _setting(path.stem, size, line, texts, work)
                fields = candidates(line.subset, line.id, len(scores)) | _tokens(size, line, path)
                for said in _askings(line, scores, errors, work):
                    work.rows.append(Row(setting=setting, file=path.as_posix(), **fields, **said))
    asked = Counter(subset for subset, _ in questions)
    for key, stated in work.settings.items():
        if stated.judge.model in _GPT.values():
            work.settings[key] = replace(stated, asked=asked)
    return work.done(name=f"{BENCHMARK}, Composo's scores", repository=_REPOSITORY, identity="name")


def _constants(work: Work) -> dict[str, str]:
    """Return what judge.py's constants hold, without running it."""
    tree = ast.parse(work.read(_JUDGE))
    stated = (each for each in tree.body if isinstance(each, ast.Assign))
    constants = {ast.unparse(each.targets[0]): ast.unparse(each.value) for each in stated}
    if missing := {*sum(map(tuple, _PROMPTS.values()), ())} - {*constants}:
        work.wrong(_JUDGE, f"does not state {', '.join(sorted(missing))}")
        return {}
    return constants


def _setting(
    stem: str, size: Literal["full", "mini", "nano"], line: _Line, texts: dict[str, str], work: Work
) -> str:
    """Return the key of who was asked how: by the file's name, and by what the client added."""
    prompt, _, rest = stem.partition("_")
    is_claude = rest.startswith("claude")
    model = (_CLAUDE if is_claude else _GPT)[size]
    temperature = float(rest.partition("_t")[2] or 1) if not is_claude else None
    behind = line.cost[f"{size}_input_tokens"] / (line.k * 4) if is_claude else 0
    parts = (prompt, *(() if temperature in (None, 1) else (f"t{temperature}",)))
    has_context = behind > _CONTEXT
    key = "/".join((model, *parts, *(("client-context",) if has_context else ())))
    if key not in work.settings:
        text = "\n".join((prompt, *(texts[name] for name in _PROMPTS[prompt])))
        work.settings[key] = _stated(model, prompt, text, temperature, has_context=has_context)
    return key


def _stated(
    model: str, prompt: str, text: str, temperature: float | None, *, has_context: bool
) -> Setting:
    """Return what is stated of a setting; what the client adds to a prompt makes it another."""
    if temperature is None:
        name = f"{prompt}, by the client{' behind its own text' if has_context else ''}"
        sha256 = UNKNOWN if has_context else digest(f"claude -p\n{text}")
        return setting_of(model, model, platform="anthropic", prompt=name, sha256=sha256)
    decoding = {
        "temperature": temperature,
        "max_completion_tokens": 4096,
        "reasoning_effort": "none",
    }
    return setting_of(
        model,
        model,
        platform="azure-foundry",
        prompt=prompt,
        sha256=digest(text),
        decoding=decoding,
    )


def _askings(
    line: _Line, scores: list[list[int | None]], errors: list[list[str | None]], work: Work
) -> Iterator[dict[str, Any]]:
    """Yield the scores of all answers, asking by asking."""
    for asking in range(line.k):
        if any((each[asking] or "").startswith(_FAILED) for each in errors):
            work.left_out[_FAILURES] += 1
            continue
        got = [answer[asking] for answer in scores]
        said = tuple(None if score is None else float(score) for score in got)
        is_said = any(score is not None for score in said)
        yield {
            **({"scores": said} if is_said else {"verdict": "unreadable"}),
            **({"repeat": asking} if asking else {}),
        }


def _tokens(size: str, line: _Line, path: Path) -> dict[str, float]:
    """Return the tokens of an asking of all answers; eight askings of GPT read the prompt once."""
    if "claude" in path.stem:  # its client adds text
        return {}
    return {
        "input_tokens": float(line.cost[f"{size}_input_tokens"]),
        "output_tokens": line.cost[f"{size}_output_tokens"] / line.k,
    }


@cache
def candidates(subset: str, number: str, count: int = 4, part: str = "") -> dict[str, Any]:
    """Return what a verdict says of a question of the benchmark and its answers."""
    name = f"{BENCHMARK}/{subset}/{number}"
    return {
        "item": f"{subset}/{number}{part}",
        "subset": subset,
        "question_sha256": digest(name),
        "candidates": tuple(digest(f"{name}/{n}{part if n else ''}") for n in range(count)),
        "right": 0,
    }


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
