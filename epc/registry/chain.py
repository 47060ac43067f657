"""The events as a chain of digests whose head is signed, so that nobody rewrites them unseen.

    head of no events  =  SHA-256 of "epc events" and a line end
    head of n events   =  SHA-256 of the head of n - 1, as bytes, and of line n with its line end

The chain is over the bytes of `events.jsonl`, which stays as it is. Signed heads stand beside it,
in `heads.jsonl`; the newest covers every event before it. Signatures are SSH's, as git makes them,
by keys that `allowed_signers` names. Where git knows no key nothing is signed, and all works.
"""

import hashlib
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from epc.errors import UsageError, WorldError
from epc.records.findings import Findings
from epc.registry import layout
from epc.registry.history import git, lost_events
from epc.registry.locking import RegistryLock
from epc.registry.writing import add_lines, typed_lines

NAMESPACE: Final = "epc-events"
_FIRST: Final = hashlib.sha256(b"epc events\n").hexdigest()
_CLAUSE: Final = "EPC-4"
_PLACE: Final = f"{layout.FOLDER}/{layout.HEADS}"
_RESTORE: Final = "restore both files with `git checkout`; hold the clone against a witness"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedHead:
    """The head of the first `events` lines, and an SSH signature of it."""

    events: int
    head: str
    signature: str

    @property
    def payload(self) -> bytes:
        """What is signed."""
        return f"{self.events} {self.head}\n".encode()


def event_lines(checkout: Path) -> list[bytes]:
    """Return the lines of a checkout's events, as they are."""
    path = checkout / layout.FOLDER / layout.EVENTS
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def heads(lines: list[bytes]) -> list[str]:
    """Return the head of no events, of the first one, and so on."""
    return list(accumulate(lines, _next, initial=_FIRST))


def _next(head: str, line: bytes) -> str:
    return hashlib.sha256(bytes.fromhex(head) + line).hexdigest()


def sign(lock: RegistryLock) -> str:
    """Sign the head of all events, if git knows an SSH key that may; return what was done.

    Raises: WorldError if the disk or git fails.
    """
    lines = event_lines(lock.checkout)
    head = heads(lines)[-1]
    kept = signed_heads(lock.checkout)
    if kept and (kept[-1].events, kept[-1].head) == (len(lines), head):
        return f"all {len(lines)} events are signed already"
    try:
        signature = _signature(lock.checkout, f"{len(lines)} {head}\n".encode())
        made = SignedHead(events=len(lines), head=head, signature=signature)
        who = _signer(lock.checkout, made)
    except UsageError as error:
        return f"not signed: {error}"
    add_lines(lock.home / layout.HEADS, made)
    return f"signed the head of {len(lines)} events as {who}"


def signed_heads(checkout: Path) -> list[SignedHead]:
    """Return the signed heads that can be read."""
    return [head for _, head in typed_lines(checkout / _PLACE, SignedHead) if head]


def standing(checkout: Path) -> str:
    """Return in words how many events the newest head covers, and by whose signature."""
    total, kept = len(event_lines(checkout)), signed_heads(checkout)
    if not kept:
        return f"signed: none of {total} events; only git's history says that none is gone"
    try:
        who = _signer(checkout, kept[-1])
    except UsageError:
        who = "nobody who is known"
    return f"signed: {kept[-1].events} of {total} events, by {who}"


def check(checkout: Path, findings: Findings) -> None:
    """Note each signed head that the events no longer have, and a newest signature that is none.

    Raises: WorldError if git fails.
    """
    chain = heads(event_lines(checkout))
    rows = list(typed_lines(checkout / _PLACE, SignedHead))
    for number, head in rows:
        where = f"{_PLACE}:{number}"
        if head is None:
            findings.add(_CLAUSE, where, "is no signed head", _RESTORE)
        elif not 0 <= head.events < len(chain) or chain[head.events] != head.head:
            problem = (
                f"the first {head.events} events are not those that were signed: "
                "one was removed, changed or moved"
            )
            findings.add(_CLAUSE, where, problem, _RESTORE)
    if rows and (newest := rows[-1][1]):
        try:
            _signer(checkout, newest)
        except UsageError as error:
            findings.add(_CLAUSE, f"{_PLACE}:{rows[-1][0]}", str(error), _RESTORE)
    for line in lost_events(checkout, _PLACE) or ():
        problem = f"this head was signed and is gone: {line[:100]}..."
        findings.add(_CLAUSE, _PLACE, problem, _RESTORE)


def _signature(checkout: Path, payload: bytes) -> str:
    """Return an SSH signature by git's key, which is a file or, for an agent, the public key."""
    if _setting(checkout, "gpg.format") != "ssh" or not (key := _setting(checkout, _KEY)):
        raise UsageError("git knows no SSH key to sign with (gpg.format ssh, user.signingkey)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(key).expanduser()
        if key.startswith(("key::", "ssh-", "ecdsa-", "sk-")):
            path = Path(folder) / "key.pub"
            path.write_text(key.removeprefix("key::") + "\n")
        words = ("-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(path))
        return _ssh_keygen(*words, stdin=payload)


_KEY: Final = "user.signingkey"


def _setting(checkout: Path, name: str) -> str:
    return git(checkout, "config", "--default", "", "--get", name).strip()


def _signer(checkout: Path, head: SignedHead) -> str:
    """Return who signed a head, by the name in `allowed_signers`.

    Raises: UsageError if nobody did whom it names.
    """
    allowed = checkout / layout.FOLDER / layout.SIGNERS
    if not allowed.is_file():
        raise UsageError(f"{layout.FOLDER}/{layout.SIGNERS} is missing: no signature counts")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "signature"
        path.write_text(head.signature)
        files = ("-s", str(path), "-f", str(allowed))
        who = _ssh_keygen("-Y", "find-principals", *files).split("\n")[0]
        words = ("-Y", "verify", "-n", NAMESPACE, "-I", who, *files)
        _ssh_keygen(*words, stdin=head.payload)
    return who


def _ssh_keygen(*words: str, stdin: bytes = b"") -> str:
    try:
        done = subprocess.run(["ssh-keygen", *words], input=stdin, capture_output=True, check=False)  # noqa: S603, S607  (no shell; the user's own OpenSSH)
    except FileNotFoundError as error:
        raise WorldError("ssh-keygen is not installed\n  fix: install OpenSSH") from error
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip() or "it said nothing"
        raise UsageError(f"{words[1]} of an SSH signature failed: {message.splitlines()[-1]}")
    return done.stdout.decode()
