"""The notebooks of the documents, run again where their cells or the program changed.

    python tests/studies/notebook.py

Writes site/docs/assets/*.ipynb; tests run them and compare their outputs.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from notebook_support import executed

HOME = Path(__file__).parents[2] / "site" / "docs" / "assets"


def main() -> None:
    os.chdir(HOME)
    for path in sorted(HOME.glob("*.ipynb")):
        written = json.dumps(executed(json.loads(path.read_text("utf-8"))), indent=1)
        path.write_text(f"{written}\n", "utf-8")


if __name__ == "__main__":
    main()
