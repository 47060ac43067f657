"""Addresses asked over a real loopback: gone only where a server, or nobody, says so."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from registry_support import Checkout, generation_record, life_record
from web_support import listening

from epc.errors import WorldError
from epc.registry.reading import of_folder
from epc.registry.upkeep.links import addresses, ask_all

STATUS = {"/there": 200, "/moved": 301, "/gone": 404, "/away": 410, "/robots": 403, "/broken": 500}


class _Server(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        path = self.path.removeprefix("http://host.net")
        self.asked.append(path)
        self.send_response(STATUS[path])
        if path == "/moved":
            self.send_header("Location", "http://host.net/there")
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Have http://host.net answered by a proxy here, and return what it was asked."""
    got: list[str] = []
    with listening(_Server, asked=got) as address:
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.delenv("no_proxy", raising=False)
        yield got


def pages_by_link(*paths: str) -> dict[str, tuple[str, ...]]:
    return {f"http://host.net{path}": ("README.md",) for path in paths}


def test_an_address_is_gone_only_where_its_server_says_so(asked: list[str]) -> None:
    links = ask_all(pages_by_link(*STATUS))

    assert {link.address.removeprefix("http://host.net"): link.state for link in links} == {
        "/there": "answers",
        "/moved": "answers",
        "/gone": "gone",
        "/away": "gone",
        "/robots": "unclear",
        "/broken": "unclear",
    }


def test_what_did_not_answer_is_asked_once_more_and_what_did_is_not(asked: list[str]) -> None:
    ask_all(pages_by_link("/there", "/gone"))

    assert sorted(asked) == ["/gone", "/gone", "/there"]


def test_where_nothing_answers_it_is_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    with pytest.raises(WorldError, match="none of 1 addresses answers"):
        ask_all(pages_by_link("/there"))


def test_nothing_to_ask_is_nothing_wrong() -> None:
    assert ask_all({}) == []


def test_addresses_are_found_in_documents_records_and_cards(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    source = {"source": "https://maker.net/models", "via": "read", "seen": None}
    checkout.evaluator(generation_record("Judge-1", life_record(checked=source)))
    work = {"work": "w", "place": "p", "address": "https://paper.net/1", "as_printed": "x"}
    checkout.publish(citation=work)
    (tmp_path / "site" / "docs" / "adr").mkdir(parents=True)
    (tmp_path / "site" / "docs" / "adr" / "a.md").write_text(
        "See [this](https://page.net/a_(b)), **https://bold.net/**, `curl https://code.net/v1`;\n"
        "https://example.org/x https://sub.example http://localhost:80 http://127.0.0.1:8000/v1\n"
        "http://169.254.169.254/latest http://10.0.0.1 http://[::1]/ https://... http://[bad\n"
    )

    found = addresses(tmp_path, of_folder(tmp_path))

    assert found == {
        "https://bold.net/": ("site/docs/adr/a.md",),
        "https://code.net/v1": ("site/docs/adr/a.md",),
        "https://maker.net/models": ("evaluator Judge-1",),
        "https://page.net/a_(b)": ("site/docs/adr/a.md",),
        "https://paper.net/1": ("v1.0-Judge-1",),
    }
