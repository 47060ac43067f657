"""Writing what changed and nothing else, so that a rebuild leaves every other file alone."""

import os
from pathlib import Path
from typing import Final

from epc.errors import UsageError, WorldError

# Stands in a folder that the site's builds may empty; holds the address that it was built for.
MARK: Final = ".epc-site"


class Folder:
    """A folder that is brought to hold exactly what is put into it.

    Files that are there already with the same content are not written again; what was not put is
    removed at the end. A folder that somebody else filled is refused. On a disk that does not tell
    capitals from small letters the first of two such names stays.

    Raises: UsageError if the folder is somebody else's; WorldError if the disk fails.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._put: set[str] = {MARK}
        if path.exists() and (not path.is_dir() or (any(path.iterdir()) and not _is_ours(path))):
            raise UsageError(
                f"{path} holds something else\n"
                "  fix: name an empty folder, or one that `epc site build` made"
            )
        path.mkdir(parents=True, exist_ok=True)
        (path / MARK).touch()
        self._folds = (path / MARK.upper()).exists()
        self._folded = {MARK}

    def put(self, name: str, content: str | bytes) -> bool:
        """Have a file hold this, and return whether it did not before."""
        if self._folds and name not in self._put and name.casefold() in self._folded:
            return False
        self._folded.add(name.casefold())
        return put(self._place(name), content.encode() if isinstance(content, str) else content)

    def _place(self, name: str) -> Path:
        self._put.add(name)
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def tidy(self) -> None:
        """Remove what was not put."""
        for parent, folders, files in os.walk(self.path, topdown=False):
            here = Path(parent)
            for name in files:
                if (here / name).relative_to(self.path).as_posix() not in self._put:
                    (here / name).unlink()
            for name in folders:
                if not any((here / name).iterdir()):
                    (here / name).rmdir()


def put(path: Path, wanted: bytes) -> bool:
    """Have a file hold this, and return whether it did not before.

    Raises: WorldError if the disk fails.
    """
    try:
        if path.is_file() and path.read_bytes() == wanted:
            return False
        path.write_bytes(wanted)
    except OSError as error:
        raise WorldError(f"cannot write {path}: {error.strerror or error}") from error
    return True


def _is_ours(path: Path) -> bool:
    return (path / MARK).is_file()
