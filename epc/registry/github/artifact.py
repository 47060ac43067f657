"""One small file out of what a workflow uploaded. Whatever it is, it is nothing but bytes here."""

import io
import zipfile
from typing import Final

from epc.errors import WorldError
from epc.registry.github.gh import api, download

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
