"""Asking GitHub through `gh`, which holds the token; no secret passes through here."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any, Final

from epc.errors import WorldError

_PAGE: Final = 100
_MOST_PAGES: Final = 50
_KIND: Final = "Accept: application/vnd.github+json"


def api(path: str, *, method: str = "GET", body: Any = None) -> Any:
    """Return what GitHub answers below this repository; `gh` knows which one that is.

    Raises: WorldError if `gh` is missing, or GitHub refuses.
    """
    words = [*_words(path), "--method", method]
    stdin = None
    if body is not None:
        words += ["--input", "-"]
        stdin = json.dumps(body).encode()
    try:
        done = subprocess.run(words, input=stdin, capture_output=True, check=False)  # noqa: S603  (no shell)
    except FileNotFoundError as error:
        raise _missing() from error
    if done.returncode:
        raise _refused(path, done.stderr)
    try:
        return json.loads(done.stdout) if done.stdout.strip() else None
    except ValueError as error:
        raise WorldError(f"gh api {path}: the answer is not JSON: {error}") from error


def pages(path: str) -> Iterator[Any]:
    """Yield every entry of a list, over all of its pages."""
    join = "&" if "?" in path else "?"
    for page in range(1, _MOST_PAGES + 1):
        entries = api(f"{path}{join}per_page={_PAGE}&page={page}")
        yield from entries
        if len(entries) < _PAGE:
            return


def download(path: str, *, limit: int) -> bytes:
    """Return a file that GitHub holds, of at most `limit` bytes.

    Raises: WorldError if it is longer, `gh` is missing, or GitHub refuses.
    """
    try:
        process = subprocess.Popen(_words(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603  (no shell)
    except FileNotFoundError as error:
        raise _missing() from error
    with process:
        assert process.stdout
        assert process.stderr
        content = process.stdout.read(limit + 1)
        if len(content) > limit:
            process.kill()
            raise WorldError(f"gh api {path}: more than {limit:,} bytes; nothing of it is read")
        message = process.stderr.read()
    if process.returncode:
        raise _refused(path, message)
    return content


def _words(path: str) -> list[str]:
    return ["gh", "api", "--header", _KIND, f"repos/{{owner}}/{{repo}}/{path}".rstrip("/")]


def _missing() -> WorldError:
    return WorldError("gh is not installed\n  fix: install GitHub's command line and log in")


def _refused(path: str, message: bytes) -> WorldError:
    why = message.decode(errors="replace").strip() or "it said nothing"
    return WorldError(f"gh api {path} failed: {why}\n  fix: see `gh auth status`, and GH_REPO")
