"""What the commands of the pages print now, written below them: `make docs-output`.

python tests/studies/page_outputs.py [PAGE...]
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from pages_folder_support import PAGES, cloned, shell, taken_back
from pages_support import blocks, regenerated


def main() -> None:
    pages = [Path(name).resolve() for name in sys.argv[1:]] or PAGES
    with tempfile.TemporaryDirectory() as home:
        clone = cloned(Path(home))
        for number, page in enumerate(pages):
            text = page.read_text("utf-8")
            if any(block.shown for block in blocks(text)):
                place = Path(home) / str(number)
                place.mkdir()
                with taken_back(clone), shell(clone, place) as typed:
                    page.write_text(regenerated(text, typed), "utf-8")


if __name__ == "__main__":
    main()
