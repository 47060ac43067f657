"""Keys of values lead to what a person finds by hand, and to nothing else."""

import pytest

from epc.registry.keys import key_of, parsed, value_in

DOCUMENT = {
    "models": [
        {"id": "a", "via": "x", "shutdown": "2026-01-02"},
        {"id": "a", "via": "y", "shutdown": "2026-03-04"},
    ],
    "gpt-4.1/mini": {"deprecation_date": "2027-01-01"},
}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (key_of("models", {"id": "a"}, "shutdown"), "2026-01-02"),
        (key_of("models", {"id": "a", "via": "y"}, "shutdown"), "2026-03-04"),
        (key_of("gpt-4.1/mini", "deprecation_date"), "2027-01-01"),
        ("models > id=b > shutdown", None),
        ("models", None),
        ("gone > deeper", None),
    ],
)
def test_a_key_leads_to_one_value_or_none(key: str, value: str | None) -> None:
    assert value_in(DOCUMENT, key) == value


def test_the_yaml_before_a_page_is_read_without_the_page() -> None:
    page = "---\na: 2026-01-02\nb:\n  - c: x\n---\n\n# Page: [no] {yaml\n---\n"

    assert value_in(parsed(page, "x.md"), "a") == "2026-01-02"
    assert value_in(parsed('{"a": "b"}', "x.json"), "a") == "b"


@pytest.mark.parametrize("path", ["x.json", "x.yaml"])
def test_what_is_no_document_is_named(path: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parsed("{a: [", path)
