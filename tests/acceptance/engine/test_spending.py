"""What a user sees of calls and money: forecasts, limits, the cache, batches, shards, the bill."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_support import batch_provider
from endpoint_support import Endpoint, refusal, serving
from engine_support import (
    RAW_FILES,
    call,
    environment,
    epc,
    epc_under_way,
    files_that_hold,
    same_files,
)
from native_support import ANTHROPIC, GOOGLE, SECRETS, addresses, native, says

from epc.engine.cache import Cache
from epc.engine.cache_paths import answer_cache_folder

HOSTED = (
    *("--evaluator", "openai/judge-0806", "--executor", "openai/writer-0806"),
    "--no-canary",
)
MOCKS = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
COIN = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
SMALL = ("--seeds", "0-1", "--rounds", "4")
CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as server:
        yield server


def hosted(url: str) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=url, OPENAI_API_KEY=CANARY)


def test_a_dry_run_needs_no_key_sends_nothing_and_leaves_nothing(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = environment(OPENAI_BASE_URL=endpoint.url, VLLM_BASE_URL=endpoint.url)
    names = ("--evaluator", "openai/gpt-4o-2024-08-06", "--executor", "vllm/writer")
    plan = ("run", *names, "--seeds", "0-9", "--reuse", "none", "--no-canary", "--dry-run")

    text = epc(*plan, cwd=tmp_path, env=env)
    document = epc(*plan, "--format", "json", cwd=tmp_path, env=env)

    assert (text.returncode, document.returncode) == (0, 0)
    assert endpoint.received == []
    assert list(tmp_path.iterdir()) == []
    shares = json.loads(document.stdout)
    assert shares["executor"]["calls"] == {"lower": 2400, "expected": 2400, "upper": 2400}
    assert shares["evaluator"]["calls"] == {"lower": 1200, "expected": 1200, "upper": 1200}
    assert shares["executor"]["cost"] is None
    rows = [line.split() for line in text.stdout.splitlines()]
    assert rows[0] == ["lower", "expected", "upper"]
    assert ["evaluator", "calls", "1,200", "1,200", "1,200"] in rows
    assert "executor cost" in text.stdout
    assert "unknown: no price is on record for this model" in text.stdout
    cost = shares["evaluator"]["cost"]
    assert ["evaluator", "cost,", "USD", *(f"{cost[end]:,.4f}" for end in cost)] in rows


def test_a_limit_stops_with_4_and_the_run_ends_as_without_one(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env, run = hosted(endpoint.url), tmp_path / "run"
    whole = epc("run", *HOSTED, *SMALL, "--no-cache", "--out", tmp_path / "whole", env=env)
    assert whole.returncode == 0
    asked = len(endpoint.received)
    endpoint.received.clear()

    stopped = epc("run", *HOSTED, *SMALL, "--max-calls", "9", "--out", run, env=env)
    assert (stopped.returncode, stopped.stdout, len(endpoint.received)) == (4, "", 9)
    assert "stopped at --max-calls 9" in stopped.stderr
    assert stopped.stderr.splitlines()[-1] == f"  next: epc resume {run}"
    assert "spent    9 calls, 216 tokens, cost unknown" in stopped.stderr
    late = epc("resume", run, "--max-time", "0.000001", env=env)
    assert (late.returncode, len(endpoint.received)) == (4, 9)
    assert "stopped at --max-time 1e-06 s" in late.stderr
    ended = epc("resume", run, env=env)

    assert ended.returncode == 0
    assert ended.stdout == whole.stdout
    assert len(endpoint.received) == asked
    assert f"spent    {asked - 9} calls, " in ended.stderr
    assert ", 9 from the journal" in ended.stderr
    same_files(tmp_path / "whole", run, ("trials.jsonl", "weights.jsonl", "run.json"))


def test_a_cost_that_nobody_knows_cannot_be_limited(tmp_path: Path, endpoint: Endpoint) -> None:
    run = tmp_path / "run"

    done = epc("run", *HOSTED, "--max-cost", "1", "--out", run, env=hosted(endpoint.url))
    odd = epc("run", *HOSTED, "--max-cost", "lots", "--out", run, env=hosted(endpoint.url))

    assert (done.returncode, odd.returncode) == (2, 2)
    assert "so --max-cost cannot be kept: use --max-calls" in done.stderr
    assert "'lots' is no amount of dollars such as 2.50" in odd.stderr
    assert not run.exists()
    assert endpoint.received == []


PRICED = (
    *("--evaluator", "openai/gpt-4o-2024-08-06", "--executor", "openai/gpt-4o-mini-2024-07-18"),
    "--no-canary",
)
# 21 tokens read and 3 written a call, at $0.15 and $0.60, $2.50 and $10 a million.
WHOLE = 176 * (21 * 0.15 + 3 * 0.60 + 21 * 2.5 + 3 * 10) / 1e6


def test_a_cap_that_the_whole_run_fits_under_stops_nothing(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    # A run of $0.0154; 128 calls at once may cost $0.2 together, as far as anybody can tell.
    done = epc(
        *("run", *PRICED, "--exhaustive", "--max-cost", "0.02", "--out", tmp_path / "run"),
        env=hosted(endpoint.url),
    )

    assert done.returncode == 0, done.stderr
    assert len(endpoint.received) == 352
    assert f"spent    352 calls, 8,448 tokens, ${WHOLE:.4f}" in done.stderr


def test_a_cap_that_stops_says_what_is_spent_reserved_and_asked_for_next(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env, run = hosted(endpoint.url), tmp_path / "run"

    stopped = epc(
        "run", *PRICED, "--exhaustive", "--max-cost", "0.008", "--no-cache", "--out", run, env=env
    )

    assert stopped.returncode == 4
    found = re.search(
        r"stopped at --max-cost 0\.008: spent \$(0\.\d{6}), \$(0\.\d{6}) reserved for calls under "
        r"way; the next may cost \$(0\.\d{6})\n",
        stopped.stderr,
    )
    assert found is not None, stopped.stderr
    spent, _, following = map(float, found.groups())
    prices = {"gpt-4o-2024-08-06": (2.5, 10), "gpt-4o-mini-2024-07-18": (0.15, 0.6)}
    paid = [prices[asked.body["model"]] for asked in endpoint.received]
    billed = sum(21 * read + 3 * written for read, written in paid) / 1e6
    assert spent <= billed + 1e-6
    assert 0.008 - following - 1e-6 < billed <= 0.008
    assert epc("resume", run, "--no-cache", env=env).returncode == 0
    assert len(endpoint.received) == 352


def test_reading_r76_the_bill_names_dollars_retries_and_what_was_taken_over(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    names = ("--evaluator", "openai/gpt-4o-2024-08-06", "--executor", "mock/deterministic")
    plan = ("run", *names, "--seeds", "0", "--rounds", "2", "--reuse", "memo", "--no-canary")
    endpoint.script = [refusal(503, retry_after_ms="1"), refusal(500, retry_after_ms="1")]

    first = epc(*plan, "--out", tmp_path / "first", env=hosted(endpoint.url))
    named = ("--reuse-answers-of", tmp_path / "first", "--out", tmp_path / "second")
    second = epc(*plan, *named, env=hosted(endpoint.url))

    judged = len(endpoint.received) - 2
    dollars = judged * (21 * 2.5 + 3 * 10) / 1e6
    assert f", ${dollars:.4f}, 2 retries\n" in first.stderr
    assert "spent    0 calls, 0 tokens, " in second.stderr
    assert "answers taken over, not asked\n" in second.stderr
    assert len(endpoint.received) == judged + 2
    assert "DOUBTFUL: gpt-4o-2024-08-06 was asked for, served-model-0806 ans" in first.stdout
    validated = epc("validate", tmp_path / "first")
    assert validated.returncode == 0
    assert "warning: gpt-4o-2024-08-06 was asked for" in validated.stdout


def test_a_torn_journal_is_repaired_and_said_so(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert epc("run", *COIN, *SMALL, "--out", tmp_path / "whole").returncode == 0
    assert epc("run", *COIN, *SMALL, "--max-calls", "20", "--out", run).returncode == 4
    journal = run / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-15])

    done = epc("resume", run)

    assert done.returncode == 0
    said = "repaired the journal: a crash left 1 of its last lines torn; they are kept in "
    assert done.stderr.count(said) == 1
    assert ", 19 from the journal" in done.stderr
    same_files(tmp_path / "whole", run, (*RAW_FILES, "manifest.json", "run.json"))


def test_the_cache_is_listed_sized_and_cleared(tmp_path: Path, endpoint: Endpoint) -> None:
    env = hosted(endpoint.url)
    assert epc("run", *HOSTED, *SMALL, "--out", tmp_path / "run", env=env).returncode == 0
    # Reading R76: nothing of a hosted model is kept.
    assert json.loads(epc("cache", "size", "--format", "json").stdout)["answers"] == 0
    cache, asked = Cache(answer_cache_folder()), 3
    for number in range(asked):  # as a run with embedded weights keeps them
        cache.put(call(number))

    listed = epc("cache", "list")
    entries = json.loads(epc("cache", "list", "--format", "json").stdout)
    size = json.loads(epc("cache", "size", "--format", "json").stdout)
    text = epc("cache", "size").stdout

    assert len(listed.stdout.splitlines()) == len(entries) == size["answers"] == asked
    folder = Path(os.environ["EPC_CACHE_DIR"]) / "answers"
    assert size == {
        "folder": str(folder),
        "answers": asked,
        "bytes": sum(path.stat().st_size for path in folder.rglob("*.json")),
    }
    assert text == f"{asked} answers, {size['bytes']:,} bytes, in {folder}\n"
    for line, entry in zip(listed.stdout.splitlines(), entries, strict=True):
        assert line.startswith(f"{entry['id']}  2026-07-02  {entry['role']:<9}  {entry['model']}")
    kept = epc("cache", "clear", stdin=b"n\n")
    assert (kept.returncode, kept.stdout) == (1, "")
    assert epc("cache", "clear", "--yes").stdout == f"removed {asked} answers\n"
    assert json.loads(epc("cache", "size", "--format", "json").stdout)["answers"] == 0


def test_batches_are_submitted_and_collected_by_the_program(tmp_path: Path) -> None:
    run, plan = tmp_path / "run", ("run", *HOSTED, *SMALL, "--exhaustive")
    with batch_provider() as provider:
        env = hosted(provider.url)
        live = epc(*plan, "--no-cache", "--out", tmp_path / "live", env=env)
        chats = provider.chats
        collect = ("run", "--batch", "collect", "--no-cache", "--out", run)

        first = epc(*plan, "--no-cache", "--batch", "submit", "--out", run, env=env)
        provider.status = {"status": "in_progress", "request_counts": {"completed": 3}}
        waiting = epc(*collect, env=env)
        provider.status = {"status": "completed"}
        second = epc(*collect, env=env)
        done = epc(*collect, env=env)

        assert provider.chats == chats
    assert [r.returncode for r in (live, first, waiting, second, done)] == [0, 4, 4, 4, 0]
    assert "submitted 176 answers as batch batch-0: collect them later" in first.stderr
    assert "batch batch-0 is in_progress: 3 of 176 done" in waiting.stderr
    assert "submitted 176 comparisons as batch batch-1" in second.stderr
    assert first.stderr.splitlines()[-1] == f"  next: epc resume {run}"
    assert done.stdout == live.stdout
    same_files(tmp_path / "live", run, ("trials.jsonl", "weights.jsonl", "run.json"))
    assert epc("validate", run).returncode == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((*HOSTED, "--batch", "submit"), "--batch sends whole waves: add --exhaustive"),
        (
            (*MOCKS, "--exhaustive", "--batch", "submit"),
            "--batch is for providers that take batches",
        ),
        (("--batch", "collect"), "--batch collect needs --out"),
        ((*COIN, "--recheck", "3"), "--recheck asks again what was reused"),
    ],
)
def test_what_does_not_fit_together_is_2_and_leaves_nothing(
    tmp_path: Path, args: tuple[str, ...], message: str
) -> None:
    env = hosted("http://127.0.0.1:9/v1")

    done = epc("run", *args, cwd=tmp_path, env=env)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_shards_of_separate_processes_merge_to_the_bytes_of_one_run(tmp_path: Path) -> None:
    plans = {"all": "0-5", "a": "0-1", "b": "2,5", "c": "3-4"}
    for name, seeds in plans.items():
        options = ("--seeds", seeds, "--rounds", "6", "--out", tmp_path / name, "--no-cache")
        assert epc("run", *COIN, *options).returncode == 0

    folders = [tmp_path / name for name in ("a", "b", "c")]
    done = epc("merge", *folders, "--out", tmp_path / "merged")
    again = epc("merge", *folders, "--out", tmp_path / "merged")
    alone = epc("merge", tmp_path / "a", "--out", tmp_path / "alone")
    twice = epc("merge", tmp_path / "a", tmp_path / "all", "--out", tmp_path / "twice")

    assert [r.returncode for r in (done, again, alone, twice)] == [0, 2, 2, 2]
    every = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert sorted(path.name for path in (tmp_path / "merged").iterdir()) == every
    same_files(tmp_path / "all", tmp_path / "merged", tuple(every))
    assert done.stdout == epc("show", tmp_path / "all").stdout
    assert "name at least two runs to merge" in alone.stderr
    assert "seed 0 is in" in twice.stderr
    assert epc("validate", tmp_path / "merged").returncode == 0


def test_a_batch_whose_lines_fail_says_why_and_is_not_submitted_for_ever(tmp_path: Path) -> None:
    run = tmp_path / "run"

    def refused(lines: list[dict[str, Any]]) -> bytes:
        error = {"message": "max_tokens is not supported with this model", "code": None}
        response = {"status_code": 400, "body": {"error": error}}
        rows = [{"custom_id": line["custom_id"], "response": response} for line in lines]
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode()

    with batch_provider() as provider:
        env = hosted(provider.url)
        submit = ("run", *HOSTED, "--exhaustive", "--seeds", "0", "--batch", "submit", "--out", run)
        assert epc(*submit, env=env).returncode == 4
        provider.output, provider.errors = (lambda _: b""), refused

        collected = [epc("run", "--batch", "collect", "--out", run, env=env) for _ in range(3)]

        assert provider.sizes == [176]
    after = (
        f"`epc resume {run}` asks those one by one, at the full price; without "
        f"{run / 'batch.json'} collecting submits them again"
    )
    for done in collected:
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.split("epc: ")[-1].splitlines() == [
            "176 of 176 answers came back without an answer",
            "  176 x openai/writer-0806: HTTP 400: max_tokens is not supported with this model",
            "  fix: check the model's name and what it accepts",
            f"  next: {after}",
        ]


@pytest.mark.parametrize("path", ["/v1/files", "/v1/batches"])
def test_a_kill_between_an_order_and_its_note_pays_for_no_batch_twice(
    tmp_path: Path, path: str
) -> None:
    run = tmp_path / "run"
    with batch_provider() as provider:
        env = {**hosted(provider.url), "EPC_CACHE_DIR": str(tmp_path / "cache")}
        provider.hang = path
        submit = ("run", *HOSTED, "--exhaustive", "--seeds", "0", "--batch", "submit", "--out", run)
        with epc_under_way(*submit, env=env) as running:
            assert provider.hung.wait(60)
            running.kill()
            running.wait()
        provider.hang = None
        provider.let_go.set()
        collect = ("run", "--batch", "collect", "--out", run)
        codes = [epc(*collect, env=env).returncode for _ in range(3)]

        assert provider.sizes == [176, 176]
        assert codes == ([4, 4, 0] if path == "/v1/files" else [4, 0, 0])
        assert epc("validate", run, env=env).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--temperature", "0.7", "--reuse", "memo"),
            "the evaluator decodes at temperature 0.7, not at 0, so its answers cannot be reused",
        ),
        (("--temperature", "0.7", "--exhaustive"), "the evaluator decodes at temperature 0.7"),
        (("--executor-temperature", "1", "--exhaustive"), "the executor decodes at temperature 1,"),
        (("--temperature", "none", "--exhaustive"), "at its provider's own temperature, not at 0"),
        (("--temperature", "-1"), "is no temperature from 0 to 2, nor 'none'"),
        (("--temperature", "warm"), "is no temperature from 0 to 2, nor 'none'"),
        (("--temperature", "nan"), "is no temperature from 0 to 2, nor 'none'"),
    ],
)
def test_reading_r16_reuse_at_another_temperature_than_0_is_refused(
    tmp_path: Path, endpoint: Endpoint, options: tuple[str, ...], message: str
) -> None:
    done = epc("run", *HOSTED, *options, "--out", tmp_path / "run", env=hosted(endpoint.url))

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert endpoint.received == []
    assert not (tmp_path / "run").exists()


def test_epc_2_6_b_another_decoding_is_sent_recorded_and_tagged(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = tmp_path / "run"
    asked = ("--temperature", "0.7", "--top-p", "0.9", "--max-tokens", "3")
    theirs = ("--executor-temperature", "none", "--executor-max-tokens", "50")
    small = ("--seeds", "0", "--rounds", "1", "--max-calls", "5")

    first = epc("run", *HOSTED, *asked, *theirs, *small, "--out", run, env=hosted(endpoint.url))
    done = epc("resume", run, env=hosted(endpoint.url))

    assert (first.returncode, done.returncode) == (4, 0)
    manifest = json.loads((run / "manifest.json").read_bytes())
    assert manifest["config"]["reuse"] == "none"
    assert manifest["protocol_version"] == "EPC-v1.0-AltPrompt+AltRounds"
    rest: dict[str, Any] = {"stop": [], "constraint": None}
    evaluator = {"temperature": 0.7, "top_p": 0.9, "max_tokens": 3, **rest}
    executor = {"temperature": None, "top_p": None, "max_tokens": 50, **rest}
    assert manifest["evaluator"]["decoding"] == evaluator
    assert manifest["executor"]["decoding"] == executor
    assert len(endpoint.received) == 12  # three a round: nothing is reused
    for request in endpoint.received:
        said = executor if request.body["model"] == "writer-0806" else evaluator
        sent = {key: value for key, value in said.items() if value}
        sent["max_completion_tokens"] = sent.pop("max_tokens")
        assert request.body == {**request.body, **sent}
        assert set(request.body) == {"model", "messages", *sent}
    assert epc("validate", run).returncode == 0


def test_what_decodes_nothing_takes_no_decoding(tmp_path: Path) -> None:
    done = epc("run", *MOCKS, "--temperature", "0.5", "--out", tmp_path / "run")

    assert done.returncode == 2
    assert "mock/deterministic decodes nothing: leave its decoding out" in done.stderr


@pytest.mark.own_process
def test_a_provider_with_its_own_protocol_is_measured_like_any_other(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = lambda received: native(says(received), received)
    env = environment(**SECRETS, **addresses(endpoint.url))
    models = ("--evaluator", ANTHROPIC, "--executor", GOOGLE)

    done = epc("run", *models, "--seeds", "0", "--rounds", "1", "--out", tmp_path / "run", env=env)

    assert done.returncode == 0, done.stderr
    assert epc("validate", tmp_path / "run", env=env).returncode == 0
    ends = {request.path.rpartition("/")[2] for request in endpoint.received}
    assert ends == {"messages", "gemini-2.5-flash:generateContent"}
    assert files_that_hold(tmp_path, CANARY) == []
