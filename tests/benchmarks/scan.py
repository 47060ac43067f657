"""Processor time of `epc scan` over 5,000 files, as a ratio. It prints; it asserts nothing.

    python tests/benchmarks/scan.py

The yardstick is reading the same files and splitting them into words, without any question.
"""

import json
import re
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from epc.registry.reading import of_folder
from epc.registry.scan.files import Files
from epc.registry.scan.policy import Rule
from epc.registry.scan.scan import scan

ROOT = Path(__file__).parent.parent.parent
FILES, NAMING = 5_000, 50  # of all files, as many name a model


def build(folder: Path) -> None:
    """Write modules of 6 kB, each with words of its own, as this repository's are."""
    text = "\n".join(path.read_text() for path in sorted((ROOT / "epc" / "registry").glob("*.py")))
    for number in range(FILES):
        place = folder / f"package{number % 100}"
        place.mkdir(exist_ok=True)
        begins = number * 997 % (len(text) - 6_000)
        own = f"\nvalue_{number} = {json.dumps(f'word-{number}')}\n"
        name = "judge = 'gpt-4o-2024-08-06'\n" if number % (FILES // NAMING) == 0 else ""
        (place / f"module{number}.py").write_text(text[begins : begins + 6_000] + own + name)


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Print the ratio, and the seconds."""
    registry = of_folder(ROOT, figures=False)
    words = re.compile(r"\S+")
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        paths = [Path(folder)]
        rules = [Rule.parse("expired"), Rule.parse("unknown")]
        plain = seconds(
            lambda: [set(words.findall(text)) for _, text in Files(paths=paths).texts()]
        )
        whole = seconds(
            lambda: scan(
                registry, Files(paths=paths), rules=rules, ignore=(), as_of=date(2026, 11, 23)
            )
        )
    print(f"scan / reading and splitting {whole / plain:8.2f}   wanted < 3   of {plain:.2f} s")


if __name__ == "__main__":
    main()
