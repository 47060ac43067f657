"""`epc judge competence`: judges that we script score texts whose order is known beforehand."""

import json
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from endpoint_support import Endpoint, HoldsAfter, Received, Reply, completion, serving
from engine_support import DAY, environment, epc, epc_under_way, read_rows, wait_until
from judge_support import write_rows

from epc.spec.judge_v1 import DIMENSIONS, OVERALL

Json = dict[str, Any]
Scored = Sequence[int]

QUESTIONS: Final = range(16)
TASK: Final = "Write two sections, Plan and Risks, on moving table {}."
# Every text has the same length, four words for four dimensions, marks, and both sections.
TEXT: Final = (
    "# Plan\nformal{0:02} The **backup** of table {0:02} stands before the move of anything else.\n"
    "ordered{0:02} It is read back and compared, row by row, to what was there.\n\n"
    "# Risks\nfaithful{0:02} Rows that come while the table is copied may be lost on the way.\n"
    "whole{0:02} A second copy takes what is newer, and nothing is written meanwhile.\n"
)
TEXTS: Final = {f"Q{number:02}": TEXT.format(number) for number in QUESTIONS}
LENGTH: Final = len(TEXTS["Q00"])
KINDS: Final = (
    "truncated",
    "shuffled",
    "off_task",
    "section_removed",
    "same_text",
    "padded",
    "plain",
)
MADE: Final = len(KINDS) * len(QUESTIONS)
WORDS: Final = ("formal", "ordered", "faithful", "whole")  # one for each dimension
KEY: Final = {"OPENAI_API_KEY": "sk-competence-0123456789abcdef"}


def prompt_parts(prompt: str) -> tuple[Json, str]:
    """Return the meta object and the output of a judge's prompt."""
    block = re.search(
        r"\[\[(\w+) output begins\]\]\n(.*)\n\[\[\1 output ends\]\]", prompt, re.DOTALL
    )
    assert block is not None, prompt
    at = prompt.rindex('"meta": ') + len('"meta": ')
    meta: Json = json.JSONDecoder().raw_decode(prompt, at)[0]
    return meta, block[2]


def reply(meta: Json, scores: Scored, quotes: Sequence[str]) -> str:
    total = sum(scores)
    return json.dumps(
        {
            "meta": meta,
            "scores": {**dict(zip(DIMENSIONS, scores, strict=True)), OVERALL: total},
            "verdict": "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL",
            "flags": [],
            "evidence": [
                {"dimension": name, "quote": quote, "reason": "It says so."}
                for name, quote in zip(DIMENSIONS, quotes, strict=True)
            ],
        }
    )


def words_of(text: str) -> list[str]:
    return re.sub(r"[#*]", "", text).split()


def perfect(meta: Json, output: str) -> Scored:
    """Give everything to what begins with the very answer to this question, and half to others."""
    right = words_of(TEXTS[meta["question_id"]])
    return (2, 2, 2, 2) if words_of(output)[: len(right)] == right else (1, 1, 1, 1)


def constant(_: Json, __: str) -> Scored:
    return (1, 1, 1, 1)


def length_lover(_: Json, output: str) -> Scored:
    score = 2 if len(output) > 1.2 * LENGTH else 1 if len(output) > 0.8 * LENGTH else 0
    return (score,) * 4


def markup_lover(_: Json, output: str) -> Scored:
    return (2, 2, 2, 2) if "**" in output else (2, 2, 1, 1)


def floor(meta: Json, output: str) -> Scored:
    """Give nothing to anything but the answers to two questions."""
    return perfect(meta, output) if meta["question_id"] in ("Q00", "Q01") else (0, 0, 0, 0)


JUDGES: Final[dict[str, Callable[[Json, str], Scored]]] = {
    "perfect": perfect,
    "constant": constant,
    "length": length_lover,
    "markup": markup_lover,
    "floor": floor,
}


def judging(received: Received) -> Reply:
    """Answer as the judge of that name."""
    name = received.body["model"]
    meta, output = prompt_parts(received.prompt)
    if name == "refusing":
        return completion("I'm sorry, but I can't evaluate this.")
    quote = " ".join(re.findall(r"\w+", output)[1:2])
    if name == "evading":
        evaded = json.loads(reply(meta, (0, 0, 0, 0), (quote,) * 4))
        return completion(json.dumps({**evaded, "scores": dict.fromkeys(evaded["scores"], "N/A")}))
    return completion(reply(meta, JUDGES[name](meta, output), (quote,) * 4))


def quoting(received: Received) -> Reply:
    """Score each dimension by its own word, and quote that word, or another if it is not there."""
    meta, output = prompt_parts(received.prompt)
    other_match = re.findall(r"\w{3,}", output)[0]
    matches = [re.search(rf"{word}\d\d", output) for word in WORDS]
    scores = [2 if match else 0 for match in matches]
    return completion(
        reply(meta, scores, [match[0] if match else other_match for match in matches])
    )


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as served:
        served.behave = judging
        yield served


def planned(folder: Path, endpoint: Endpoint, *judges: str) -> dict[str, str]:
    """Plan the set before some judges and return the environment that leads there."""
    rows = [
        {
            "question_id": question,
            "prompt_variant": "A",
            "target_model": "lab/writer",
            "output_id": f"writer/{question}",
            "output": text,
            "task": TASK.format(question),
        }
        for question, text in TEXTS.items()
    ]
    env = environment(OPENAI_BASE_URL=endpoint.url, **KEY)
    table = write_rows(folder.with_suffix(".jsonl"), rows)
    sent_words = [word for judge in judges for word in ("--judge", f"openai/{judge}")]
    done = epc("judge", "plan", table, *sent_words, "--methods", "cross", "--out", folder, env=env)
    assert done.returncode == 0, done.stderr
    return env


def found_by(folder: Path, env: dict[str, str], *arguments: str) -> dict[str, Json]:
    """Return what `epc judge competence` says, by judge."""
    done = epc("judge", "competence", folder, *arguments, "--format", "json", env=env)
    assert done.returncode in (0, 1), done.stderr
    rows: list[Json] = json.loads(done.stdout)["competence"]
    assert done.returncode == any(row["word"] == "incapable" for row in rows)
    return {row["judge"].removeprefix("openai/"): row for row in rows}


def shares(row: Json) -> dict[str, float]:
    return {one["kind"]: one["share"] for one in (row["overall"], *row["kinds"])}


def test_reading_r87_planted_pairs_tell_judges_apart_that_read_and_that_do_not(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    judges = ("perfect", "constant", "length", "markup", "floor", "refusing", "evading")
    env = planned(tmp_path / "e", endpoint, *judges)

    documents = found_by(tmp_path / "e", env)

    assert set(endpoint.prompts.values()) == {len(judges)}  # the same texts, each judge once
    assert len(endpoint.received) == len(judges) * (len(QUESTIONS) + MADE)
    assert {name: row["word"] for name, row in documents.items()} == {
        "perfect": "capable",
        "constant": "incapable",
        "length": "incapable",
        "markup": "incapable",
        "floor": "cannot_tell",
        "refusing": "incapable",
        "evading": "incapable",
    }
    right = {"truncated": 1, "shuffled": 1, "off_task": 1, "section_removed": 1}
    none = dict.fromkeys(right, 0)
    alike = {"same_text": 1, "padded": 1}
    assert shares(documents["perfect"]) == {"all": 1, **right, **alike}
    assert shares(documents["constant"]) == {"all": 0, **none, **alike}
    # Cut texts are shorter; shuffled and foreign ones are as long; a padded one is longer.
    assert shares(documents["length"]) == {
        "all": 0.5,
        "truncated": 1,
        "section_removed": 1,
        "shuffled": 0,
        "off_task": 0,
        "same_text": 1,
        "padded": 0,
    }
    # What is cut or shuffled still has its mark; without one of its sections as well.
    assert shares(documents["markup"])["shuffled"] == shares(documents["markup"])["off_task"] == 0
    for silent in ("refusing", "evading"):
        assert shares(documents[silent]) == {"all": 0, **none, "same_text": 0, "padded": 0}
        whole_overall = documents[silent]["overall"]
        assert (whole_overall["lost"], whole_overall["pairs"], whole_overall["bounds"]) == (
            64,
            64,
            [0, 1],
        )
        assert documents[silent]["valid"] == 0

    # By hand: 16 questions that do not differ are 16 (1.95996 / t(15))^2 = 13.529 observations;
    # Wilson's limit of none of them is z^2 / (n + z^2) = 3.84146 / 17.3705 = 0.221.
    low, high = documents["perfect"]["overall"]["ci95"]
    assert (round(low, 3), high) == (0.779, pytest.approx(1))
    low, high = documents["constant"]["overall"]["ci95"]
    assert (low, round(high, 3)) == (pytest.approx(0), 0.221)
    assert (documents["constant"]["constant"], documents["perfect"]["constant"]) == (4, None)
    # Of 16 answers 14 have the lowest score already, which no spoilt text can go below.
    assert documents["floor"]["overall"]["at_floor"] == 14 * 4
    assert documents["floor"]["overall"]["share"] == 1
    assert [row["ci95"] for row in documents["floor"]["kinds"] if row["expected"] == "lower"] == [
        None
    ] * 4  # two pairs are too few

    shifts = {
        name: {
            shift["by"]: (shift["mean"], shift["ci95"], shift["none"]) for shift in row["shifts"]
        }
        for name, row in documents.items()
    }
    still = (0, [0, 0], "yes")
    assert shifts["perfect"] == {"length": still, "format": still}
    assert shifts["length"] == {"length": (4, [4, 4], "no"), "format": still}
    assert shifts["markup"] == {"length": still, "format": (-2, [-2, -2], "no")}
    assert shifts["refusing"]["length"] == (None, None, "unknown")

    text = epc("judge", "competence", tmp_path / "e", env=env).stdout
    assert len(endpoint.received) == len(judges) * (len(QUESTIONS) + MADE)  # all was answered
    assert "openai/perfect: capable of telling outputs from spoilt ones" in text
    assert "it gives every text the same overall score, 4: it detects nothing" in text
    assert "so no place among others can move its scores" in text
    # No prompt tells what was done: a planted text has an id like any other, and no kind.
    assert not any(kind in prompt for prompt in endpoint.prompts for kind in KINDS)


def test_competence_comes_before_the_first_judgment_and_stands_outside_primary_figures(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = planned(tmp_path / "bad", endpoint, "constant")

    refused = epc("judge", "competence", tmp_path / "bad", env=env)

    assert refused.returncode == 1
    assert "openai/constant: incapable of telling outputs from spoilt ones" in refused.stdout
    assert not (tmp_path / "bad" / "run_log.json").exists()  # nothing of the set was asked
    assert len(endpoint.received) == len(QUESTIONS) + MADE
    judged = epc("judge", "run", tmp_path / "bad", "--format", "json", env=env)
    assert judged.returncode == 0, judged.stderr
    (evaluation,) = json.loads(judged.stdout)["evaluations"]
    assert evaluation["primary"]["all"]["samples"] == len(QUESTIONS)
    assert evaluation["totals"]["cross_judge"]["samples"] == len(QUESTIONS)
    assert len(endpoint.received) == 2 * len(QUESTIONS) + MADE
    assert [row["word"] for row in evaluation["competence"]] == ["incapable"]
    (trust,) = [row for row in evaluation["trust"] if row["about"] == "spoilt outputs"]
    assert trust["trusted"] == "no"
    assert "it gives every text the same score" in trust["sentence"]
    (part,) = (tmp_path / "bad" / "competence").glob("*/planted")
    assert epc("judge", "check", part).returncode == 0
    result = epc("judge", "report", part)
    assert result.returncode == 2
    assert f"run `epc judge report {tmp_path / 'bad'}`" in result.stderr
    assert epc("judge", "report", tmp_path / "bad", "--html", tmp_path / "p.html").returncode == 0
    rows = epc("judge", "report", tmp_path / "bad", "--format", "csv").stdout
    assert "competence,judge_model,openai/constant,truncated,16,0.0,0.0," in rows
    assert "competence,judge_model,openai/constant,length,16,0.0,0.0,0.0" in rows
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "spoilt outputs" in page
    assert "evaluations by 1 judge<" in page
    assert "it detects nothing" in page


def test_competence_keeps_one_budget_and_a_forecast_sends_nothing(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = planned(tmp_path / "e", endpoint, "perfect", "constant")
    command = ("judge", "competence", tmp_path / "e", "--pairs", "2")

    dry = epc(*command, "--named", "--dry-run", "--format", "json", env=env)

    assert not endpoint.received
    calls = {role: share["calls"]["expected"] for role, share in json.loads(dry.stdout).items()}
    assert calls == {
        f"openai/{judge} {part}": count
        for judge in ("perfect", "constant")
        for part, count in (("planted", 16), ("named", 2))
    }
    stopped = epc(*command, "--max-calls", "20", env=env)
    assert stopped.returncode == 4
    assert f"next: epc judge competence {tmp_path / 'e'}" in stopped.stderr
    other = epc(*command[:-1], "3", "--judge", "openai/perfect", "--dry-run", env=env)
    assert other.returncode == 2
    assert "--pairs counts for the first session" in other.stderr
    assert epc(*command, "--dry-run", env=env).returncode == 0
    assert len(endpoint.received) == 20
    done = epc(*command, env=env)
    assert done.returncode == 0
    assert len(endpoint.received) == 32
    assert "no interval is stated for fewer than 8 pairs" in done.stdout


def test_a_competence_test_that_was_killed_asks_nothing_twice(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = planned(tmp_path / "e", endpoint, "perfect")
    holds = HoldsAfter(20)

    def holding(received: Received) -> Reply:
        holds(received)
        return judging(received)

    endpoint.behave = holding
    command = ("judge", "competence", tmp_path / "e", "--pairs", "8")
    with epc_under_way(*command, "--concurrency", "1", env=env) as running:
        wait_until(holds.reached.is_set)
        running.kill()
        assert running.wait() == -signal.SIGKILL
    holds.go_on.set()
    (part,) = (tmp_path / "e" / "competence").glob("*/planted")
    answered = {row["prompt"] for row in read_rows(part / "journal.jsonl")}
    assert len(answered) == 20
    endpoint.received.clear()

    documents = found_by(tmp_path / "e", env)  # the plan of 8 stands

    prompts = endpoint.prompts
    assert set(prompts.values()) == {1}
    assert not answered & prompts.keys()
    assert len(answered) + len(prompts) == 8 * (1 + len(KINDS))
    assert documents["perfect"]["overall"]["share"] == 1


def test_reading_r76_a_retest_is_asked_anew_on_the_same_day_and_on_another(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """The judge is one point more generous the third time, and two the fourth."""
    env = planned(tmp_path / "e", endpoint, "drifting")
    command = ("judge", "competence", tmp_path / "e")

    def drifting(received: Received) -> Reply:
        meta, output = prompt_parts(received.prompt)
        times = endpoint.prompts[received.prompt]  # of the set, beside planted texts, again
        scores = (1, 1, max(1, min(times - 1, 2)), 2 if times > 3 else 1)
        return completion(reply(meta, scores, (" ".join(output.split()[1:2]),) * 4))

    endpoint.behave = drifting
    early = epc(*command, "--retest", "10", env=env)
    assert early.returncode == 2
    assert "has nothing to compare with" in early.stderr
    assert not endpoint.received
    assert epc("judge", "run", tmp_path / "e", env=env).returncode == 0

    (same_retest,) = found_by(tmp_path / "e", env, "--retest", "10")["drifting"]["retests"]
    request_count = len(endpoint.received)
    assert found_by(tmp_path / "e", env, "--retest", "10")["drifting"]["retests"] == [same_retest]
    assert len(endpoint.received) == request_count  # once a day
    tomorrow = {**env, "SOURCE_DATE_EPOCH": str(int(DAY.timestamp()) + 86_400)}
    again, other = found_by(tmp_path / "e", tomorrow, "--retest", "10")["drifting"]["retests"]

    assert len(endpoint.received) == request_count + 10
    assert again == same_retest
    assert [row["same_day"] for row in (same_retest, other)] == [True, False]
    for row, points in ((same_retest, 1), (other, 2)):
        assert (row["shared"], row["compared"]["outputs"]) == (0, 10)
        assert row["compared"]["same_overall"]["share"] == 0
        assert row["compared"]["mean_difference"] == {"mean": points, "ci95": [points, points]}


def test_reading_r76_a_retest_is_never_of_shared_answers(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = planned(tmp_path / "e", endpoint, "perfect")
    assert epc("judge", "run", tmp_path / "e", env=env).returncode == 0
    assert found_by(tmp_path / "e", env, "--retest", "16")["perfect"]["retests"]
    (repeated_path,) = (tmp_path / "e" / "competence").glob("*/retest-*")
    for path in (tmp_path / "e").rglob("records.jsonl"):
        if "competence" not in path.parts:
            (repeated_path / path.relative_to(tmp_path / "e")).write_bytes(path.read_bytes())
    (repeated_path / "calls.jsonl").write_bytes((tmp_path / "e" / "calls.jsonl").read_bytes())

    (row,) = found_by(tmp_path / "e", env)["perfect"]["retests"]

    assert (row["shared"], row["compared"]["outputs"]) == (16, 0)
    assert row["compared"]["same_overall"] == {"count": 0, "share": None, "ci95": None}


def test_reading_r76_a_retest_of_a_judge_that_cannot_answer_otherwise_is_refused(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = planned(tmp_path / "e", endpoint, "perfect")
    plan = ("judge", "plan", tmp_path / "e.jsonl", "--judge", "openai/perfect")
    assert epc(*plan, "--judge", "mock/judge", "--out", tmp_path / "m", env=env).returncode == 0

    refused = epc("judge", "competence", tmp_path / "m", "--retest", "4", env=env)

    assert refused.returncode == 2
    assert not endpoint.received  # the other judge is not asked first
    alone = ("--judge", "mock/judge", "--retest", "4")
    refused = epc("judge", "competence", tmp_path / "m", *alone, env=env)
    assert "mock/judge cannot answer otherwise the next time" in refused.stderr


def test_names_that_a_judge_is_shown_move_its_scores_or_do_not(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = planned(tmp_path / "e", endpoint, "partial")

    def partial(received: Received) -> Reply:
        meta, output = prompt_parts(received.prompt)
        scores = (2, 1, 1, 1) if meta["target_model"] == "lab/writer" else (1, 1, 1, 1)
        return completion(reply(meta, scores, (" ".join(output.split()[1:2]),) * 4))

    endpoint.behave = partial
    found = found_by(tmp_path / "e", env, "--named")["partial"]

    (row,) = [shift for shift in found["shifts"] if shift["by"] == "name"]
    assert (row["mean"], row["ci95"], row["pairs"], row["none"]) == (1, [1, 1], 16, "no")
    requests = [request for request in endpoint.received if "lab/writer" in request.prompt]
    assert len(requests) == len(QUESTIONS)


@pytest.mark.parametrize(("judge", "change", "word"), [(quoting, -2, "yes"), (judging, 0, "no")])
def test_evidence_that_is_taken_out_moves_the_score_of_a_judge_that_goes_by_it(
    tmp_path: Path,
    endpoint: Endpoint,
    judge: Callable[[Received], Reply],
    change: int,
    word: str,
) -> None:
    env = planned(tmp_path / "e", endpoint, "constant")
    endpoint.behave = judge

    ablation = found_by(tmp_path / "e", env, "--ablation")["constant"]["ablation"]

    assert (ablation["pairs"], ablation["lost"]) == (16, 0)
    assert (ablation["change"]["mean"], ablation["change_control"]["mean"]) == (change, 0)
    assert ablation["moved"]["share"] == (change != 0)
    assert ablation["moved_control"]["share"] == 0
    assert ablation["difference"] == {"mean": change, "ci95": [change, change]}
    assert ablation["bears"] == word
    (part,) = (tmp_path / "e" / "competence").glob("*/ablation")
    rows = read_rows(part / "samples.jsonl")
    assert {row["planted"]["kind"] for row in rows} == {"ablated", "ablation_control"}
    if word == "yes":  # a different dimension in each turn, and as many characters either way
        by_dimension = [row["planted"]["dimension"] for row in rows[::2]]
        assert {by_dimension.count(name) for name in DIMENSIONS} == {4}
        for row in rows:
            text = (part / "outputs" / f"{row['output_sha256']}.txt").read_text("utf-8")
            base = TEXTS[row["question_id"]]
            quoted = WORDS[DIMENSIONS.index(row["planted"]["dimension"])]
            assert len(base) - len(text) == len(quoted) + 2
            assert (quoted in text) == (row["planted"]["kind"] == "ablation_control")
