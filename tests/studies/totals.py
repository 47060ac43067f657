"""Write how many recorded verdicts are published into the pages that say so.

The registry's snapshots give the sentence (`epc.registry.data.totals_text`). A test fails while a
page says something else; this program writes them again:

    .venv/bin/python tests/studies/totals.py
"""

import re
from pathlib import Path
from typing import Final

from epc.registry.data import totals_text
from epc.registry.reading import open_registry

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = tuple(ROOT / "site" / "docs" / name for name in ("data.md", "observed.md"))
BEGIN: Final = "<!-- totals: begin -->"
END: Final = "<!-- totals: end -->"


def with_totals(text: str) -> str:
    """Return a page with the totals of today between its marks."""
    sentence = totals_text(open_registry(str(ROOT)))
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{sentence}\n\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_totals(page.read_text("utf-8")), "utf-8")
        print(page)
