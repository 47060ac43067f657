"""What a pull request touches: one folder below `submissions/`, and nothing else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from epc.errors import UsageError, able_to
from epc.printable import shown
from epc.records.findings import Findings
from epc.registry.kinds.adapter import adapter
from epc.registry.kinds.table import KINDS
from epc.registry.names import skeleton
from epc.registry.submissions import layout

_LARGEST: Final = 2**20
MOST_FOREIGN: Final = 100
_README: Final = f"{layout.FOLDER}/{layout.README}"
_PARTS: Final = 3  # submissions, slug, file


def read_changed(path: Path) -> list[str]:
    """Return the paths of a list that git made, one a line or separated by NUL.

    Raises: UsageError if it is too long to be one submission's; WorldError if it cannot be read.
    """
    with able_to("read", path):
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} lists more than {_LARGEST:,} bytes of paths")
        content = path.read_bytes()
    separator = b"\0" if b"\0" in content else b"\n"
    lines = content.split(separator)
    return [line.decode("utf-8", "surrogateescape") for line in lines if line]


def foreign(changed: Sequence[str], findings: Findings) -> tuple[list[str], set[str]]:
    """Return the paths outside submissions, and the names of the submissions that are touched.

    Whatever is not a file of the layout in one submission's folder is noted, unless the pull
    request offers nothing at all.
    """
    strangers, slugs = list[str](), set[str]()
    if not any(_is_offer(path) for path in changed):
        return [], slugs  # a pull request about something else, which no rule here is about
    known = [adapter(name).FILES for name, kind in KINDS.items() if kind.documents]
    for path in changed:
        parts = path.split("/")
        inside = parts[0] == layout.FOLDER and len(parts) >= _PARTS
        name = "/".join(parts[_PARTS - 1 :])
        if inside and not {"", ".", ".."} & set(parts):
            slugs.add(parts[1])
        if not inside or not any(files.admits(name) for files in known):
            strangers.append(path)
    for path in strangers[:MOST_FOREIGN]:
        problem = f"changes {shown(path)}, which is no file of a submission"
        remedy = f"offer {layout.FOLDER}/SLUG/ alone; change anything else in another pull request"
        findings.add(layout.ONE, shown(path), problem, remedy)
    if len(strangers) > MOST_FOREIGN:
        problem = f"changes {len(strangers):,} paths that are no files of a submission"
        findings.add(layout.ONE, "", problem, "offer a submission alone")
    if len(slugs) > 1:
        problem = f"changes {len(slugs)} submissions: {', '.join(sorted(map(shown, slugs))[:5])}"
        findings.add(layout.ONE, layout.FOLDER, problem, "offer each in a pull request of its own")
    return [shown(path) for path in strangers[:MOST_FOREIGN]], slugs


def _is_offer(path: str) -> bool:
    """Whether a path is below the folder of submissions, or one that could be taken for it."""
    top = path.partition("/")[0].strip('"')
    alike = not top.isascii() or skeleton(top) == skeleton(layout.FOLDER)
    return alike and path != _README
