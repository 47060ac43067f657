"""Asking GitHub through `gh`, which holds the token; no secret passes through here."""

import io
import json
import subprocess
import zipfile
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


# A report of one submission has some tens of kilobytes.
MAX_BYTES: Final = 2 * 2**20
_NOT_READ: Final = "the upload is not read"


def artifact(run: int, *, name: str, file: str) -> bytes:
    """Return the one file of an artifact that a workflow's run uploaded.

    Raises: WorldError if there is none, or it is anything but that one file of bearable size.
    """
    listed = api(f"actions/runs/{run}/artifacts?per_page=100")["artifacts"]
    uploads = [a for a in listed if a["name"] == name and not a["expired"]]
    if not uploads:
        raise WorldError(f"run {run} uploaded no {name}; see its log")
    newest = max(uploads, key=lambda a: int(a["id"]))
    if int(newest["size_in_bytes"]) > MAX_BYTES:
        raise WorldError(f"{_NOT_READ}: {name} has {newest['size_in_bytes']:,} bytes")
    return only_file(download(f"actions/artifacts/{int(newest['id'])}/zip", limit=MAX_BYTES), file)


def only_file(archive: bytes, file: str) -> bytes:
    """Return the one file of an archive, never written to disk and never longer than the limit.

    Raises: WorldError if the archive is damaged, holds anything else, or unpacks to too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            names = opened.namelist()
            if names != [file]:
                raise WorldError(f"{_NOT_READ}: it holds {len(names)} files, expected one, {file}")
            with opened.open(file) as member:
                content = member.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise WorldError(f"{_NOT_READ}: {error}") from error
    if len(content) > MAX_BYTES:
        raise WorldError(f"{_NOT_READ}: {file} unpacks to more than {MAX_BYTES:,} bytes")
    return content
