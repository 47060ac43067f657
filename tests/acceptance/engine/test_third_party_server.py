"""A small run through a server of others; `tests/studies/third_party_server.py` has a whole one."""

import json
from pathlib import Path

import pytest
from engine_support import environment, epc, read_rows
from studies.third_party_server import A_LETTER, MODEL, serving_weights


@pytest.mark.extra
@pytest.mark.slow
def test_a_run_through_llama_cpp_s_own_server_is_stopped_by_the_probe_or_valid(
    tmp_path: Path,
) -> None:
    models = ("--evaluator", MODEL, "--executor", MODEL, "--executor-max-tokens", "8")
    small = ("--reuse", "none", "--seeds", "0", "--rounds", "1")
    text, letter = tmp_path / "text", tmp_path / "letter"
    with serving_weights() as address:
        env = environment(LLAMACPP_BASE_URL=address)
        stopped = epc("run", *models, *small, "--out", text, env=env)
        done = epc("run", *models, *A_LETTER, *small, "--out", letter, env=env)

    assert stopped.returncode == 1
    assert f"{MODEL} was cut off before a verdict" in stopped.stderr
    assert done.returncode == 0, done.stderr
    checked = json.loads(epc("validate", letter, "--format", "json").stdout)
    assert (checked["ok"], checked["findings"]) == (True, [])
    manifest = json.loads((letter / "manifest.json").read_bytes())
    assert manifest["protocol_version"] == "EPC-v1.0-AltPrompt+AltRounds"
    assert manifest["provenance"]["calls"] == {"evaluator": 4, "executor": 8}
    for row in read_rows(letter / "calls.jsonl"):
        assert row["role"] == "executor" or row["answer"] in ("A", "B")
        assert row["served_model"] == MODEL.partition("/")[2]
