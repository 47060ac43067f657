"""Invented repositories of four sources' shapes, each with every trap of the real one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from epc.records.verdicts.converting import Conversion, Request

APACHE = "\n    Apache License\n    Version 2.0, January 2004\n"
TEMPLATE = "Rate from 1 to 10."
PAIR_PROMPT = {"name": "pair", "system_prompt": "Be fair.", "prompt_template": "{question}"}
LONG = "A reference answer. " * 6
NOON = 1717243200.0  # 2024-06-01T12:00Z
Convert = Callable[[Path, Request], Conversion]


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Write files: a text as it is, lines as JSON Lines, all else as JSON."""
    for name, value in {"LICENSE": APACHE, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".jsonl":
            text = "".join(f"{json.dumps(each)}\n" for each in value)
        else:
            text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text)
    return folder


def rows(convert: Convert, folder: Path, files: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that a recipe makes of files in which it finds no fault."""
    conversion = convert(write(folder, files), Request())
    assert not conversion.findings
    return [msgspec.to_builtins(row) for row in conversion.rows]


def fields(found: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """Return some fields of each row."""
    return [tuple(row.get(name) for name in names) for row in found]


def scored(number: str, session: str, output: str, score: str, by: str = "m/one") -> dict[str, Any]:
    return {
        "session_id": session,
        "model_test": by,
        "model_output": output,
        "score": score,
        "parsed_result": {"strengths": number, "weaknesses": "", "score": score},
        "meta_data": {"batch_req_id": number, "usage": {"prompt_tokens": 9}, "error": None},
    }


def wildbench(folder: Path) -> Path:
    """Write two judges and two releases: 10 scores, of which 2 are copies.

    Of the others one is of the same response by another model, one of a text that was cut before,
    one of the same response with other blanks by the other judge, and one no score of the scale.
    """
    old, new = "eval_results/v2.0522/score.v2", "eval_results/v2.0625/score.v2"
    one = [
        scored("r1", "s1", "long answer", "7"),
        scored("r2", "s2", "yes", "4"),
        scored("r3", "s3", "one two... (truncated)", "5"),
    ]
    files = {
        f"{old}/eval=j-4o/one.json": one,
        f"{old}/eval=j-4o/two.json": [
            scored("r4", "s1", "other", "3", "m/two"),
            scored("r5", "s2", "yes", "6", "m/two"),
        ],
        f"{old}/eval=gpt-4-turbo-2024-04-09/one.json": [
            scored("r6", "s1", "\nlong answer\n\n", "8"),
            scored("r7", "s2", "yes", "11"),
        ],
        f"{new}/eval=j-4o/one.json": [*one[:2], scored("r8", "s3", "one two three", "9")],
        "eval_results/v2.0522/pairwise.v2/eval=gpt-4-turbo-2024-04-09/ref=m/one.json": [
            {"winner": "tie"}
        ],
        "evaluation/eval_template.score.v2.md": TEMPLATE,
    }
    return write(folder, files)


def paired(number: int, one: Any, two: Any, labels: tuple[int, int, int]) -> dict[str, Any]:
    return {
        "idx": number,
        "motivation_app": "Mail",
        "cmp_key": f"x{number}_y{number}",
        "instruction": "Rewrite.",
        "input": "A text",
        "response1": one,
        "response2": two,
        **{f"annotator{index}": label for index, label in enumerate(labels, 1)},
    }


def pandalm(folder: Path) -> Path:
    """Write 5 numbers: a pair, the pair again, the pair mirrored, another one, and one of `true`.

    The first judge names the same place each time, the second one the same response.
    """
    pairs = [
        paired(0, "short", "a longer one", (1, 1, 0)),
        paired(1, "short", "a longer one", (1, 1, 0)),
        paired(2, "a longer one", "short", (2, 2, 0)),
        paired(3, "this", "that", (2, 2, 2)),
        paired(4, one=True, two="True.", labels=(0, 0, 0)),
    ]
    gpt = ("1", "1", "1", "garbage", "Tie")
    panda = (2, 2, 1, 0, 1)
    files = {
        "data/testset-v1.json": pairs,
        "data/gpt-3.5-turbo-testset-v1.json": [
            {
                "idx": number,
                "gpt_result": text,
                **dict.fromkeys(("gpt_reason", "gpt_reference"), ""),
            }
            for number, text in enumerate(gpt)
        ],
        "data/pandalm-7b-testset-v1.json": [
            {
                "idx": number,
                "pandalm_result": said,
                "pandalm_reason": "Good.",
                "pandalm_reference": LONG,
            }
            for number, said in enumerate(panda)
        ],
    }
    return write(folder, files)


def judge_question(a: str, b: str) -> str:
    return "[User Question]\nWhy?\n\n" + "\n\n".join(
        f"[The Start of Assistant {name}'s Answer]\n{text}\n[The End of Assistant {name}'s Answer]"
        for name, text in (("A", a), ("B", b))
    )


# What the judge writes where a winner stood first, or second.
_LETTERS = {"model_1": "AB", "model_2": "BA", "tie": "CC"}


def judged(question: int, first: str, second: str, **further_fields: Any) -> dict[str, Any]:
    return {
        "question_id": question,
        "turn": 1,
        "model_1": "small",
        "model_2": "tuned",
        "judge": ["gpt-x", "pair"],
        "g1_winner": first,
        "g2_winner": second,
        "g1_user_prompt": judge_question("one", "two"),
        "g2_user_prompt": judge_question("two", "one"),
        "g1_judgment": f"{question}: [[{_LETTERS.get(first, '??')[0]}]]",
        "g2_judgment": f"{question}: [[{_LETTERS.get(second, '??')[1]}]]",
        "tstamp": NOON,
        **further_fields,
    }


def mt_bench(folder: Path) -> Path:
    """Write 4 pairs: consistent, by place, an unreadable answer, and one that failed twice."""
    data = "fastchat/llm_judge/data"
    failed = {"g1_judgment": "$ERROR$", "g2_judgment": "$ERROR$"}
    files = {
        f"{data}/mt_bench/model_judgment/gpt-x_pair.jsonl": [
            judged(1, "model_2", "model_2"),
            judged(2, "model_1", "model_2"),
            judged(3, "error", "tie"),
            judged(4, "error", "error", **failed),
        ],
        f"{data}/mt_bench/question.jsonl": [
            {"question_id": number, "category": "why", "turns": ["Why?", "And then?"]}
            for number in range(1, 7)
        ],
        f"{data}/judge_prompts.jsonl": [PAIR_PROMPT],
    }
    return write(folder, files)


def instructed(question: str, response: str) -> str:
    return (
        f"###The instruction to evaluate:\n{question}\n\n###Response to evaluate:\n{response}\n\n"
        "###Reference Answer (Score 5):\nBest.\n\n###Feedback: "
    )


def prometheus(folder: Path) -> Path:
    """Write 3 responses with 3 scores each; two are equal words after another first turn."""
    entries = [
        {
            "idx": 83,
            "response_source": source,
            "category": "writing",
            "instruction": instructed(question, "Same."),
            "gpt4_score": scores,
            "gpt4_feedback": [f"{source} {number}" for number in range(3)],
        }
        for source, question, scores in (
            ("one", "Hi? Hm.", [3, 2, 3]),
            ("two", "Hi? Ah.", [4, 4, 9]),
        )
    ]
    other = {**entries[0], "idx": 1, "instruction": instructed("Else?", "No."), "category": "math"}
    place = "eval/benchmark/data"
    files = {
        f"{place}/mt_bench_eval.json": entries,
        f"{place}/vicuna_eval.json": [other],
        f"{place}/hhh_alignment_eval.json": [{"source": "harmless", "chosen_instruction": "x"}],
    }
    return write(folder, files)
