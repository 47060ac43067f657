"""The page "Your own question, step by step": every command on it, in its order."""

import re
import shlex
import shutil
from pathlib import Path

from engine_support import environment, epc

DOCS = Path(__file__).parents[2] / "site" / "docs"
PAGE = (DOCS / "tutorial.md").read_text("utf-8")
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def commands() -> list[tuple[str, int]]:
    """Return the commands of the page, each with the exit code that the page promises."""
    lines = [
        line for kind, text in BLOCK.findall(PAGE) if kind == "sh" for line in text.split("\n")
    ]
    found = [re.fullmatch(r"(epc .*?)(?:  # exits (\d):.*)?", line) for line in lines if line]
    assert None not in found
    return [(match[1], int(match[2] or 0)) for match in found if match]


def printed() -> list[str]:
    """Return what the page says that its design commands print, line by line."""
    blocks = [text for kind, text in BLOCK.findall(PAGE) if not kind]
    return [line for text in blocks[:2] for line in text.splitlines()]


def test_every_command_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    """The executor is the mock: the embedded one takes minutes, and the commands are the same."""
    shutil.copy(DOCS / "assets" / "three-domains.yaml", tmp_path)
    out: list[str] = []
    for line, code in commands():
        words = line.replace("local/smollm2-135m", "mock/deterministic")
        words = words.replace("_on_smollm2-135m", "_on_deterministic")
        done = epc(*shlex.split(words)[1:], cwd=tmp_path, env=environment())
        assert done.returncode == code, (line, done.stderr)
        out += done.stdout.splitlines()

    assert [line for line in printed() if line not in out] == []
    for title in ("transfer regret, points of win rate", "p value of both directions, by Holm"):
        assert any(line.strip().startswith(title) for line in out), title
