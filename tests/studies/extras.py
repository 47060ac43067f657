"""The one table of extras: what each is for, what it brings, and whether `make install` has it.

python tests/studies/extras.py        writes it into site/docs/getting-started.md
"""

import re
from pathlib import Path

from epc.extras import BRINGS, EXTRAS, PURPOSES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "site" / "docs" / "getting-started.md"
BEGIN, END = "<!-- extras: begin -->", "<!-- extras: end -->"


def is_installed(extra: str) -> bool:
    """Return whether the lock file of `make install` has all of an extra."""
    locked = (ROOT / "requirements" / "run.lock").read_text("utf-8")
    mine = all(f"\n{package}==" in f"\n{locked}" for package in EXTRAS[extra])
    return mine and all(is_installed(brought) for brought in BRINGS.get(extra, ()))


def table() -> str:
    """Return the table."""
    lines = ["| extra | for | brings | after `make install` |", "|---|---|---|---|"]
    for extra, purpose in PURPOSES.items():
        brings = ", ".join(f"`{name}`" for name in BRINGS.get(extra, ())) or "-"
        there = "there" if is_installed(extra) else f"`pip install '.[{extra}]'`"
        lines.append(f"| `{extra}` | {purpose} | {brings} | {there} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """Return a page with the table of today."""
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{table()}\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
