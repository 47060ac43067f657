"""No secret in anything that is written or shown."""

from base64 import b64encode

import pytest

from epc.engine import secrets
from epc.engine.remote import public_address
from epc.engine.secrets import redact

CANARY = "sk-canary-0123456789"


@pytest.mark.parametrize(
    "variable", ["OPENAI_API_KEY", "HF_TOKEN", "my_secret", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"]
)
def test_values_of_secret_variables_are_replaced_by_their_name(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, CANARY)

    text = redact(f"key {CANARY}, header: Bearer {CANARY}; end")

    assert text == f"key [{variable}], header: Bearer [{variable}]; end"


def test_other_variables_and_short_values_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_PLACE", "somewhere")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("VLLM_BASE_URL", "http://host/v1")

    text = redact("none is somewhere at http://host/v1")

    assert text == "none is somewhere at http://host/v1"


def test_a_secret_inside_a_longer_secret_leaves_nothing_of_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "abcdef")
    monkeypatch.setenv("B_KEY", "abcdef-the-rest")

    assert redact("abcdef-the-rest abcdef") == "[B_KEY] [A_KEY]"


def test_user_and_password_of_an_address_are_secret_however_they_are_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", "https://user:p%40ssword@host:8000/v1")
    sent = b64encode(b"user:p@ssword").decode()

    text = redact(f"https://user:p%40ssword@host:8000/v1 p@ssword user:p@ssword Basic {sent}")

    assert "p@ssword" not in text
    assert "p%40ssword" not in text
    assert sent not in text
    assert "host:8000" in text


@pytest.mark.parametrize(
    ("end", "hidden"),
    [
        (f"/{CANARY}/v1", [CANARY]),
        ("/v1/9f86d081884c7d659a2feaa0c55ad015/openai", ["9f86d081884c7d659a2feaa0c55ad015"]),
        ("/123e4567-e89b-12d3-a456-426614174000/v1", ["123e4567-e89b-12d3-a456-426614174000"]),
        ("/token/open-sesame/v1", ["open-sesame"]),
        ("/v1?api-version=2024-06-01&key=open%20sesame", ["open sesame", "open%20sesame"]),
        (
            "/v1?code=0123456789abcdefgh#access_token=open-sesame",
            ["0123456789abcdefgh", "open-sesame"],
        ),
    ],
)
def test_what_opens_an_address_in_its_path_or_query_is_secret(
    monkeypatch: pytest.MonkeyPatch, end: str, hidden: list[str]
) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", f"https://host{end}")

    for secret in hidden:
        assert secret not in redact(f"https://host{end} or {secret}")
        assert secret not in public_address(f"https://host{end}")


@pytest.mark.parametrize(
    "path", ["/v1", "/openai/deployments/gpt-4o-mini-2024-07-18", "/compatible-mode/v1beta"]
)
def test_the_words_of_a_path_are_no_secrets(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", f"https://host{path}?api-version=2024-06-01")

    assert redact(f"{path} of 2024-06-01") == f"{path} of 2024-06-01"
    assert public_address(f"https://host{path}") == f"https://host{path}"


def test_a_broken_address_is_no_second_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", "http://user@[::1/v1")

    assert redact("text") == "text"


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://user:pass@host/v1", "https://host/v1"),
        ("https://key@host/v1", "https://host/v1"),
        ("https://host/v1?api-key=secret#part", "https://host/v1"),
        ("http://host:8080/v1", "http://host:8080/v1"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("http://a:b@[2001:db8::1]/v1", "http://[2001:db8::1]/v1"),
        ("HTTP://HOST.example/v1", "http://host.example/v1"),
    ],
)
def test_epc_2_2_an_address_is_published_without_what_opens_it(url: str, public: str) -> None:
    assert public_address(url) == public


def test_a_secrets_forms_are_worked_out_once_until_the_environment_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run redacts each part of thousands of replies."""
    looked_at: list[str] = []

    def forms(secret: str) -> set[str]:
        looked_at.append(secret)
        return {secret}

    monkeypatch.setattr(secrets, "_forms", forms)
    for value in (CANARY, CANARY[::-1]):
        monkeypatch.setenv("A_KEY", value)
        assert [redact(value) for _ in range(3)] == ["[A_KEY]"] * 3

    assert looked_at.count(CANARY) == looked_at.count(CANARY[::-1]) == 1
