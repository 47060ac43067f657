"""A folder whose parts are made where they have to be, and left as they are where they stand."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from epc.site.last_build import LastBuild
from epc.site.writing import Content, Folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Files that are made together, and the digest of all that they follow from."""

    name: str
    given: str
    make: Callable[[], Iterable[tuple[str, Content]]]


class Parts:
    """A folder that is brought to hold exactly the parts of this build.

    Raises: UsageError if the folder is somebody else's; WorldError if the disk fails.
    """

    def __init__(self, path: Path, last: LastBuild) -> None:
        self.folder = Folder(path)
        self.last = last
        self.changed = 0

    def bring(self, group: Group) -> None:
        """Have the folder hold a group's files: as they stand, or else as they are made now."""
        if not self.last.stands(group.name, group.given):
            self.put(group.name, group.given, group.make())

    def put(self, part: str, given: str, files: Iterable[tuple[str, Content]]) -> None:
        """Have the folder hold files, which belong to a part."""
        for name, content in files:
            self.changed += self.folder.put(name, content)
            self.last.made(part, given, self.folder.path / name)

    def tidy(self) -> None:
        """Remove what belongs to no part."""
        for part in self.last.parts.values():
            self.folder.leave(part.files)
        self.folder.tidy()
