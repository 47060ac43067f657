"""Where a file of the site stands, and writing only those that changed."""

import filecmp
import os
import re
import shutil
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError, WorldError
from epc.site.pages import Site

Content = str | bytes | Path  # a path is that of a file which is copied

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
        if path.exists() and (not path.is_dir() or (any(path.iterdir()) and not _is_ours(path))):
            raise UsageError(
                f"{path} holds something else\n"
                "  fix: name an empty folder, or one that `epc admin site build` made"
            )
        path.mkdir(parents=True, exist_ok=True)
        (path / MARK).touch()
        self._folds = (path / MARK.upper()).exists()
        self._wanted = {str(path / MARK)}
        self._folded = {str(path / MARK).casefold()}

    def put(self, name: str, content: Content) -> bool:
        """Have a file hold this, and return whether it did not before."""
        path = self.path / name
        folded = str(path).casefold()
        if self._folds and str(path) not in self._wanted and folded in self._folded:
            return False
        self._wanted.add(str(path))
        self._folded.add(folded)
        path.parent.mkdir(parents=True, exist_ok=True)
        return put(path, content.encode() if isinstance(content, str) else content)

    def tidy(self) -> None:
        """Remove what was not put."""
        needed: set[str] = set()
        for folder in {os.path.dirname(path) for path in self._wanted}:  # noqa: PTH120  (of thousands)
            while folder and folder not in needed:
                needed.add(folder)
                folder = os.path.dirname(folder)  # noqa: PTH120, PLW2901
        for parent, folders, files in os.walk(self.path, topdown=False):
            for name in files:
                if f"{parent}{os.sep}{name}" not in self._wanted:
                    Path(parent, name).unlink()
            for name in folders:
                if f"{parent}{os.sep}{name}" not in needed:
                    Path(parent, name).rmdir()


def put(path: Path, content: bytes | Path) -> bool:
    """Have a file hold this, or what another one holds, and return whether it did not before.

    Raises: WorldError if the disk fails.
    """
    try:
        if isinstance(content, Path):
            if path.is_file() and filecmp.cmp(content, path, shallow=False):
                return False
            shutil.copyfile(content, path)
        elif path.is_file() and path.read_bytes() == content:
            return False
        else:
            path.write_bytes(content)
    except OSError as error:
        raise WorldError(f"cannot write {path}: {error.strerror or error}") from error
    return True


def _is_ours(path: Path) -> bool:
    return (path / MARK).is_file()


_HERE: Final = "this checkout"
# In the repository's own documents a link to its root; mkdocs knows nothing outside of them.
_LINK: Final = re.compile(r"\[([^\]]+)\]\(\.\./\.\./\)")
_WORDS: Final = re.compile(r"\b(ADDRESS|REPOSITORY)\b")
_DOCUMENTS: Final = "site/docs"


def addressed(site: Site, path: Path) -> str:
    """Return a document with the addresses that are known.

    Links to the repository's root lead to it on the web, or say that it is this checkout. ADDRESS
    and REPOSITORY become the addresses of site and repository; what is unknown stays a word.
    """
    values = {"ADDRESS": site.address.rstrip("/")}
    link = _HERE
    if site.repository:
        values["REPOSITORY"] = site.repository.address
        link = rf"[\1]({site.repository.address})"
    text = _LINK.sub(link, path.read_text("utf-8"))
    return _WORDS.sub(lambda word: values.get(word[0]) or word[0], text)


def settings(site: Site) -> dict[str, Any]:
    """Return what mkdocs is told of addresses: nothing of those that are not known."""
    options: dict[str, Any] = {"copyright": _origin(site)}
    if site.address:
        options["site_url"] = site.address
    if site.repository:
        repository = site.repository
        options |= {"repo_url": repository.address, "repo_name": repository.name}
        # mkdocs would guess a branch if it were told nothing.
        options["edit_uri"] = f"{repository.edit}/{_DOCUMENTS}/" if repository.edit else ""
    return options


def _origin(site: Site) -> str:
    """Return what stands at every page's end: where it is from, and where a fault is reported."""
    repository = site.repository
    if repository is None:
        return f"Built from {_HERE}."
    fault = f' <a href="{repository.issues}">Report a fault</a>.' if repository.issues else ""
    return f'Built from <a href="{repository.address}">{repository.name}</a>.{fault}'
