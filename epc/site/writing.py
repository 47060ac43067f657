"""Where a file of the site stands, and what mkdocs is told of addresses."""

import re
import shutil
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError, able_to
from epc.site.pages import Site

Content = str | bytes | Path  # a path is that of a file which is copied

# Stands in a folder that the site's builds may empty; holds the address that it was built for.
MARK: Final = ".epc-site"


def require_ours(path: Path) -> None:
    """Refuse a folder that somebody else filled.

    Raises: UsageError.
    """
    if path.exists() and not (path / MARK).is_file() and (path.is_file() or any(path.iterdir())):
        raise UsageError(
            f"{path} holds something else\n"
            "  fix: name an empty folder, or one that `epc admin site build` made"
        )


class Folder:
    """A folder made anew; `address` is where it will be published, if it will.

    Of two names that a disk does not tell apart the first one stays.

    Raises: UsageError if the folder is somebody else's; WorldError if the disk fails.
    """

    def __init__(self, path: Path, address: str = "") -> None:
        require_ours(path)
        self.path = path
        with able_to("write", path):
            path.mkdir(parents=True, exist_ok=True)
            for entry in path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink()
        self.put(MARK, address)

    def put(self, name: str, content: Content) -> None:
        """Have a file hold this, or what another one holds."""
        path = self.path / name
        if path.exists():
            return
        with able_to("write", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, path)
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)


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
