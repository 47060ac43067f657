"""Having mkdocs make the written sources into HTML, and mending its search."""

import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Final

from epc.errors import WorldError
from epc.records.strict_json import dumps
from epc.site import mkdocs_hook
from epc.site.writing import put

_TOLD: Final = re.compile(r"\x1b\[[0-9;]*m")
# The theme's search (lunr) names a node of its word graph by its letters and its neighbours'
# numbers, run together: "1" to node 23 and "12" to node 3 are the same name. Where words hold
# digits, it then knows words that are on no page, and a search for their beginning fails.
_NAME_OF_NODE: Final = re.compile(r"(\w)=\1\+(\w)\+(\w)\.id\}return \1")

# It fetches its index, most of a page's weight, before anybody searches; but not from a disk, where
# it waits until the search is opened. So it does everywhere.
_EAGER: Final = 'location.protocol!=="file:"'


def make_pages(sources: Path, html: Path, as_of: date) -> None:
    """Have mkdocs build the sources, every warning an error.

    It runs as a program of its own: it keeps state, and prints. A configuration beside the sources
    adds our hook, so that theirs stays one that any program can read.

    Raises: WorldError if the disk or mkdocs fails.
    """
    configured = sources.with_name("mkdocs.yml")
    put(configured, dumps(_hooked(sources)).encode())
    words = ["build", "--strict", "--quiet", "--config-file", str(configured)]
    moment = int(datetime.combine(as_of, time(), tzinfo=UTC).timestamp())
    quiet = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": str(moment)}
    try:
        done = subprocess.run(  # noqa: S603  (no shell; the words are ours)
            [sys.executable, "-m", "mkdocs", *words, "--site-dir", str(html.absolute())],
            env=os.environ | quiet,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise WorldError(f"cannot run mkdocs: {error.strerror or error}") from error
    if done.returncode:
        output = _TOLD.sub("", (done.stderr + done.stdout).decode(errors="replace")).strip()
        raise WorldError(f"mkdocs refused the pages:\n{output}")
    for worker in html.glob("assets/javascripts/workers/search.*.js"):
        code = worker.read_text("utf-8")
        put(worker, _NAME_OF_NODE.sub(r'\1=\1+\2+\3.id+","}return \1', code).encode())
    for bundle in html.glob("assets/javascripts/bundle.*.js"):
        put(bundle, bundle.read_text("utf-8").replace(_EAGER, "!1").encode())


def _hooked(sources: Path) -> dict[str, object]:
    """Return the sources' own configuration with our hook; its paths are from beside them."""
    return {
        "INHERIT": f"{sources.name}/mkdocs.yml",
        "docs_dir": f"{sources.name}/docs",
        "theme": {"custom_dir": f"{sources.name}/overrides"},
        "hooks": [str(Path(mkdocs_hook.__file__).absolute())],
    }
