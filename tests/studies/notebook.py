"""The notebooks of the documents, run again where their cells or the program changed.

    python tests/studies/notebook.py

Writes site/docs/assets/*.ipynb, and of the first the page site/docs/notebook.md with its picture;
tests run them and compare all of it.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from notebook_support import PICTURE, as_page, executed

DOCS = Path(__file__).parents[2] / "site" / "docs"
HOME = DOCS / "assets"


def main() -> None:
    os.chdir(HOME)
    for path in sorted(HOME.glob("*.ipynb")):
        written = executed(json.loads(path.read_text("utf-8")))
        path.write_text(f"{json.dumps(written, indent=1)}\n", "utf-8")
    page, picture = as_page(json.loads((HOME / "analysis.ipynb").read_text("utf-8")))
    (DOCS / "notebook.md").write_text(page, "utf-8")
    (DOCS / PICTURE).write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
