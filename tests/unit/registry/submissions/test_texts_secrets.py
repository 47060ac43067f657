"""Secrets are found by shape and by value, and never repeated."""

import json
import time

import pytest
from attack_support import attack

from epc.registry.submissions.texts import scan_lines

# Put together here, so that no scanner of this repository takes them for real ones.
KEYS = {
    "an OpenAI, Anthropic or OpenRouter key": [
        "sk-" + "proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8t",
        "sk-" + "ant-api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8t-_x",
        "sk-" + "or-v1-" + "0123456789abcdef" * 4,
    ],
    "an Amazon key id": ["AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE"],
    "a Google key": ["AIza" + "SyA1234567890abcdefghijklmnopqrstuv"],
    "a GitHub token": ["ghp_" + "a1B2" * 9, "github_pat_" + "a1B2" * 11],
    "a GitLab token": ["glpat-" + "a1B2" * 5],
    "a Slack token": ["xoxb-" + "1234567890-abc"],
    "a Hugging Face token": ["hf_" + "aB1" * 11],
    "a JSON web token": [
        "eyJ" + "hbGciOiJIUzI1" + ".eyJ" + "zdWIiOiIxMjM0" + "." + "dozjgNryP4J3jVm"
    ],
    "a bearer token": ["Bearer " + "0123456789abcdefghijkl", "bearer " + "a.b-c_d~e/f+g0123456789"],
    "a private key": ["-----BEGIN RSA " + "PRIVATE KEY-----", "-----BEGIN " + "PRIVATE KEY-----"],
    "a user and password in an address": ["https://me:" + "hunter2@example.org/v1"],
}


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind, keys in KEYS.items() for key in keys]
)
@pytest.mark.parametrize("around", ['{{"a":"{}"}}', "key={}", "{}", '{{"a":"x\\n{}"}}', "(\\t{})"])
def test_a_key_is_found_by_its_shape_wherever_it_stands(kind: str, key: str, around: str) -> None:
    lines = [b'{"harmless": 1}\n', around.format(key).encode()]

    assert list(scan_lines(lines, {})) == [(2, kind)]


def test_a_key_spelt_in_escapes_is_found() -> None:
    key = KEYS["a GitHub token"][0]
    spelt = "".join(f"\\u{ord(char):04x}" for char in key)

    assert list(scan_lines([f'{{"a":"{spelt}"}}'.encode()], {})) == [(1, "a GitHub token")]


@pytest.mark.parametrize(
    "harmless",
    [
        "a task-force of risk-averse desk-bound clerks",
        "sk-learn",
        "sha256: 85c92c0e844173499b5985c92c0e844173499b59",
        "The bearer of this letter may pass without further questions asked",
        "https://example.org:8000/v1",
        "Akia is a town",
        '"id":"00112233445566778899","occasion":"12/visual_to_text/18/baseline"',
    ],
)
def test_ordinary_words_are_no_secrets(harmless: str) -> None:
    assert list(scan_lines([harmless.encode()], {})) == []


def test_values_of_the_environment_are_found_also_as_json_writes_them() -> None:
    secrets = {'pass"word\\1': "MY_PASSWORD", "qwertz-uiop": "SOME_API_KEY"}
    lines = [json.dumps({"a": value}).encode() for value in secrets]

    assert list(scan_lines(lines, secrets)) == [
        (1, "the value of MY_PASSWORD"),
        (2, "the value of SOME_API_KEY"),
    ]


@pytest.mark.parametrize("plain", ["short", "aaaaaaaaaaaa", "abababab"])
def test_a_value_that_is_too_plain_to_be_a_secret_is_not_looked_for(plain: str) -> None:
    assert list(scan_lines([plain.encode()], {plain: "A_KEY"})) == []


@attack("bounds")
@pytest.mark.parametrize(
    "hostile",
    ["sk-", "-eyJ", "eyJ", "a+", "://a:", "Bearer ", "-----BEGIN ", "gh", "\\u0073", "sk-a-", "x:"],
)
def test_a_hostile_megabyte_is_searched_in_time(hostile: str) -> None:
    """Time grows with the line: none of the shapes backtracks over it."""
    line = (hostile * (2**20 // len(hostile))).encode()
    began = time.process_time()

    list(scan_lines([line], {"qwertz-uiop": "A"}))

    assert time.process_time() - began < 8
