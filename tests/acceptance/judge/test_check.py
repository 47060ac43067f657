"""`epc judge check RESPONSE`, as a user meets it."""

import json
from pathlib import Path

import pytest
from engine_support import epc
from judge_support import OUTPUT, SAMPLE, record, vectors
from msgspec.structs import asdict


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "reply.json").write_text(json.dumps(record()), "utf-8")
    (tmp_path / "sample.json").write_text(json.dumps(asdict(SAMPLE)), "utf-8")
    (tmp_path / "output.txt").write_text(OUTPUT, "utf-8")
    return tmp_path


WORDS = ("judge", "check", "reply.json", "--sample", "sample.json", "--output", "output.txt")


def test_a_valid_reply_is_clean(files: Path) -> None:
    done = epc(*WORDS, "--format", "json", cwd=files)

    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["valid"], document["flags"], document["findings"]) == (True, [], [])
    assert (document["verdict"], document["judge_verdict"]) == ("PASS", "PASS")
    assert epc(*WORDS, cwd=files).stdout.startswith("reply.json: valid\nverdict PASS")


@pytest.mark.parametrize("case", vectors("replies")[::25], ids=lambda case: str(case["id"]))
def test_the_command_answers_the_vectors(files: Path, case: dict[str, object]) -> None:
    given, expected = case["given"], case["expect"]
    assert isinstance(given, dict)
    assert isinstance(expected, dict)
    (files / "reply.json").write_bytes(given["reply"].encode("utf-8"))
    (files / "sample.json").write_text(json.dumps(given["sample"]), "utf-8")
    (files / "output.txt").write_text(given["output"], "utf-8", newline="")

    done = epc(*WORDS, "--format", "json", cwd=files)

    document = json.loads(done.stdout)
    assert {key: document[key] for key in expected} == expected
    assert done.returncode == (0 if expected["valid"] else 1)


def test_each_finding_has_its_place_clause_and_remedy(files: Path) -> None:
    (files / "reply.json").write_bytes(b"\xff\xfe\x00")

    done = epc(*WORDS, cwd=files)

    assert done.returncode == 1
    assert "UNPARSABLE_OUTPUT, JUDGE_REFUSAL_OR_EVASION" in done.stdout
    assert "fix: " in done.stdout


def test_a_reply_cannot_steer_the_terminal(files: Path) -> None:
    reply = {**record(), "verdict": "\x1b[2J\u202ePASS"}
    reply["scores"]["\x1b]0;title\x07"] = 2
    (files / "reply.json").write_text(json.dumps(reply), "utf-8")

    done = epc(*WORDS, cwd=files)

    assert done.returncode == 1
    assert not set(done.stdout) & set("\x1b\x07\u202e")


@pytest.mark.parametrize(
    ("sample", "says"),
    [
        ("{}", "JUDGE-0"),
        ("[", "not JSON"),
        (json.dumps({**asdict(SAMPLE), "method": "panel"}), "/method"),
        (json.dumps({**asdict(SAMPLE), "output_id": 3}), "/output_id"),
    ],
)
def test_a_sample_that_cannot_be_used_is_misuse(files: Path, sample: str, says: str) -> None:
    (files / "sample.json").write_text(sample, "utf-8")

    done = epc(*WORDS, cwd=files)

    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""


def test_a_reply_alone_is_misuse(files: Path) -> None:
    done = epc("judge", "check", "reply.json", cwd=files)

    assert done.returncode == 2
    assert "--sample and --output" in done.stderr
