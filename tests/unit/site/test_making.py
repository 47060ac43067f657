"""Pictures that are drawn while the site is built: each file is kept for the page that shows it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.site import making
from epc.site.making import Making
from epc.site.pages import EvaluatorPage


def test_a_picture_s_file_is_kept_for_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def hung(charts: str, work: Path, put: Any) -> str:
        put(f"{charts}.svg", f"<svg> {work.name}")
        return f"{charts} hung"

    monkeypatch.setattr(making, "hung", hung)
    monkeypatch.setattr(making, "charts_of_judged", lambda _: "judged")
    monkeypatch.setattr(making, "charts_of_evaluator", lambda *_: "lived")
    stub: Any = None
    pages = Making(documents=stub, work=Path("work"), sources=stub, target=stub, last=stub)
    evaluator: Any = EvaluatorPage.__new__(EvaluatorPage)

    def drawn(place: str, page: Any) -> str:
        each: Any = SimpleNamespace(place=place, site=SimpleNamespace(evidence=None))
        return pages._drawn(each, page)

    assert drawn("evaluators/GPT/", evaluator) == "lived hung"
    assert drawn("snapshots/v1.0-X/", SimpleNamespace()) == "judged hung"
    assert pages.pictures == {
        "evaluators/GPT/": {"lived.svg": "<svg> pictures"},
        "snapshots/v1.0-X/": {"judged.svg": "<svg> pictures"},
    }
