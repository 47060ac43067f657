"""The page around a report: its head, its policy, its style."""

from base64 import b64encode
from hashlib import sha256
from typing import Final

from epc import __version__
from epc.report.page.markup import Markup, element, joined

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #16181d; --soft: #545a66; --line: #d5d9e0; --ground: #fff;
  --card: #f5f6f9; --accent: #0b5cad; --coupled: #a33a00; --none: #00684a; --unsure: #6b4e00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8e8ea; --soft: #b0b5c0; --line: #3b3f4e; --ground: #14161c; --card: #1e212a;
    --accent: #8cc2ff; --coupled: #ff9e5e; --none: #5fd3a8; --unsure: #f2c94c; }
  svg { & [fill="#000000" i], & [fill="#000" i] { fill: #e8e8ea; }
    & [stroke="#000000" i], & [stroke="#000" i] { stroke: #e8e8ea; }
    & [fill="#555555" i] { fill: #b8bac4; } & [stroke="#555555" i] { stroke: #b8bac4; }
    & [stroke="#dddddd" i] { stroke: #3b3f4e; } & [fill="#d9d9d9" i] { fill: #4a4e60; }
    & [fill="#0072b2" i] { fill: #56b4e9; } & [stroke="#0072b2" i] { stroke: #56b4e9; }
    & [fill="#d55e00" i] { fill: #e69f00; } & [stroke="#d55e00" i] { stroke: #e69f00; } } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--ground);
  font: 1rem/1.5 system-ui, "Helvetica Neue", Arial, sans-serif; }
main, footer { max-width: 68rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 2.5rem); }
footer { color: var(--soft); font-size: 0.85rem; }
h1 { font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0; } h3 { font-size: 1rem; margin: 0 0 0.3rem; }
p { margin: 0.4rem 0; } header p { color: var(--soft); overflow-wrap: anywhere; }
.word { border-left: 0.4rem solid var(--tone); padding: 0.2rem 0 0.2rem 1rem; margin: 1.5rem 0; }
.word strong { display: block; color: var(--tone); font-size: clamp(1.6rem, 6vw, 2.4rem);
  line-height: 1.15; letter-spacing: -0.01em; }
.word p { font-size: 1.1rem; max-width: 46rem; }
.coupled, .drifted { --tone: var(--coupled); }
.no_coupling_beyond_margin, .same { --tone: var(--none); }
.no_detectable_coupling, .inconclusive, .collapsed, .no_verdicts_counted, .cannot_tell {
  --tone: var(--unsure); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
  gap: 1rem; margin: 1rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
  padding: 0.9rem 1.1rem; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  gap: 1.5rem 2.5rem; margin: 1.5rem 0; align-items: start; }
figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: 0.5rem; }
figure p { color: var(--soft); font-size: 0.85rem; }
svg { display: block; width: 100%; max-width: 34rem; height: auto; overflow: visible; }
svg text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; }
dl { display: grid; grid-template-columns: minmax(6.5rem, max-content) 1fr; gap: 0.25rem 1rem;
  margin: 0.6rem 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; margin: 0.6rem 0; } li { margin: 0.3rem 0; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: 0.7rem 0; }
details:last-of-type { border-bottom: 1px solid var(--line); }
summary { cursor: pointer; color: var(--accent); } summary h2 { display: inline; }
details > :not(summary) { margin-left: 1.1rem; }
details h3 { margin-top: 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.3rem 1.1rem 0.3rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 400; white-space: pre; }
code, pre { font: 0.9em/1.5 ui-monospace, "Liberation Mono", monospace; overflow-wrap: anywhere; }
pre { background: var(--card); border-radius: 0.4rem; padding: 0.7rem 0.9rem;
  white-space: pre-wrap; }
.error, .warning { color: var(--coupled); font-weight: 600; } .warning { color: var(--unsure); }
.yes, .no, .unknown { color: var(--none); font-weight: 600; } .no { color: var(--coupled); }
.unknown { color: var(--unsure); }
.remedy { color: var(--soft); }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.5rem; }
  details > :not(summary) { margin-left: 0; } }
@page { size: A4; margin: 16mm; }
@media print { :root { color-scheme: light; } main, footer { max-width: none; padding: 0; }
  body { font-size: 10pt; } .card, figure, tr { break-inside: avoid; } summary { color: inherit; }
  .pictures { grid-template-columns: 1fr 1fr; } .cards { grid-template-columns: 1fr 1fr; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .scroll { overflow: visible; } table { font-size: 8pt; } td { overflow-wrap: anywhere; } }
"""
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
