"""Which attacks the tests run, as the table of README.md beside this file: `--write` writes it."""

import contextlib
import io
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "conformance")]

from attack_support import KINDS  # noqa: E402  (it lies beside the tests)

README = Path(__file__).with_name("README.md")
_MARKED = re.compile(r"\battacks?\(")
_HEAD = """# The attack corpus

{total} attacks, each a case that the tests run; none may succeed. To add one, add a case to a
table of `tests/acceptance/submissions/`, or mark a test with `attack(kind)`. What pytest collects
is written here by `python tests/attacks/index.py --write`, and a test holds the page against it.
"""


class _Collected:
    """Takes every case down that carries the mark, by kind and test."""

    def __init__(self) -> None:
        self.cases: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            marked = item.get_closest_marker("attack")
            if marked is not None:
                test, _, case = item.nodeid.partition("[")
                text = test.rpartition("::test_")[2].replace("_", " ")
                self.cases[marked.args[0], test].append(case[:-1] or text)


def page() -> str:
    """Return the page, by what the tests collect."""
    found = _Collected()
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    files = [str(path) for path in paths if _MARKED.search(path.read_text("utf-8"))]
    options = ("--collect-only", "-p", "no:cacheprovider", "--rootdir", str(ROOT))
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = pytest.main([*options, *files], plugins=[found])
    assert code == 0, output.getvalue()
    return _written(found.cases)


def _written(cases: Mapping[tuple[str, str], list[str]]) -> str:
    lines = [_HEAD.format(total=sum(map(len, cases.values())))]
    for kind, meaning in KINDS.items():
        tests = {test: sorted(names) for (of, test), names in sorted(cases.items()) if of == kind}
        count = sum(map(len, tests.values()))
        lines += [f"## {kind}: {count}\n", f"What it is after: {meaning}.\n"]
        for test, names in tests.items():
            shown = (f"- `{name.replace('`', chr(39))}`" for name in names)
            lines += [f"`{test}` ({len(names)})\n", *shown, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        README.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
