"""The page's steps for a stranger: AlpacaEval's figures from a clone, on an invented one."""

import re
import shlex
import subprocess
from pathlib import Path

from alpaca_support import alpaca
from registry_support import ROOT, Checkout, commit, generation_record, git, life_record
from site_support import epc

_PAGE = (ROOT / "site" / "docs" / "observed.md").read_text("utf-8")
_SECTION = _PAGE.split("## Rebuilding what is not kept here\n")[1].split("\n## ")[0]
_BLOCKS = re.findall(r"```(\w+)\n(.*?)```", _SECTION, re.DOTALL)
TAG = "v1.0-gpt-4-0613"


def published(folder: Path, source: Path) -> Checkout:
    """Return a registry with the recipe of the invented judge under the page's id."""
    checkout = Checkout(folder)
    lives = life_record(model="gpt-4-0613", aliases=["judge-0613"])
    checkout.evaluator(generation_record("gpt-4-0613", lives))
    checkout.init()
    file = folder.parent / "verdicts.jsonl"
    shape = ("--shape", "alpaca-eval", "--out", str(file))
    epc(folder, "observe", "import", str(source), *shape)
    arguments = ("--judge", "plain", "--generation", "gpt-4-0613", "--contributor", "A. Name")
    epc(folder, "admin", "snapshot", "publish", str(file), *arguments)
    return checkout


def test_a_stranger_rebuilds_alpaca_eval_by_the_steps_of_the_page(tmp_path: Path) -> None:
    """Address, commit and setting are the invented source's; the words are the page's."""
    source = alpaca(tmp_path / "source")
    git(source, "init", "--quiet")
    commit(source, "verdicts")
    checkout = published(tmp_path / "registry", source)
    own = {
        "https://github.com/tatsu-lab/alpaca_eval": str(source),
        "cd543a149df89434d8a54582c0151c0b945c3d20": git(source, "rev-parse", "HEAD").strip(),
        "alpaca_eval_gpt4_0613": "plain",
    }
    printed: list[str] = []
    for line in (line for kind, text in _BLOCKS if kind == "sh" for line in text.splitlines()):
        words = [own.get(word, word) for word in shlex.split(line, comments=True)]
        if words[0] == "git":
            clone = [*words, "alpaca_eval"] if words[1] == "clone" else words  # what git calls it
            subprocess.run(clone, cwd=checkout.folder, capture_output=True, check=True)
        else:
            printed += epc(checkout.folder, *words[1:]).stdout.splitlines()

    (promised,) = (text for kind, text in _BLOCKS if kind == "text")
    assert promised == f"{TAG}  as published\n"
    assert promised.strip() in printed
    # Of one question the winner is named twice; of three questions one has no readable answer.
    unreadable = [line.split()[4] for line in printed if "share of unreadable verdicts " in line]
    assert "0.333" in unreadable
    assert (checkout.folder / "alpaca_eval" / ".git").is_dir()
