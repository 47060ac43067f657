"""The figures that a report shows, each with its interval, its noise floor and its excess."""

from typing import Final

from epc.analysis.audit import Audit
from epc.protocol.results import Json
from epc.records.manifest import Manifest, plain
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS

_BY_DIRECTION: Final = ("gamma", "jsd", "zero_coupling_rate")


def figures(manifest: Manifest, audit: Audit) -> list[Json]:
    """Return the headline figures of a manifest of valid shape, and of its audit.

    The noise floor and the excess are gamma's; the others have none.
    """
    summary = plain(manifest.results.summary)
    control = summary["control"]
    shown = [
        {
            "name": f"{name}/{direction}",
            **summary[name][direction],
            "noise_floor": control["noise_floor"][direction] if name == "gamma" else None,
            "excess": control["excess"][direction] if name == "gamma" else None,
        }
        for name in _BY_DIRECTION
        for direction in DIRECTIONS
    ]
    directions = (audit.facts.transfer.directions if audit.facts.transfer else None) or {}
    alone = {
        f"{name}/{direction}": {"mean": getattr(into, name), "ci95": getattr(into, f"{name}_ci95")}
        for name in ("redirected", "regret")
        for direction, into in directions.items()
    }
    alone |= {"tie_rate": summary["tie_rate"]}
    alone |= {f"pci/{domain}": summary["pci"][domain] for domain in DOMAINS}
    return [
        *shown,
        *(
            {"name": n, **plain(value), "noise_floor": None, "excess": None}
            for n, value in alone.items()
        ),
    ]
