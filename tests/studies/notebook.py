"""The notebook of a whole analysis, run again where its cells or the program changed.

    python tests/studies/notebook.py

Writes site/docs/assets/analysis.ipynb; a test runs it and compares its outputs.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from notebook_support import executed

NOTEBOOK = Path(__file__).parents[2] / "site" / "docs" / "assets" / "analysis.ipynb"


def main() -> None:
    os.chdir(NOTEBOOK.parent)
    written = json.dumps(executed(json.loads(NOTEBOOK.read_text("utf-8"))), indent=1)
    NOTEBOOK.write_text(f"{written}\n", "utf-8")


if __name__ == "__main__":
    main()
