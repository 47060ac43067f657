"""An exhaustive run through a batch endpoint: a file of requests there, a file of answers back."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from batch_support import BatchProvider, answered_line, batch_provider
from endpoint_support import Endpoint, Reply, refusal
from engine_support import DAY, asked_for, read_rows, same_files, sitting
from msgspec.structs import replace

from epc.engine import batch
from epc.engine import budget as budgets
from epc.engine.batch import BatchPendingError
from epc.engine.batch_native import batching_of
from epc.engine.batch_protocols import OpenAIBatching, Order, PassingError, RefusedError
from epc.engine.budget import BudgetError, Limits
from epc.engine.catalog import open_model
from epc.engine.progress import Progress
from epc.engine.session import expect, prepare
from epc.errors import ExitCode, StoppedError, UsageError, WorldError
from epc.records.validate import validate

CANARY = "sk-canary-0123456789abcdef"
PLAN = asked_for("openai/judge", "openai/writer", exhaustive=True)
NO_CACHE = Limits(cache=False)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchProvider]:
    with batch_provider() as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        yield served


def submitted(folder: Path) -> None:
    with pytest.raises(BatchPendingError, match="submitted 176 answers as batch batch-0"):
        sitting(folder, PLAN, batches=True, limits=NO_CACHE)


def collected(folder: Path) -> dict[str, Any]:
    return sitting(folder, batches=True, limits=NO_CACHE)


def test_epc_2_6_b_a_request_in_a_file_is_the_one_that_is_sent_live(
    tmp_path: Path, provider: BatchProvider
) -> None:
    submitted(tmp_path / "run")

    (lines,) = provider.files.values()
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert len({line["custom_id"] for line in lines}) == 176
    for line in lines:
        assert set(line["body"]) == {"model", "messages", "temperature", "max_completion_tokens"}
        assert (line["body"]["model"], line["body"]["temperature"]) == ("writer", 0.0)


def test_a_batch_that_answers_in_part_leaves_the_rest_to_the_next(
    tmp_path: Path, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    submitted(run)

    def partly(lines: list[dict[str, Any]]) -> bytes:
        """Answer all but nine, each in another way, in any order, and more than was asked."""
        failed = [
            {"custom_id": lines[0]["custom_id"], "response": {"status_code": 500, "body": {}}},
            {"custom_id": lines[1]["custom_id"], "response": None, "error": {"code": "expired"}},
            {"custom_id": lines[2]["custom_id"], "response": {"status_code": 200, "body": {}}},
            {"custom_id": lines[3]["custom_id"], "response": {"status_code": 200}},
            {"custom_id": lines[4]["custom_id"], "response": "200"},
            {"custom_id": [lines[5]["custom_id"]], "response": {"status_code": 200, "body": {}}},
            {"response": {"status_code": 200, "body": {}}},
            [lines[6]["custom_id"]],
        ]
        garbage = [b"<html>\n", b"\n", b"\xff\xfe\n", answered_line(lines[7])[:-30] + b"\n"]
        strange = answered_line({**lines[8], "custom_id": "somebody-else-s"})
        good = [answered_line(line) for line in reversed(lines[9:])]
        twice = good[0]
        return b"".join(
            [*garbage, *(json.dumps(x).encode() + b"\n" for x in failed), strange, *good, twice]
        )

    provider.output = partly
    with pytest.raises(StoppedError, match="9 of 176 answers came back without an answer") as left:
        collected(run)
    assert left.value.exit_code == ExitCode.RESUMABLE
    assert len(read_rows(run / "journal.jsonl")) == 167

    provider.output = lambda lines: b"".join(map(answered_line, lines))
    with pytest.raises(BatchPendingError, match="submitted 9 answers"):
        collected(run)
    with pytest.raises(BatchPendingError, match="submitted 176 comparisons"):
        collected(run)
    collected(run)

    assert provider.sizes == [176, 9, 176]
    assert validate(run).ok


def failed_line(line: dict[str, Any], status: int, message: str) -> bytes:
    """Return the line of an error file for a request that was refused."""
    response = {"status_code": status, "body": {"error": {"message": message, "code": None}}}
    result = {"custom_id": line["custom_id"], "response": response, "error": None}
    return json.dumps(result).encode() + b"\n"


def test_reading_r4_what_will_never_be_answered_is_not_submitted_again(
    tmp_path: Path, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    submitted(run)
    provider.output = lambda lines: b"".join(map(answered_line, lines[5:]))
    provider.errors = lambda lines: b"".join(
        [
            *(failed_line(line, 404, f"no model for {CANARY}") for line in lines[:3]),
            *(failed_line(line, 500, "oops") for line in lines[3:5]),
        ]
    )

    for _ in range(2):
        with pytest.raises(WorldError) as stopped:
            collected(run)

        assert stopped.value.exit_code == ExitCode.WORLD
        said = str(stopped.value).splitlines()
        assert said[:3] == [
            "5 of 176 answers came back without an answer",
            "  3 x openai/writer: HTTP 404: no model for [OPENAI_API_KEY]",
            "  2 x HTTP 500: oops",
        ]
        assert said[3].startswith("  fix: there is no such model or path at this endpoint: check")
    assert provider.sizes == [176]

    sitting(run, limits=NO_CACHE)  # `epc resume`: what is left, and the next wave, one by one

    assert (provider.sizes, provider.chats) == ([176], 5 + 176)
    assert not (run / "batch.json").exists()
    assert validate(run).ok


def test_what_may_pass_is_submitted_again_twice_and_then_no_more(
    tmp_path: Path, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    submitted(run)
    provider.output = lambda lines: b"".join(map(answered_line, lines[:-2]))
    provider.errors = lambda lines: b"".join(failed_line(x, 503, "busy") for x in lines[-2:])

    for number, left in ((1, "2 of 176"), (2, "2 of 2")):
        with pytest.raises(
            StoppedError, match=rf"{left} answers .* again submits those\n  2 x HTTP"
        ):
            collected(run)
        with pytest.raises(BatchPendingError, match=f"submitted 2 answers as batch batch-{number}"):
            collected(run)
    for _ in range(2):
        with pytest.raises(WorldError, match=r"; 3 batches have tried\n  2 x HTTP 503: busy\n"):
            collected(run)
    assert provider.sizes == [176, 2, 2]

    (run / "batch.json").unlink()
    with pytest.raises(BatchPendingError, match="submitted 2 answers"):
        collected(run)


def test_reading_r37_a_request_that_a_filter_refused_in_a_batch_is_answered(
    tmp_path: Path, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    submitted(run)
    provider.output = lambda lines: b"".join(map(answered_line, lines[2:]))
    provider.errors = lambda lines: b"".join(
        failed_line(line, 400, "blocked by the content_filter policy") for line in lines[:2]
    )

    with pytest.raises(BatchPendingError, match="submitted 176 comparisons"):
        collected(run)
    manifest = collected(run)

    assert manifest["provenance"]["no_answer"] == {
        "executor": {"content_filter": 2},
        "evaluator": {"content_filter": 2},
    }
    assert validate(run).ok


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"stage": "answers"}', '{"stage":1,"batch":"b","requests":1}']
)
def test_a_damaged_note_of_a_batch_is_refused_with_what_it_costs(
    tmp_path: Path, provider: BatchProvider, content: str
) -> None:
    submitted(tmp_path / "run")
    (tmp_path / "run" / "batch.json").write_text(content)

    with pytest.raises(UsageError, match=r"batch\.json is damaged: delete it to submit again"):
        collected(tmp_path / "run")

    assert provider.sizes == [176]


@pytest.mark.parametrize(
    ("path", "reply", "message"),
    [
        ("/v1/files", refusal(401, f"bad key {CANARY}"), r"HTTP 401: .*bad key \[OPENAI_API_KEY\]"),
        ("/v1/files", refusal(404), "POST /files: HTTP 404"),
        ("/v1/batches", refusal(400, "no"), "POST /batches: HTTP 400"),
    ],
)
def test_an_endpoint_that_takes_no_batch_is_the_world_s_fault(
    tmp_path: Path, provider: BatchProvider, path: str, reply: Reply, message: str
) -> None:
    provider.instead[path] = reply

    with pytest.raises(WorldError, match=message):
        sitting(tmp_path / "run", PLAN, batches=True, limits=NO_CACHE)

    assert not (tmp_path / "run" / "batch.json").exists()
    with pytest.raises(BatchPendingError):
        collected(tmp_path / "run")


@pytest.mark.parametrize(
    ("path", "reply", "message"),
    [
        ("/v1/files", Reply(body=b"<html>"), "no object with an id"),
        ("/v1/files", Reply(body=b"[]"), "no object with an id"),
        ("/v1/batches", Reply(body=b"{}"), "POST /batches is no object with an id"),
        ("/v1/batches", refusal(500), "POST /batches: HTTP 500"),
    ],
)
def test_what_may_have_been_ordered_is_looked_for_before_it_is_ordered_again(
    tmp_path: Path, provider: BatchProvider, path: str, reply: Reply, message: str
) -> None:
    provider.instead[path] = reply

    with pytest.raises(WorldError, match=message):
        sitting(tmp_path / "run", PLAN, batches=True, limits=NO_CACHE)

    assert (tmp_path / "run" / "batch.json").exists()
    with pytest.raises(BatchPendingError, match="submitted 176 answers as batch batch-0"):
        collected(tmp_path / "run")
    assert provider.sizes == [176]


def ordered() -> str:
    """Order a batch, and return what the endpoint calls it."""

    async def ordering() -> str:
        protocol = batching_of(open_model(PLAN.evaluator))
        assert protocol is not None
        try:
            return await protocol.place(Order(mark="m", count=1, file="file-0"))
        finally:
            await protocol.close()

    return asyncio.run(ordering())


@pytest.mark.parametrize("status", [200, 201])
def test_a_batch_that_an_endpoint_has_made_is_ordered(endpoint: Endpoint, status: int) -> None:
    endpoint.behave = lambda _: Reply(status=status, body=b'{"id": "batch-7"}')

    assert ordered() == "batch-7"


@pytest.mark.parametrize(
    ("statuses", "kind"),
    [
        ((400, 401, 404, 409, 422), RefusedError),  # nothing was ordered
        ((408, 425, 429, *range(500, 600)), PassingError),  # the same may succeed later
        ((202, 302), WorldError),
    ],
)
def test_reading_r4_a_batch_is_refused_for_good_or_in_passing(
    endpoint: Endpoint, statuses: tuple[int, ...], kind: type[WorldError]
) -> None:
    for status in statuses:
        endpoint.behave = lambda _, status=status: refusal(status, "no")  # type: ignore[misc]  # mypy infers no lambda with defaults
        with pytest.raises(WorldError, match=f"POST /batches: HTTP {status}: ") as stopped:
            ordered()
        assert type(stopped.value) is kind


def lose_the_order(folder: Path, provider: BatchProvider) -> None:
    """Leave a run whose batch was made, and whose id never arrived."""
    provider.lost = ["/v1/batches"]
    with pytest.raises(WorldError, match="POST /batches: "):
        sitting(folder, PLAN, batches=True, limits=NO_CACHE)
    assert provider.sizes == [176]


@pytest.mark.parametrize("others", [0, 1, 250])
def test_a_batch_whose_id_was_lost_is_found_again_and_not_paid_twice(
    tmp_path: Path, provider: BatchProvider, others: int
) -> None:
    run = tmp_path / "run"
    lose_the_order(run, provider)
    for number in range(others):  # those of other runs, newer than ours
        mark = {"epc_mark": f"another-{number}"} if number % 2 else None
        name = f"others-{number}"
        provider.batches[name] = {"id": name, "input_file_id": "file-of-others", "metadata": mark}

    with pytest.raises(BatchPendingError, match="submitted 176 comparisons as batch batch-"):
        collected(run)  # collects batch-0, and goes on
    collected(run)

    assert len(provider.files) == 2
    assert validate(run).ok


def test_a_provider_that_keeps_no_marks_is_known_by_the_file(
    tmp_path: Path, provider: BatchProvider
) -> None:
    lose_the_order(tmp_path / "run", provider)
    del provider.batches["batch-0"]["metadata"]

    with pytest.raises(BatchPendingError, match="submitted 176 comparisons"):
        collected(tmp_path / "run")

    assert len(provider.files) == 2


def test_a_crash_before_the_upload_submits_anew(tmp_path: Path, provider: BatchProvider) -> None:
    provider.lost = ["/v1/files"]
    with pytest.raises(WorldError, match="POST /files: "):
        sitting(tmp_path / "run", PLAN, batches=True, limits=NO_CACHE)

    with pytest.raises(BatchPendingError, match="submitted 176 answers as batch batch-0"):
        collected(tmp_path / "run")

    assert provider.sizes == [176]


@pytest.mark.parametrize("reply", [refusal(404), Reply(body=b"{}"), Reply(body=b"<html>")])
def test_an_endpoint_that_does_not_say_what_it_has_is_not_paid_twice(
    tmp_path: Path, provider: BatchProvider, reply: Reply
) -> None:
    lose_the_order(tmp_path / "run", provider)
    provider.instead["/v1/batches?"] = reply

    with pytest.raises(WorldError, match="batches"):
        collected(tmp_path / "run")

    assert provider.sizes == [176]
    assert (tmp_path / "run" / "batch.json").exists()


def test_batches_are_budgeted_at_the_half_that_is_paid(
    tmp_path: Path, provider: BatchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked_for(
        "openai/gpt-4o-2024-08-06", "openai/gpt-4o-mini-2024-07-18", exhaustive=True
    )
    whole = expect(prepare(request, now=DAY))["executor"].cost
    half = expect(prepare(request, now=DAY), batches=True)["executor"].cost
    assert whole is not None
    assert half is not None
    assert half.upper == pytest.approx(whole.upper / 2)

    enough = Limits(cache=False, max_cost=Decimal(str(round(half.upper, 6))) + Decimal("0.000001"))
    with pytest.raises(BatchPendingError):
        sitting(tmp_path / "enough", request, batches=True, limits=enough)
    nothing = Limits(cache=False, max_cost=Decimal("0.000001"))
    with pytest.raises(BudgetError, match=r"the next may cost \$0\.000130"):
        sitting(tmp_path / "nothing", request, batches=True, limits=nothing)
    assert provider.sizes == [176]

    spent: list[Progress] = []

    @asynccontextmanager
    async def watch(progress: Progress) -> AsyncIterator[None]:
        spent.append(progress)
        yield

    with pytest.raises(BatchPendingError):
        sitting(tmp_path / "enough", batches=True, limits=NO_CACHE, watch=watch)
    # 176 answers of 21 tokens read and 3 written, at $0.15 and $0.60 a million, and half of it.
    assert spent[0].cost == pytest.approx(176 * (21 * 0.15 + 3 * 0.60) / 1e6 / 2)


def test_a_status_that_nobody_knows_changes_nothing(
    tmp_path: Path, provider: BatchProvider
) -> None:
    submitted(tmp_path / "run")
    provider.status = {"status": "pondering"}

    with pytest.raises(WorldError, match="batch batch-0 has the unknown status 'pondering'"):
        collected(tmp_path / "run")

    assert (tmp_path / "run" / "batch.json").exists()


def test_a_limit_takes_as_much_of_a_wave_as_fits_and_the_rest_goes_later(
    tmp_path: Path, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    with pytest.raises(BatchPendingError, match="submitted 100 answers as batch batch-0"):
        sitting(run, PLAN, batches=True, limits=Limits(max_calls=100))

    with pytest.raises(BatchPendingError, match="submitted 76 answers as batch batch-1"):
        collected(run)
    with pytest.raises(BatchPendingError, match="submitted 176 comparisons"):
        collected(run)
    collected(run)

    assert provider.sizes == [100, 76, 176]
    assert validate(run).ok


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FIRST_LOOK_S", 0.01)


@pytest.mark.usefixtures("hurried")
def test_a_run_that_waits_goes_through_both_waves_and_asks_again_what_expired(
    tmp_path: Path, provider: BatchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAIBatching, "most_requests", 100)
    provider.standings = [
        {"status": "in_progress", "request_counts": {"completed": 42}},
        {"status": "expired"},
    ]
    provider.instead["/v1/batches/batch-0"] = refusal(503)
    expired = [lambda lines: b"".join(map(answered_line, lines[:60]))]
    provider.outputs = expired

    manifest = sitting(tmp_path / "run", PLAN, batches=True, wait=True, limits=NO_CACHE)

    assert provider.sizes == [100, 100, 16, 100, 76]
    assert manifest["provenance"]["origins"] == {
        "executor": {"batch": 176},
        "evaluator": {"batch": 176},
    }
    assert provider.chats == 0


@pytest.mark.usefixtures("hurried")
def test_the_time_limits_waiting_and_another_session_collects(
    tmp_path: Path, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    provider.status = {"status": "in_progress", "request_counts": {"completed": 3}}
    limits = Limits(cache=False, max_time_s=0.5)

    with pytest.raises(
        BudgetError, match=r"^stopped at --max-time 0\.5 s: batch batch-0 is in_progress: 3 of 176"
    ) as stopped:
        sitting(run, PLAN, batches=True, wait=True, limits=limits)
    provider.status = {"status": "completed"}
    sitting(run, batches=True, wait=True, limits=NO_CACHE)

    assert stopped.value.exit_code == ExitCode.RESUMABLE
    assert provider.sizes == [176, 176]


def test_the_time_limits_a_request_that_gets_no_reply(
    tmp_path: Path, provider: BatchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "_LANDING_S", 0.1)
    provider.hang = "/v1/batches"

    with pytest.raises(BudgetError, match=r"stopped at --max-time 0\.5 s, with calls that got no"):
        sitting(tmp_path / "run", PLAN, batches=True, limits=Limits(max_time_s=0.5))
    provider.hang = None
    provider.let_go.set()
    with pytest.raises(BatchPendingError, match="submitted 176 comparisons"):
        collected(tmp_path / "run")  # finds batch-0, whose order was not answered

    assert provider.sizes == [176, 176]


def test_a_role_that_is_not_hosted_is_asked_here(tmp_path: Path, provider: BatchProvider) -> None:
    request = asked_for("openai/judge", "mock/deterministic", exhaustive=True)

    with pytest.raises(BatchPendingError, match="submitted 176 comparisons as batch batch-0"):
        sitting(tmp_path / "run", request, batches=True)
    collected(tmp_path / "run")

    assert provider.sizes == [176]
    assert validate(tmp_path / "run").ok


def test_reading_r76_what_a_named_run_has_answered_is_not_submitted(
    tmp_path: Path, provider: BatchProvider
) -> None:
    sitting(tmp_path / "first", PLAN)

    named = replace(PLAN, reuse_answers_of=(tmp_path / "first",))
    sitting(tmp_path / "second", named, batches=True)

    assert (provider.chats, provider.sizes) == (352, [])
    same_files(tmp_path / "first", tmp_path / "second", ("trials.jsonl", "weights.jsonl"))
