"""What the files of a run folder are called and how their rows are made."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from records_support import Run

from epc.errors import WorldError
from epc.protocol.config import Decoding
from epc.records.layout import (
    CallNames,
    decoding_json,
    describe,
    digest,
    weight_rows,
    write_lines,
)
from epc.records.strict_json import dumps_line


def call_id(
    *, role: str, model: dict[str, Any], decoding: dict[str, Any], prompt: str, occasion: str | None
) -> str:
    return CallNames(role, model, decoding).name(prompt, occasion)


MODEL = {
    "model": "m",
    "version": None,
    "endpoint": "e",
    "gateway": None,
    "details": {"b": 1, "a": 2},
}
ASKED: dict[str, Any] = {
    "role": "evaluator",
    "model": MODEL,
    "decoding": {"temperature": 0.0},
    "prompt": "é?",
    "occasion": None,
}


def test_a_calls_name_is_the_start_of_the_sha_256_of_what_was_asked() -> None:
    text = (
        '{"decoding":{"temperature":0.0},"model":{"details":{"a":2,"b":1},"endpoint":"e",'
        '"gateway":null,"model":"m","version":null},"occasion":null,"prompt":"é?",'
        '"role":"evaluator"}\n'
    )

    assert call_id(**ASKED) == hashlib.sha256(text.encode()).hexdigest()[:20]


@pytest.mark.parametrize(
    "change",
    [
        {"role": "executor"},
        {"model": {**MODEL, "version": "2"}},
        {"model": {**MODEL, "details": {"a": 2, "b": 2}}},
        {"model": {**MODEL, "endpoint": "f"}},
        {"model": {**MODEL, "gateway": "g"}},
        {"decoding": {"temperature": 0.5}},
        {"prompt": "e?"},
        {"occasion": "0/text/0/evaluation"},
    ],
)
def test_epc_2_2_another_model_prompt_or_occasion_is_another_call(change: dict[str, Any]) -> None:
    assert call_id(**{**ASKED, **change}) != call_id(**ASKED)


def test_what_a_manifest_says_beside_the_identity_does_not_rename_a_call() -> None:
    more = {**MODEL, "measurement_date": "2026-07-02", "method": "prompt"}

    assert call_id(**{**ASKED, "model": more}) == call_id(**ASKED)


def test_a_decoding_stands_as_plain_json() -> None:
    decoding = Decoding(temperature=0.0, max_tokens=10, stop=("\n",))

    assert decoding_json(decoding) == {
        "temperature": 0.0,
        "max_tokens": 10,
        "top_p": None,
        "stop": ["\n"],
        "constraint": None,
    }


def test_epc_2_5_b_weights_are_listed_per_seed_phase_and_strategy() -> None:
    phases = ("text", "visual", "text_to_visual", "visual_to_text")
    record = {"seed": 4, "weights": {phase: {"x": 0.25, "y": 0.75} for phase in phases}}

    rows = list(weight_rows([record]))

    assert len(rows) == 8
    assert rows[1] == {"seed": 4, "phase": "text", "strategy": "y", "weight": 0.75}
    assert [row["phase"] for row in rows[::2]] == list(phases)


def test_epc_2_5_b_a_run_holds_one_weight_a_seed_phase_and_strategy(flip: Run) -> None:
    stated = {
        (record["seed"], phase, name, weight)
        for record in flip.manifest()["results"]["per_seed"]
        for phase, weights in record["weights"].items()
        for name, weight in weights.items()
    }
    rows = flip.rows("weights")

    assert len(rows) == len(stated) == 3 * 4 * 11
    assert {(r["seed"], r["phase"], r["strategy"], r["weight"]) for r in rows} == stated


def test_a_digest_counts_bytes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"a\nb\nc")

    assert digest(path) == {
        "sha256": hashlib.sha256(b"a\nb\nc").hexdigest(),
        "bytes": 5,
        "rows": 2,
    }


def test_a_digest_of_what_is_not_there_is_the_worlds_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="cannot read"):
        digest(tmp_path / "none")


def test_the_manifest_describes_its_raw_files(flip: Run) -> None:
    raw = describe(flip.folder)

    assert raw == flip.manifest()["raw"]
    assert {name: entry["path"] for name, entry in raw.items()} == {
        "trials": "trials.jsonl",
        "calls": "calls.jsonl",
        "weights": "weights.jsonl",
    }
    assert raw["trials"]["rows"] == 3 * 4 * 5


def test_rows_are_canonical_lines(tmp_path: Path) -> None:
    write_lines(tmp_path, "weights", map(dumps_line, [{"b": 1, "a": 0.1}]))

    assert (tmp_path / "weights.jsonl").read_bytes() == b'{"a":0.1,"b":1}\n'


@pytest.mark.parametrize("name", ["trials", "calls", "weights"])
def test_every_file_of_a_run_is_in_canonical_form(flip: Run, name: str) -> None:
    for line in (flip.folder / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        assert line == json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def test_a_complete_run_holds_these_files_and_no_journal(flip: Run) -> None:
    assert sorted(path.name for path in flip.folder.iterdir()) == [
        "calls.jsonl",
        "manifest.json",
        "run.json",
        "trials.jsonl",
        "weights.jsonl",
    ]
