"""EPC-2.8: evaluators and executors with known preferences, the same on every machine."""

import asyncio
import hashlib
import json
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from epc.engine.catalog import open_model
from epc.engine.mocks import CoinFlip, Deterministic, Scripted
from epc.engine.model import Model, Occasion, Prompt
from epc.errors import UsageError, WorldError
from epc.protocol.prompt import Pair
from epc.spec.domains import Domain, PhaseName
from epc.spec.epc_v1 import REFERENCE_DOMAINS
from epc.spec.reference import STRATEGIES


def unit(text: str) -> float:
    """The documented rule, by another road: the first 53 bits of SHA-256 as a binary fraction."""
    bits = f"{int(hashlib.sha256(text.encode()).hexdigest(), 16):0256b}"[:53]
    return sum(int(bit) * 0.5**place for place, bit in enumerate(bits, 1))


def answer_of(model: Model, prompt: Prompt) -> str:
    return asyncio.run(model.complete(prompt, model.default_decoding("evaluator"))).text


def comparison(
    strategy: str = "synthesis",
    domain: Domain = "text",
    occasion: Occasion | None = None,
    text: str = "Evaluate. Better?",
) -> Prompt:
    pair = Pair(domain=domain, task="a task", strategy=strategy, response="x", baseline="y")
    return Prompt(text=text, pair=pair, occasion=occasion)


def occasions(seeds: int, rounds: int) -> list[Occasion]:
    grid = product(range(seeds), REFERENCE_DOMAINS.phase_names, range(rounds))
    return [Occasion(seed=seed, phase=phase, round=number) for seed, phase, number in grid]


def script(folder: Path, content: Any) -> Path:
    path = folder / "script.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize(
    ("seed", "phase", "verdicts"),
    [(0, "text", "BBABBBBAABBA"), (3, "visual_to_text", "BAAAAABBBAAB")],
)
def test_epc_2_8_the_coin_falls_the_same_everywhere(
    seed: int, phase: PhaseName, verdicts: str
) -> None:
    # `printf 'coin-flip|0|text|0' | sha256sum` begins with a9, above one half: B.
    rounds = [Occasion(seed=seed, phase=phase, round=number) for number in range(12)]

    fell = "".join(answer_of(CoinFlip(), comparison(occasion=occasion)) for occasion in rounds)

    assert fell == verdicts


def test_epc_2_8_the_coin_is_the_digest_of_seed_phase_and_round() -> None:
    for occasion in occasions(seeds=3, rounds=5):
        u = unit(f"coin-flip|{occasion.seed}|{occasion.phase}|{occasion.round}")

        assert answer_of(CoinFlip(), comparison(occasion=occasion)) == ("A" if u < 0.5 else "B")


@pytest.mark.slow
def test_epc_2_8_the_coin_is_fair_in_every_phase_and_blind_to_the_answers() -> None:
    coin, heads = CoinFlip(), dict.fromkeys(REFERENCE_DOMAINS.phase_names, 0)
    for occasion in occasions(seeds=40, rounds=30):
        prompt = comparison(occasion=occasion)
        other_prompt = comparison("analogy_meta", "visual", occasion, text="something else")
        assert answer_of(coin, prompt) == answer_of(coin, other_prompt)
        heads[occasion.phase] += answer_of(coin, prompt) == "A"

    n = 40 * 30
    for count in heads.values():
        assert abs(count - n / 2) < 4 * sqrt(n) / 2  # four standard deviations


@pytest.mark.parametrize("text", ["one", "two", "drei", "四", ""])
def test_epc_2_8_deterministic_answers_by_the_digest_of_the_prompt(text: str) -> None:
    model = Deterministic()
    u = unit(f"deterministic|{text}")

    assert answer_of(model, comparison(text=text)) == ("A" if u < 0.5 else "B")
    assert answer_of(model, Prompt(text=text)) == (
        f"Answer {hashlib.sha256(text.encode()).hexdigest()[:12]} to: {text}"
    )


def test_epc_2_8_deterministic_prefers_neither_letter() -> None:
    verdicts = [answer_of(Deterministic(), comparison(text=str(n))) for n in range(1000)]

    assert abs(verdicts.count("A") - 500) < 4 * sqrt(1000) / 2
    assert set(verdicts) == {"A", "B"}


def test_mocks_report_words_as_tokens_and_no_time() -> None:
    model = Deterministic()
    sent_completion = model.complete(
        Prompt(text="one two three"), model.default_decoding("executor")
    )

    completion = asyncio.run(sent_completion)

    assert (completion.tokens_in, completion.tokens_out) == (3, 6)  # Answer, digest, to:, 3 words
    assert completion.latency_s == 0
    assert completion.served_model == "mock/deterministic"


def test_epc_2_8_scripted_odds_are_honoured(tmp_path: Path) -> None:
    odds = {"default": 0.1, "text": {"synthesis": 0.95}, "visual": {"synthesis": 0.5}}
    model = Scripted(script(tmp_path, odds))
    rounds = occasions(seeds=10, rounds=50)
    n = len(rounds)
    expected: list[tuple[str, Domain, float]] = [
        ("synthesis", "text", 0.95),
        ("synthesis", "visual", 0.5),
        ("analogy_meta", "visual", 0.1),
    ]

    for strategy, domain, p in expected:
        wins = sum(answer_of(model, comparison(strategy, domain, o)) == "A" for o in rounds)
        assert abs(wins - n * p) < 4 * sqrt(n * p * (1 - p))
    assert not model.repeatable


def test_epc_2_8_a_scripted_toss_is_the_digest_of_the_round(tmp_path: Path) -> None:
    model = Scripted(script(tmp_path, {"default": 0.3}))

    for o in occasions(seeds=2, rounds=8):
        expected = "A" if unit(f"scripted|{o.seed}|{o.phase}|{o.round}") < 0.3 else "B"
        assert answer_of(model, comparison(occasion=o)) == expected


def test_reading_r16_a_script_of_certainties_needs_no_round(tmp_path: Path) -> None:
    model = Scripted(script(tmp_path, {"default": 0, "visual": {"synthesis": 1}}))

    assert model.repeatable
    assert answer_of(model, comparison("synthesis", "visual")) == "A"
    assert answer_of(model, comparison("synthesis", "text")) == "B"


def test_reading_r16_one_uncertain_entry_makes_a_script_unrepeatable(tmp_path: Path) -> None:
    model = Scripted(script(tmp_path, {"default": 0, "visual": {"synthesis": 0.999}}))

    assert not model.repeatable
    assert answer_of(model, comparison("synthesis", "text")) == "B"  # certain here all the same
    with pytest.raises(UsageError, match="--reuse none"):
        answer_of(model, comparison("synthesis", "visual"))


def test_epc_2_2_the_script_is_part_of_the_identity(tmp_path: Path) -> None:
    odds = {"default": 0.25, "text": {"synthesis": 1}}

    assert Scripted(script(tmp_path, odds)).identity.details == {"script": odds}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("{", "not JSON at line 1"),
        ("[]", "expected an object with `default`"),
        ({}, "expected an object with `default`"),
        ({"text": {}}, "expected an object with `default`"),
        ({"default": 0.5, "Audio": {}}, "expected an object with `default`"),
        ({"default": 0.5, "text": 0.5}, "`text` is a table of probabilities"),
        ({"default": 0.5, "text": [0.5]}, "`text` is a table of probabilities"),
        ({"default": 1.5}, "1.5 is no probability from 0 to 1"),
        ({"default": -0.1}, "-0.1 is no probability"),
        ({"default": "0.5"}, '"0.5" is no probability'),
        ({"default": True}, "true is no probability"),
        ({"default": None}, "null is no probability"),
        ({"default": 0.5, "visual": {"synthesis": 2}}, "2 is no probability"),
        ('{"default": NaN}', "NaN is not a JSON number"),
        ('{"default": 0.5, "default": 0.6}', "the key 'default' appears twice"),
        ({"default": 0.5, "text": {"synthesys": 1}}, '"synthesys"; expected synthesis'),
        ({"default": 0.5, "visual": {"metaphor": 1}}, "expected step_by_step, critical_check"),
    ],
)
def test_a_script_that_cannot_be_used_is_refused(
    tmp_path: Path, content: Any, message: str
) -> None:
    path = script(tmp_path, content)

    with pytest.raises(UsageError) as refused:
        Scripted(path).require([strategy.name for strategy in STRATEGIES], REFERENCE_DOMAINS.names)

    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)


def test_a_script_that_cannot_be_read_is_the_disk_s_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"cannot read .*nowhere\.json"):
        Scripted(tmp_path / "nowhere.json")


@pytest.mark.parametrize("name", ["mock/coin-flip", "mock/scripted"])
def test_an_evaluator_mock_writes_no_answers(tmp_path: Path, name: str) -> None:
    if name == "mock/scripted":
        name = f"mock/scripted:{script(tmp_path, {'default': 1})}"

    with pytest.raises(UsageError, match="use mock/deterministic as the executor"):
        answer_of(open_model(name), Prompt(text="write something"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "mock/stubborn",
            "the mocks are mock/deterministic, mock/coin-flip, mock/judge, ",
        ),
        ("gpt-4o", "models are named provider/model"),
        ("openai/", "models are named provider/model"),
        ("", "models are named provider/model"),
        ("closedai/gpt", "there is no provider closedai: the providers are local, mock, openai"),
        ("local/gpt-4o", "the embedded models are local/smollm2-135m, "),
        ("recorded:", "there is no file ''"),
        ("recorded:nowhere.csv", "there is no file 'nowhere.csv'"),
        ("mock/scripted:nowhere.json", "there is no file 'nowhere.json'"),
        ("openai-compatible/m", "set OPENAI_COMPATIBLE_BASE_URL to the endpoint's address"),
    ],
)
def test_a_name_that_opens_no_model_says_what_would(name: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_model(name)

    assert message in str(refused.value)


@pytest.mark.parametrize(
    "address", ["localhost", "ftp://host/v1", "http://", "http://h:99999/v1", "http://[::1/v1"]
)
def test_an_address_that_is_none_is_refused_by_the_variable_s_name(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", address)

    with pytest.raises(UsageError, match="the value of VLLM_BASE_URL is no address"):
        open_model("vllm/m")
