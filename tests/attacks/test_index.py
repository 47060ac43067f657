"""The corpus's page is what the tests run, and every kind has its attacks."""

import re
import subprocess
import sys
from pathlib import Path

from attack_support import KINDS

HERE = Path(__file__).parent


def test_the_page_lists_what_is_run_and_the_corpus_is_as_large_as_was_asked_for() -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "index.py")], capture_output=True, text=True, check=True
    )

    assert done.stdout == (HERE / "README.md").read_text("utf-8"), "index.py --write"
    counts = dict(re.findall(r"^## (\w+): (\d+)$", done.stdout, re.MULTILINE))
    assert list(counts) == list(KINDS)
    assert sum(map(int, counts.values())) >= 120
    assert min(map(int, counts.values())) >= 10
