"""The embedded model, really loaded: the same answers always, and no port to the world."""

import asyncio
import math
import random
import socket
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from budget_support import by_night
from engine_support import PATIENCE_S, epc
from records_support import probes_of

from epc.engine.local import weights
from epc.engine.local.models import Likelihood, open_local
from epc.engine.local.runtime import Runtime, Stopped, loaded, server_count
from epc.engine.model import Completion, Prompt
from epc.errors import UsageError, WorldError
from epc.protocol.config import Decoding
from epc.protocol.prompt import Pair
from epc.records.validate import validate

pytestmark = pytest.mark.extra

T = TypeVar("T")
BASE = weights.BASE.name
SHORT = Decoding(temperature=0.0, max_tokens=12)
ANSWERS = {
    "Explain why the sky is blue.": "The sky is blue because air scatters blue light most.",
    "What makes a painting visually balanced?": "Its shapes and colors have equal visual weight.",
}


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    if not weights.BASE.present():
        pytest.fail("the embedded weights are missing: run `epc models fetch` first")
    shared = loaded(weights.BASE)
    yield shared
    shared.close()


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, PATIENCE_S))


def own_tcp_sockets() -> set[str]:
    """The inodes of this process's own TCP sockets."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]
    ]
    inodes = {row[9] for row in rows}
    own: set[str] = set()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            target = str(handle.readlink())
        except OSError:
            continue
        own.add(target.removeprefix("socket:[").removesuffix("]"))
    return inodes & own


async def written(*tasks: str) -> list[str]:
    model = open_local(BASE)
    completions = (model.complete(Prompt(text=task), SHORT) for task in tasks)
    return [completion.text for completion in await asyncio.gather(*completions)]


def test_epc_2_2_answers_depend_on_nothing_but_the_prompt(runtime: Runtime) -> None:
    tasks = list(ANSWERS)

    alone = [run(written(task))[0] for task in tasks]
    together = run(written(*tasks, *reversed(tasks), "What is rain?"))
    runtime.close()
    loaded_again = run(written(*reversed(tasks)))

    assert len(set(alone)) == len(tasks)
    assert all(text.strip() for text in alone)
    assert together[:2] == alone
    assert together[2:4] == alone[::-1]
    assert loaded_again == alone[::-1]


def test_no_tcp_port_is_opened(runtime: Runtime) -> None:
    runtime.close()
    before = own_tcp_sockets()

    run(runtime.post("/tokenize", {"content": "loaded"}))

    assert own_tcp_sockets() <= before  # those of earlier tests may be gone by now
    with socket.create_server(("127.0.0.1", 0)):
        assert len(own_tcp_sockets() - before) == 1  # it would have been seen


def test_an_answer_says_how_it_ended_and_what_it_took(runtime: Runtime) -> None:
    async def both() -> list[Completion]:
        model = open_local(BASE)
        prompt = Prompt(text="Say only the word yes.")
        return [
            await model.complete(prompt, d) for d in (SHORT, Decoding(temperature=0, max_tokens=1))
        ]

    longer, cut = run(both())

    assert cut.finish_reason == "length"
    assert cut.tokens_out == 1
    assert longer.tokens_out is not None
    assert 1 < longer.tokens_out <= 12
    assert longer.tokens_in == cut.tokens_in
    assert longer.text.startswith(cut.text)
    assert longer.served_model == "local/smollm2-135m"


def test_epc_2_6_b_the_constrained_evaluator_says_a_or_b_and_no_more(runtime: Runtime) -> None:
    model = open_local(f"{BASE}-constrained")
    decoding = model.default_decoding("evaluator")

    async def judged() -> list[str]:
        completions = (
            model.complete(Prompt(text=f"Evaluate. Task: {task} Write a long essay."), decoding)
            for task in ANSWERS
        )
        return [completion.text for completion in await asyncio.gather(*completions)]

    assert decoding == Decoding(temperature=0.0, max_tokens=10, constraint="A|B")
    assert all(text in ("A", "B") for text in run(judged()))


def shuffled(answer: str) -> str:
    arguments = answer.split()
    random.Random(1).shuffle(arguments)
    return " ".join(arguments)


def preferred(
    model: Likelihood, task: str, response: str, baseline: str
) -> Coroutine[Any, Any, Completion]:
    pair = Pair(domain="text", task=task, strategy="s", response=response, baseline=baseline)
    return model.complete(Prompt(text="", pair=pair), model.default_decoding("evaluator"))


def test_the_likelier_answer_is_preferred_wherever_it_stands(runtime: Runtime) -> None:
    async def judged() -> list[tuple[str, str, str]]:
        model = Likelihood(f"{BASE}-likelihood")
        verdicts = []
        for task, sense in ANSWERS.items():
            nonsense = shuffled(sense)
            three = await asyncio.gather(
                preferred(model, task, sense, nonsense),
                preferred(model, task, nonsense, sense),
                preferred(model, task, sense, sense),
            )
            first, second, itself = (completion.text.split("\n")[0] for completion in three)
            verdicts.append((first, second, itself))
        return verdicts

    assert run(judged()) == [("A", "B", "tie")] * len(ANSWERS)


def test_epc_2_6_only_the_first_300_characters_are_scored(runtime: Runtime) -> None:
    task, base = next(iter(ANSWERS)), "blue " * 60  # 300 characters

    async def judged() -> Completion:
        model = Likelihood(f"{BASE}-likelihood")
        return await preferred(model, task, base + "and a tail", base + "other words")

    assert run(judged()).text.startswith("tie\n")


def test_an_answer_of_nothing_is_the_least_likely(runtime: Runtime) -> None:
    async def judged() -> list[str]:
        model = Likelihood(f"{BASE}-likelihood")
        asked = (preferred(model, "Why?", *pair) for pair in (("", "So."), ("So.", ""), ("", "")))
        return [completion.text.split("\n")[0] for completion in await asyncio.gather(*asked)]

    assert run(judged()) == ["B", "A", "tie"]


@pytest.mark.parametrize(
    ("answer", "length"),
    [("H₃ smiles 😀 now", 7), *by_night([("The capital of France is Paris.", 7)])],
    ids=["characters in parts", "whole tokens"],
)
def test_a_score_is_the_mean_log_likelihood_of_its_tokens(
    runtime: Runtime, answer: str, length: int
) -> None:
    """Once more, token by token: what would the free model have said next?"""
    task = "What is the capital of France?"
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    template = (
        f"<|im_start|>system\n{system}<|im_end|>\n"
        f"<|im_start|>user\n{task}<|im_end|>\n<|im_start|>assistant\n"
    )

    async def scored() -> tuple[str, list[float]]:
        model = Likelihood(f"{BASE}-likelihood")
        completion = await preferred(model, task, answer, answer)
        context = await runtime.post("/tokenize", {"content": template, "parse_special": True})
        tokens = (await runtime.post("/tokenize", {"content": answer}))["tokens"]
        steps = []
        for place, token in enumerate(tokens):
            prompt = [*context["tokens"], *tokens[:place]]
            body = {"prompt": prompt, "max_tokens": 1, "n_probs": 50_000, "grammar": 'root ::= "a"'}
            chunks = await runtime.stream(body, chat=False)
            top = chunks[0]["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            steps.append(next(entry["logprob"] for entry in top if entry["id"] == token))
        return completion.text, steps

    text, steps = run(scored())

    score = float(text.split("A ")[1].split(",")[0])
    assert len(steps) == length
    assert score == pytest.approx(math.fsum(steps) / len(steps), abs=1e-3)


class Watched(threading.Event):
    """The runtime's stop signal, which tells that a call has begun to write."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_at = 0
        self.begun = threading.Event()

    def is_set(self) -> bool:
        self.looked_at += 1
        if self.looked_at > 1:  # the first look is before the call
            self.begun.set()
        return super().is_set()


def test_closing_stops_a_call_that_is_under_way(runtime: Runtime) -> None:
    async def closing() -> object:
        await runtime.post("/tokenize", {"content": "loaded"})
        assert runtime._loaded is not None
        runtime._loaded.stopping = stopping = Watched()
        body = {"prompt": "Once upon a time", "max_tokens": 900, "ignore_eos": True}
        call = asyncio.create_task(runtime.stream(body, chat=False))
        assert await asyncio.to_thread(stopping.begun.wait, PATIENCE_S)
        runtime.close()
        (outcome,) = await asyncio.gather(call, return_exceptions=True)
        return outcome

    assert isinstance(run(closing()), Stopped)


def test_closing_stops_a_comparison_and_loads_nothing_again(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    async def closing() -> object:
        await runtime.post("/tokenize", {"content": "loaded"})
        assert runtime._loaded is not None
        runtime._loaded.stopping = stopping = Watched()
        model = Likelihood(f"{BASE}-likelihood")
        call = asyncio.create_task(preferred(model, "Why?", "so " * 90, "no " * 90))
        assert await asyncio.to_thread(stopping.begun.wait, PATIENCE_S)
        await model.close()
        (outcome,) = await asyncio.gather(call, return_exceptions=True)
        return outcome

    assert isinstance(run(closing()), Stopped)
    assert runtime._loaded is None
    assert caplog.records == []


def test_what_the_runtime_refuses_is_said(runtime: Runtime) -> None:
    body = {"prompt": "word " * 5000, "max_tokens": 1}

    with pytest.raises(WorldError, match="the embedded model refuses: "):
        run(runtime.stream(body, chat=False))


def test_a_file_that_is_no_model_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPC_CACHE_DIR", str(tmp_path))
    weights.BASE.path().parent.mkdir()
    weights.BASE.path().write_bytes(b"GGUF but not really")

    with pytest.raises(WorldError, match=r"cannot load SmolLM2-135M-Instruct\.Q4_1\.gguf"):
        run(Runtime(weights.BASE).post("/tokenize", {"content": "x"}))


SYSTEM_PROMPTS = {
    "smollm2-135m": "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    "qwen2.5-coder-0.5b": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    "qwen2.5-coder-1.5b": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
}


@pytest.mark.parametrize("name", [BASE, *by_night(name for name in SYSTEM_PROMPTS if name != BASE)])
def test_a_prompt_stands_in_the_weights_own_template_with_its_own_system_prompt(name: str) -> None:
    row = weights.WEIGHTS[name]
    if not row.present():
        pytest.skip(f"no test fetches {row.size:,} bytes: `epc models fetch local/{name}`")
    runtime = Runtime(row)
    bare = [{"role": "user", "content": "Which is better?"}]

    rendered = [
        run(runtime.post("/apply-template", {"messages": messages}))["prompt"]
        for messages in (runtime.messages("Which is better?"), bare)
    ]
    runtime.close()

    assert rendered[0] == (
        f"<|im_start|>system\n{SYSTEM_PROMPTS[name]}<|im_end|>\n"
        "<|im_start|>user\nWhich is better?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert rendered[1] == rendered[0], "the template says the same where nobody says anything"


def test_a_likelihood_scorer_writes_no_answers(runtime: Runtime) -> None:
    model = open_local(f"{BASE}-likelihood")

    with pytest.raises(UsageError, match="use local/smollm2-135m as executor"):
        run(model.complete(Prompt(text="write"), model.default_decoding("evaluator")))


def test_epc_2_2_the_identity_pins_weights_and_runtime(runtime: Runtime) -> None:
    identity = open_local(BASE).identity

    assert identity.endpoint == "embedded"
    assert identity.details["weights"]["sha256"] == weights.BASE.sha256
    assert identity.details["runtime"]["name"] == "xllamacpp"
    assert identity.details["runtime"]["processor"]


@pytest.mark.parametrize(("value", "servers"), [("3", 3), ("0", 1), ("1", 1)])
def test_the_number_of_servers_can_be_set(
    monkeypatch: pytest.MonkeyPatch, value: str, servers: int
) -> None:
    monkeypatch.setenv("EPC_LOCAL_SERVERS", value)

    assert server_count() == servers


def test_epc_5_3_4_the_embedded_evaluator_answers_planted_pairs(
    runtime: Runtime, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    models = ("--evaluator", f"local/{BASE}-constrained", "--executor", "mock/deterministic")
    plan = ("--seeds", "0", "--rounds", "1", "--controls", "1", "--out", run)

    done = epc("run", *models, *plan)

    assert done.returncode == 0, done.stderr
    assert f"evaluator  local/{BASE}-constrained (" in done.stdout
    assert validate(run).ok
    record, problems = probes_of(run)
    assert problems == []
    assert record["competence"]["overall"]["pairs"] == 1
    assert record["competence"]["overall"]["tied"] == 0, "it can only say A or B"
    assert record["competence"]["word"] == "cannot_tell"
