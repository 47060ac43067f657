"""The page around a report: its head, its policy, its style."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Final

from epc import __version__
from epc.report.page.markup import Markup, element, joined

_STYLE: Final = "\n" + (files("epc.report.page") / "style.css").read_text("utf-8")
_DIGEST: Final = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"
)


def page(title: str, *content: Markup) -> str:
    """Return a whole HTML document."""
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        element("title", title),
        Markup(f"<style>{_STYLE}</style>"),
    )
    foot = element(
        "footer", f"Made by epc {__version__}. This file needs no script and no network."
    )
    body = element("body", element("main", *content), foot)
    return f"<!doctype html>\n{element('html', joined((head, body)), lang='en').text}\n"
