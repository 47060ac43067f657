"""What a user sees of calls and money: forecasts, limits, the cache, the bill."""

import json
import os
import re
from pathlib import Path

import pytest
from endpoint_support import Endpoint, refusal
from engine_support import (
    RAW_FILES,
    call,
    environment,
    epc,
    same_files,
)
from run_support import (
    COIN,
    HOSTED,
    hosted,
)

from epc.engine.cache import Cache, answer_cache_folder

SMALL = ("--seeds", "0-1", "--rounds", "4")
WRITER = "mock/deterministic"


def test_a_dry_run_needs_no_key_sends_nothing_and_leaves_nothing(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env = environment(OPENAI_BASE_URL=endpoint.url, VLLM_BASE_URL=endpoint.url)
    names = ("--evaluator", "openai/gpt-4o-2024-08-06", "--executor", "vllm/writer")
    plan = ("run", *names, "--seeds", "0-9", "--reuse", "none", "--dry-run")

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


def test_a_price_that_the_user_states_is_forecast_and_capped(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """A million tokens read cost $1, a million written $2."""
    env = environment(VLLM_BASE_URL=endpoint.url, VLLM_PRICE="1,2")
    plan = ("run", "--evaluator", "vllm/judge", "--executor", "mock/deterministic", *SMALL)
    done = epc(*plan, "--dry-run", "--format", "json", cwd=tmp_path, env=env)
    share = json.loads(done.stdout)["evaluator"]

    tokens = [share[name]["expected"] for name in ("tokens_in", "tokens_out")]
    assert share["cost"]["expected"] == pytest.approx((tokens[0] + 2 * tokens[1]) / 1e6)
    capped = epc(*plan, "--max-cost", "0.0001", "--out", tmp_path / "run", env=env)
    assert capped.returncode == 4
    assert "stopped at --max-cost 0.0001" in capped.stderr
    wrong = epc(*plan, "--dry-run", env=environment(VLLM_BASE_URL=endpoint.url, VLLM_PRICE="free"))
    assert wrong.returncode == 2
    assert "VLLM_PRICE=free is no price" in wrong.stderr


def test_a_limit_stops_with_4_and_the_run_ends_as_without_one(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env, run = hosted(endpoint.url), tmp_path / "run"
    whole_result = epc("run", *HOSTED, *SMALL, "--out", tmp_path / "whole", env=env)
    assert whole_result.returncode == 0
    request_count = len(endpoint.received)
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
    assert ended.stdout == whole_result.stdout
    assert len(endpoint.received) == request_count
    assert f"spent    {request_count - 9} calls, " in ended.stderr
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

    stopped = epc("run", *PRICED, "--exhaustive", "--max-cost", "0.008", "--out", run, env=env)

    assert stopped.returncode == 4
    match = re.search(
        r"stopped at --max-cost 0\.008: spent \$(0\.\d{6}), \$(0\.\d{6}) reserved for calls under "
        r"way; the next may cost \$(0\.\d{6})\n",
        stopped.stderr,
    )
    assert match is not None, stopped.stderr
    spent, _, following = map(float, match.groups())
    prices = {"gpt-4o-2024-08-06": (2.5, 10), "gpt-4o-mini-2024-07-18": (0.15, 0.6)}
    paid = [prices[request.body["model"]] for request in endpoint.received]
    billed = sum(21 * read + 3 * written for read, written in paid) / 1e6
    assert spent <= billed + 1e-6
    assert 0.008 - following - 1e-6 < billed <= 0.008
    assert epc("resume", run, env=env).returncode == 0
    assert len(endpoint.received) == 352


def test_reading_r76_the_bill_names_dollars_retries_and_what_was_taken_over(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    names = ("--evaluator", "openai/gpt-4o-2024-08-06", "--executor", "mock/deterministic")
    plan = ("run", *names, "--seeds", "0", "--rounds", "2", "--reuse", "memo")
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
    text = "repaired the journal: 1 of its lines are torn, as a crash leaves them; they are "
    assert done.stderr.count(text) == 1
    assert ", 19 from the journal" in done.stderr
    same_files(tmp_path / "whole", run, (*RAW_FILES, "manifest.json", "run.json"))


def test_the_cache_is_listed_sized_and_cleared(tmp_path: Path, endpoint: Endpoint) -> None:
    env = hosted(endpoint.url)
    assert epc("run", *HOSTED, *SMALL, "--out", tmp_path / "run", env=env).returncode == 0
    # Reading R76: nothing of a hosted model is kept.
    assert json.loads(epc("admin", "cache", "size", "--format", "json").stdout)["answers"] == 0
    cache, asked = Cache(answer_cache_folder()), 3
    for number in range(asked):  # as a run with embedded weights keeps them
        cache.put(call(number))

    listed = epc("admin", "cache", "list")
    entries = json.loads(epc("admin", "cache", "list", "--format", "json").stdout)
    size = json.loads(epc("admin", "cache", "size", "--format", "json").stdout)
    text = epc("admin", "cache", "size").stdout

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
    kept_result = epc("admin", "cache", "clear", stdin=b"n\n")
    assert (kept_result.returncode, kept_result.stdout) == (1, "")
    assert epc("admin", "cache", "clear", "--yes").stdout == f"removed {asked} answers\n"
    assert json.loads(epc("admin", "cache", "size", "--format", "json").stdout)["answers"] == 0


@pytest.mark.parametrize("provider", ["anthropic", "vllm"])
def test_a_cap_without_a_price_names_the_variable_that_states_one(
    provider: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    """What the message prints works: with it the command goes on."""
    name = provider.upper()
    keyed = {f"{name}_BASE_URL": endpoint.url, f"{name}_API_KEY": "k"}
    words = ("run", "--evaluator", f"{provider}/nobody-s-model", "--executor", WRITER)
    command = (*words, "--max-cost", "1", "--rounds", "1", "--seeds", "0")
    refused = epc(*command, "--out", tmp_path / "refused", env=environment(**keyed))

    assert refused.returncode == 2
    stated = re.search(r"as in (\w+)=(\S+), dollars", refused.stderr)
    assert stated is not None
    assert stated[1] == f"{name}_PRICE"
    priced = environment(**keyed, **{stated[1]: stated[2]})
    assert epc(*command, "--dry-run", env=priced).returncode == 0
    taken = epc(*command, "--out", tmp_path / "taken", env=priced)
    assert "--max-cost cannot be kept" not in taken.stderr
