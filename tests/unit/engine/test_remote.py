"""What every model behind a network has in common: keys, addresses, decoding and refusals."""

import asyncio

import pytest
from endpoint_support import Endpoint, Reply, completion, refusal
from hosted_support import CANARY, ask

from epc.engine.catalog import open_model
from epc.engine.hosted import open_hosted
from epc.engine.model import CallError, Prompt
from epc.engine.providers import PROVIDERS
from epc.engine.remote import address_of, is_address, require_decoding
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding

EXAMPLE = "https://host/v1"


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("https://host", True),
        ("http://[::1]:8000", True),
        ("ftp://host/v1", False),
        ("localhost:11434", False),
        ("http://", False),
        ("http://host:0/v1", False),
        ("http://host:99999", False),
        ("http://[::1", False),
    ],
)
def test_an_address_has_a_scheme_a_host_and_a_port_that_is_one(url: str, *, fits: bool) -> None:
    assert is_address(url) is fits


def test_a_variable_moves_a_provider_and_must_hold_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vllm = PROVIDERS["vllm"]
    monkeypatch.delenv("VLLM_BASE_URL", raising=False)
    assert address_of(vllm, example=EXAMPLE) == vllm.base_url
    monkeypatch.setenv("VLLM_BASE_URL", "http://elsewhere:1/v1")
    assert address_of(vllm, example=EXAMPLE) == "http://elsewhere:1/v1"
    monkeypatch.setenv("VLLM_BASE_URL", CANARY)
    with pytest.raises(UsageError, match=f"VLLM_BASE_URL is no address: .* as {EXAMPLE}") as error:
        address_of(vllm, example=EXAMPLE)

    assert CANARY not in str(error.value)


def test_a_key_is_wanted_where_the_provider_will_ask_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="set OPENAI_API_KEY to your key for openai"):
        open_hosted("openai", "m").require_key()
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)

    open_hosted("openai", "m").require_key()
    open_hosted("ollama", "m").require_key()


def test_epc_2_6_b_an_evaluator_decodes_as_the_protocol_says_and_an_executor_a_whole_answer() -> (
    None
):
    model = open_hosted("openai", "m")

    assert model.default_decoding("evaluator") == REFERENCE_DECODING
    assert model.default_decoding("executor") == Decoding(temperature=0.0, max_tokens=400)


@pytest.mark.parametrize("name", ["mock/deterministic", "mock/coin-flip"])
def test_what_decodes_nothing_is_given_no_decoding(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} decodes nothing"):
        require_decoding(open_model(name), REFERENCE_DECODING)


@pytest.mark.parametrize(
    "decoding",
    [
        Decoding(temperature=0.0, max_tokens=10, reasoning="low"),
        Decoding(temperature=0.0, max_tokens=10, body={"seed": 1}),
    ],
)
def test_an_embedded_model_takes_neither_reasoning_nor_a_body(decoding: Decoding) -> None:
    with pytest.raises(UsageError, match="takes neither --reasoning nor --body"):
        require_decoding(open_model("local/smollm2-135m"), decoding)
    require_decoding(open_model("local/smollm2-135m"), REFERENCE_DECODING)


def test_an_answer_that_comes_is_returned(endpoint: Endpoint) -> None:
    endpoint.behave = lambda _: completion("B")

    assert ask().text == "B"


def test_reading_r37_an_answer_that_is_withheld_is_an_answer(endpoint: Endpoint) -> None:
    body = b'{"error": {"message": "no", "code": "content_filter"}}'
    endpoint.behave = lambda _: Reply(status=400, body=body)

    answer = ask()

    assert (answer.text, answer.finish_reason) == ("", "content_filter")


def test_a_refusal_is_said_with_the_variable_of_the_key(endpoint: Endpoint) -> None:
    endpoint.behave = lambda _: refusal(401, f"bad key {CANARY}")

    with pytest.raises(CallError, match="HTTP 401: bad key") as error:
        ask()

    assert "check the key in OPENAI_API_KEY" in str(error.value)
    assert CANARY not in str(error.value)


def test_a_reply_is_waited_for_as_long_as_the_user_says(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.behave = lambda _: Reply(drip=True)

    async def asking() -> None:
        model = open_hosted("openai", "m")
        model.wait_for(0.2)
        try:
            await model.complete(Prompt(text="x"), REFERENCE_DECODING)
        finally:
            await model.close()

    with pytest.raises(CallError, match=r"0\.2 s"):
        asyncio.run(asking())
