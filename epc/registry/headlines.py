"""What DVC shows of the registry: `dvc metrics show`, `dvc metrics diff` and `dvc plots show`.

The headline figures stand a second time in files of their own, because DVC lays every number of a
metrics file out as a column, and a `metrics.json` has a hundred. They are written with every
publication and event, and `make reproduce` fails where they are not what the registry says.

    snapshots/dvc/TAG.json            at most five figures; DVC prints the path, so it is short
    snapshots/gammas.json             one row a gamma, with interval and noise floor, for the plot

The audits of snapshots that were published under an older rule are written with them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from epc.protocol.results import Json
from epc.records.strict_json import dumps, write_text
from epc.registry import layout
from epc.registry.figures import at, figures, figures_of, headline_of
from epc.registry.locking import RegistryLock
from epc.registry.reading import of_folder
from epc.registry.recomputing import audits
from epc.registry.registry import Registry

FILES: Final = (layout.AUDITS, layout.HEADLINES, layout.GAMMAS)  # below `snapshots/`

_DIGITS: Final = 3
_SHARE: Final = "verdict/PASS"  # of a judged snapshot
_FIRST: Final = "published"


def headline(registry: Registry, tag: str) -> Json:
    """Return the few numbers of a snapshot that DVC shows: its table is to fit a terminal.

    `gamma` and `regret` are of the direction in which they are larger; a failed run has none.
    `share` is that of PASS, or the headline of recorded verdicts, whose own `n` stands beside it.
    `stands` is false once an event has ended it.
    """
    snapshot = registry.snapshots[tag]
    means = {figure.name: figure.mean for figure in figures_of(snapshot)}
    recorded = headline_of(snapshot)
    own = {} if snapshot.failed else means
    found = {
        "gamma": max((m for name, m in own.items() if name.startswith("gamma/")), default=None),
        "regret": max(
            (m for name, m in own.items() if name.startswith("transfer/regret/") and not recorded),
            default=None,
        ),
        "share": means.get(_SHARE),
    }
    if recorded:
        found["regret" if recorded.name.startswith("transfer/") else "share"] = recorded.mean
    return {
        "n": recorded.n if recorded else snapshot.n,
        "stands": all(event.event == _FIRST for event in registry.by_tag.get(tag, ())),
        **{name: round(mean, _DIGITS) for name, mean in found.items() if mean is not None},
    }


def gammas(registry: Registry) -> Iterator[Json]:
    """Yield one row a gamma: its interval, and where seeds lie without a change of domain."""
    for tag, snapshot in registry.snapshots.items():
        for figure in figures({"gamma": snapshot.figures.get("gamma", {})}):
            direction = figure.name.removeprefix("gamma/")
            floor = at(snapshot.figures, f"control/noise_floor/{direction}")
            low, high = figure.interval or (None, None)
            floor_low, floor_high = (floor and floor.spread) or (None, None)
            yield {
                "snapshot": tag,
                "direction": direction.replace("_", " "),
                **_standing(registry, tag),
                "gamma": figure.mean,
                "low": low,
                "high": high,
                "floor_low": floor_low,
                "floor_high": floor_high,
            }


def _standing(registry: Registry, tag: str) -> Json:
    """Return what must be known beside a figure: what it rests on, and what became of it."""
    snapshot = registry.snapshots[tag]
    kinds = [event.event for event in registry.by_tag.get(tag, [])]
    return {
        "kind": "calibration" if snapshot.calibration else snapshot.kind,
        "audit": snapshot.verdict or "none",
        "rule": snapshot.audit.rule if snapshot.audit else None,
        "faults": len(snapshot.card.known_faults),
        "event": "withdrawn" if "withdrawn" in kinds else next(reversed(kinds), "none"),
    }


def write_headlines(lock: RegistryLock, *, audit: bool = True) -> None:
    """Bring the files up to date with a checkout's snapshots and events.

    Without `audit` the audits stay: a new snapshot's is on its card, and changes no other.

    Raises: MalformedError if a document cannot be used; WorldError if the disk fails.
    """
    home = lock.home
    if audit:
        _write(home / layout.AUDITS, dumps(audits(lock.checkout, of_folder(lock.checkout))))
    registry = of_folder(lock.checkout)
    (home / layout.HEADLINES).mkdir(exist_ok=True)
    for tag in registry.snapshots:
        _write(home / layout.HEADLINES / f"{tag}.json", dumps(headline(registry, tag)))
    _write(home / layout.GAMMAS, dumps(list(gammas(registry))))


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text("utf-8") != text:
        write_text(path, [text])
