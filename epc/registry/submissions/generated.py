"""Files of the registry that programs make of what is published, where a pull request changes them.

They are made again, in a clone at the commit that merging makes, by the program of the checkout
that is trusted; and must be the same. What merging leaves alone is not looked at.
"""

import re
import runpy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from epc.analysis.choice_table import PriceOf
from epc.errors import EpcError, UsageError
from epc.printable import one_line
from epc.records.findings import Findings
from epc.registry import layout as registry_layout
from epc.registry.choices import write_choices
from epc.registry.history import git, git_bytes
from epc.registry.publishing import write_headlines
from epc.registry.submissions import layout
from epc.registry.succession import write_agreements
from epc.registry.writing import RegistryLock, locked

_HOME: Final = registry_layout.FOLDER
_AUDITED: Final = (f"{_HOME}/{registry_layout.AUDITS}", f"{_HOME}/{registry_layout.INTERVALS}")
_HEADLINES: Final = (f"{_HOME}/{registry_layout.GAMMAS}", f"{_HOME}/{registry_layout.HEADLINES}/")
_CHOICES: Final = f"{_HOME}/{registry_layout.CHOICES}"
_AGREEMENTS: Final = f"{_HOME}/{registry_layout.AGREEMENTS}"
_BANK: Final = f"{_HOME}/{registry_layout.BANK}"
_BANK_PROGRAM: Final = Path("pipeline") / "bank.py"
_PRICED: Final = re.compile(rb", [0-9]{4}-[0-9]{2}-[0-9]{2}\)")  # the day on which prices were read
_REMEDY: Final = "leave the file as it is, or commit what the program writes"


def is_generated(path: str) -> bool:
    """Return whether a program makes a file of what is published."""
    return path in (*_AUDITED, _CHOICES, _AGREEMENTS, _BANK) or path.startswith(_HEADLINES)


def check(
    checkout: Path, clone: Path, changed: Sequence[str], price_of: PriceOf, findings: Findings
) -> None:
    """Note each generated file that a pull request changes into something else than is made.

    `clone` holds what merging makes.

    Raises: WorldError if the disk or git fails.
    """
    with locked(clone, progress=lambda _: None) as lock:
        for paths, make in _makers(checkout, changed, price_of):
            try:
                make(lock)
            except (EpcError, ImportError) as error:
                for path in paths:
                    problem = one_line(f"cannot be made again: {error}")
                    findings.add(layout.ONE, one_line(path), problem, _REMEDY)
                continue
            for path in (path for path in paths if _differs(clone, path)):
                problem = "is not what the program makes of what is published"
                findings.add(layout.ONE, one_line(path), problem, _REMEDY)


def _makers(
    checkout: Path, changed: Sequence[str], price_of: PriceOf
) -> Iterator[tuple[list[str], Callable[[RegistryLock], object]]]:
    """Yield the changed files that a program makes, with what makes them."""
    audited = [path for path in changed if path in _AUDITED]
    headlines = [path for path in changed if path.startswith(_HEADLINES)]
    if audited or headlines:
        yield [*audited, *headlines], lambda lock: write_headlines(lock, audit=bool(audited))
    if _CHOICES in changed:
        yield [_CHOICES], lambda lock: write_choices(lock, price_of)
    if _AGREEMENTS in changed:
        yield [_AGREEMENTS], write_agreements
    if _BANK in changed:
        yield [_BANK], lambda lock: _make_bank(checkout, lock.checkout)


def _make_bank(checkout: Path, clone: Path) -> None:
    program = checkout / _BANK_PROGRAM
    if not program.is_file():
        raise UsageError(f"there is no {_BANK_PROGRAM} here")
    runpy.run_path(str(program))["write"](clone)


def _differs(clone: Path, path: str) -> bool:
    """Return whether a file was made into something else than the commit has."""
    if not git(clone, "ls-tree", "HEAD", "--", path).strip() or not (clone / path).is_file():
        return (clone / path).is_file()
    contents = git_bytes(clone, "show", f"HEAD:{path}"), (clone / path).read_bytes()
    first, second = (_PRICED.sub(b")", content) for content in contents)
    return first != second
