"""`epc judge pairs`: a labelled set of pairs, asked of a real model and over real HTTP."""

import csv
import json
from hashlib import sha256
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from endpoint_support import Endpoint, FailsAfter, Received, Reply, completion, refusal, serving
from engine_support import environment, epc, files_that_hold

SECRET = "sk-canary-0123456789abcdef"  # noqa: S105  (looked for, never a key)
# By hand: item, request, answer a, answer b, the better one.
PAIRS = [
    ("sum", "What is 2 + 2?", "four", "five", "a"),
    ("colour", "Name a colour.", "Tuesday", "blue", "b"),
    ("city", "What is the capital of France?", "Paris", "Lyon", "A"),
]
GOOD = {"four", "blue", "Paris"}


def written(folder: Path, header: str = "id,prompt,answer_a,answer_b,gold,remark") -> Path:
    path = folder / "pairs.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header.split(","), *[(*pair, "-") for pair in PAIRS]])
    return path


def letter_of_the_good_answer(received: Received) -> Reply:
    first = received.prompt.split("Answer A:\n")[1].split("\n\nAnswer B:\n")[0]
    return completion("A" if first in GOOD else "B")


def content(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    header, *rows = map(json.loads, path.read_text().splitlines())
    return header, rows


def at(url: str) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=url, OPENAI_API_KEY=SECRET)


JUDGE = ("--judge", "openai/judge")


def carried_out(folder: Path, endpoint: Endpoint, *options: str) -> CompletedProcess[str]:
    """Return the command as it ended, which must be well."""
    run = ("judge", "pairs", "pairs.csv", *JUDGE, "--out", "v.jsonl", *options)
    done = epc(*run, cwd=folder, env=at(endpoint.url))
    assert done.returncode == 0, done.stderr
    return done


def test_both_orders_are_asked_and_the_verdict_names_the_answer_not_the_place(
    tmp_path: Path,
) -> None:
    written(tmp_path)
    with serving() as endpoint:
        endpoint.behave = letter_of_the_good_answer
        done = carried_out(tmp_path, endpoint)

    assert "not used: the columns remark" in done.stderr
    header, rows = content(tmp_path / "v.jsonl")
    judge = header["settings"]["openai/judge"]["judge"]
    assert judge == {"name": "openai/judge", "model": "judge", "platform": "openai"}
    verdicts = {(row["item"], row["first"]): row["verdict"] for row in rows}
    assert verdicts == {(item, first): gold.lower() for item, *_, gold in PAIRS for first in "ab"}
    assert {row["a_sha256"] for row in rows} == {
        sha256(a.encode()).hexdigest() for _, _, a, _, _ in PAIRS
    }
    text = (tmp_path / "v.jsonl").read_text()
    assert not any(word in text for word in (*GOOD, "Tuesday", "France"))
    assert files_that_hold(tmp_path, SECRET) == []
    # Right in 6 of 6, the first place in 3 of 6: counted by hand from the answers above.
    audit = epc("audit", "v.jsonl", "--format", "json", cwd=tmp_path)
    figures = json.loads(audit.stdout)["groups"][0]["figures"]
    assert figures["accuracy"]["value"] == 1.0
    assert figures["first_place"]["value"] == 0.5


def test_an_order_as_given_and_a_tie_and_an_unreadable_reply(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "mine.txt").write_text("$question\n1: $a\n2: $b\nA, B or tie?")
    replies = {"sum": "Tie.", "colour": "Both are fine", "city": "b"}

    def scripted(received: Received) -> Reply:
        item = next(item for item, question, *_ in PAIRS if question in received.prompt)
        return completion(replies[item])

    with serving() as endpoint:
        endpoint.behave = scripted
        done = carried_out(tmp_path, endpoint, "--order", "given", "--prompt", "mine.txt")

    _, rows = content(tmp_path / "v.jsonl")
    assert {row["item"]: row["verdict"] for row in rows} == {
        "sum": "tie",
        "colour": "unreadable",
        "city": "b",
    }
    assert done.stdout.strip() == "openai/judge: 1 second, 1 tie, 1 unreadable"


def test_the_verdict_file_says_where_the_set_comes_from_and_nothing_is_asked_again_for_it(
    tmp_path: Path,
) -> None:
    written(tmp_path)
    origin = ("--repository", "https://example.org/set", "--commit", "ab12", "--licence", "MIT")
    with serving() as endpoint:
        endpoint.behave = letter_of_the_good_answer
        carried_out(tmp_path, endpoint)
        unnamed, _ = content(tmp_path / "v.jsonl")
        asked_before = len(endpoint.received)
        (tmp_path / "v.jsonl").unlink()
        carried_out(tmp_path, endpoint, *origin)
        assert len(endpoint.received) == asked_before == 6

    named, _ = content(tmp_path / "v.jsonl")
    facts = {"name": "pairs", "texts": False}
    nothing = dict.fromkeys(("repository", "commit", "licence"), "unknown")
    assert unnamed["source"] == facts | nothing
    assert named["source"] == facts | {
        "repository": "https://example.org/set",
        "commit": "ab12",
        "licence": "MIT",
    }


def test_a_stopped_set_goes_on_by_the_same_command_and_asks_nothing_twice(tmp_path: Path) -> None:
    written(tmp_path)
    run = ("judge", "pairs", "pairs.csv", *JUDGE, "--out", "v.jsonl", "--concurrency", "1")
    answered = 2
    with serving() as endpoint:
        endpoint.behave = FailsAfter(answered, refusal(401, "no such key"))
        stopped = epc(*run, cwd=tmp_path, env=at(endpoint.url))
        assert stopped.returncode in (3, 4), stopped.stderr
        assert "next: epc judge pairs pairs.csv" in stopped.stderr
        assert not (tmp_path / "v.jsonl").exists()
        endpoint.received.clear()
        endpoint.behave = letter_of_the_good_answer
        carried_out(tmp_path, endpoint, "--concurrency", "1")
        assert len(endpoint.received) == 6 - answered
    assert len(content(tmp_path / "v.jsonl")[1]) == 6


def test_askings_are_repeats_of_one_question_and_are_all_sent(tmp_path: Path) -> None:
    written(tmp_path)
    with serving() as endpoint:
        endpoint.behave = letter_of_the_good_answer
        again = ("--askings", "3", "--temperature", "0.7", "--order", "given")
        carried_out(tmp_path, endpoint, *again)
        assert sorted(endpoint.prompts.values()) == [3, 3, 3]
    _, rows = content(tmp_path / "v.jsonl")
    assert sorted(row.get("repeat", 0) for row in rows) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_dry_run_counts_the_calls_and_sends_nothing(tmp_path: Path) -> None:
    written(tmp_path)
    with serving() as endpoint:
        again = ("--askings", "2", "--dry-run", "--format", "json")
        done = carried_out(tmp_path, endpoint, *again)
        assert not endpoint.received
    calls = json.loads(done.stdout)["openai/judge"]["calls"]
    assert calls == {"lower": 12, "expected": 12, "upper": 12}  # 3 pairs, 2 orders, 2 askings
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]


def test_a_real_model_judges_a_set(tmp_path: Path) -> None:
    written(tmp_path)
    judge = ("--judge", "local/smollm2-135m-constrained")
    done = epc("judge", "pairs", "pairs.csv", *judge, "--out", "v.parquet", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    checked = epc("observe", "check", "v.parquet", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    again = epc(
        *("judge", "pairs", "pairs.csv", *judge, "--out", "w.jsonl", "--askings", "2"), cwd=tmp_path
    )
    assert again.returncode == 2
    assert "gives the same answer each time at temperature 0" in again.stderr


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (
            "id,prompt,answer_a,gold\n1,q,x,a\n",
            "no b among its columns: id, prompt, answer_a, gold",
        ),
        ("id,prompt,a,b,gold\n1,q,x,y,left\n", "has 'left' as gold"),
        ("id,prompt,a,b\n1,q,x,y\n1,q,x,z\n", "has the item '1' of an earlier row"),
        ("id,prompt,a,b\n", "holds no pair"),
        ("", "holds no pair"),
    ],
)
def test_a_set_that_cannot_be_asked_says_which_row_and_what_to_do(
    table: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "pairs.csv").write_text(table)
    done = epc("judge", "pairs", "pairs.csv", *JUDGE, "--out", "v.jsonl", cwd=tmp_path)

    assert done.returncode == 2, done.stderr
    assert problem in done.stderr
    assert not (tmp_path / "v.jsonl").exists()


def test_columns_of_other_names_are_mapped(tmp_path: Path) -> None:
    written(tmp_path, "n,ask,left,right,truth,remark")
    names = {"item": "n", "question": "ask", "a": "left", "b": "right", "gold": "truth"}
    maps = [word for field, column in names.items() for word in ("--map", f"{field}={column}")]
    run = ("judge", "pairs", "pairs.csv", *JUDGE, "--out", "v.jsonl")
    with serving() as endpoint:
        endpoint.behave = letter_of_the_good_answer
        carried_out(tmp_path, endpoint, *maps)
        wrong = epc(*run, "--map", "answer=left", cwd=tmp_path, env=at(endpoint.url))
    assert {row["gold"] for row in content(tmp_path / "v.jsonl")[1]} == {"a", "b"}
    assert wrong.returncode == 2
    assert "there is no field answer" in wrong.stderr


def test_a_prompt_without_an_answer_is_refused(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "mine.txt").write_text("$question $a")
    done = epc(
        *("judge", "pairs", "pairs.csv", *JUDGE, "--out", "v.jsonl", "--prompt", "mine.txt"),
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert "it has no $b" in done.stderr
