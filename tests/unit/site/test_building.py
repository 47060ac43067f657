"""Pictures that are drawn while the site is built: each file beside the page that shows it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.site import building
from epc.site.building import _pictures
from epc.site.pages import EvaluatorPage


def test_a_picture_s_file_stands_in_its_page_s_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def hung(charts: str, work: Path, put: Any) -> str:
        put(f"{charts}.svg", "<svg>")
        return f"{charts} hung"

    monkeypatch.setattr(building, "hung", hung)
    monkeypatch.setattr(building, "charts_of_judged", lambda _: "judged")
    monkeypatch.setattr(building, "charts_of_evaluator", lambda *_: "lived")
    site: Any = SimpleNamespace(checkout=Path("there"), evidence=None)
    beside: dict[str, str] = {}
    hang: Any = _pictures(site, beside)
    evaluator: Any = EvaluatorPage.__new__(EvaluatorPage)
    object.__setattr__(evaluator, "name", "GPT")
    snapshot = SimpleNamespace(row=SimpleNamespace(tag="v1.0-X"))

    assert (hang(evaluator), hang(snapshot)) == ("lived hung", "judged hung")
    assert beside == {"evaluators/GPT/lived.svg": "<svg>", "snapshots/v1.0-X/judged.svg": "<svg>"}
