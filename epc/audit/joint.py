"""What several pairs of domains say together, where a design has more than two (Reading R78).

Every two domains are looked at by themselves. Of two domains alone nothing here changes a figure.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from epc.audit.permutation import PermutationTest
from epc.audit.redirection import RedirectionTest
from epc.audit.side_checks import TieTest, clusters, tie_test
from epc.audit.units import LeftOut, Units
from epc.spec.domains import Domain
from epc.statistics.inference import holm

Both = tuple[Domain, Domain]  # in the order of the alphabet


def adjusted(tests: Mapping[Both, RedirectionTest]) -> dict[Both, RedirectionTest]:
    """Return tests with their p-values adjusted for their number."""
    p_values = holm({both: test.p_value for both, test in tests.items()})
    return {both: replace(test, p_value=p_values[both]) for both, test in tests.items()}


def of_any(tests: Sequence[RedirectionTest]) -> RedirectionTest | None:
    """Return what adjusted tests say of any crossing, with the fewest splits of any."""
    if not tests:
        return None
    least = min(tests, key=lambda test: test.p_value)
    return replace(least, splits=min(test.splits for test in tests))


def any_differ(tests: Sequence[PermutationTest]) -> PermutationTest:
    """Return whether the preferences of any two domains differ: m times the least of m p-values."""
    n = len(tests)
    return replace(
        tests[0],
        p_value=min(1.0, n * min(test.p_value for test in tests)),
        smallest=min(1.0, n * min(test.smallest for test in tests)),
    )


def beside(pairs: Sequence[Units]) -> dict[str, Any]:
    """Return what stands beside the figures of all pairs of domains.

    A domain is in several pairs: it has the fewest units of any, and whatever is left out of one.
    """
    domains = sorted({domain for units in pairs for domain in units.domains})
    dropped = [units.left_out for units in pairs]
    ties = [tie_test(units) for units in pairs]
    alike = [clusters(units) for units in pairs]
    return {
        "units": {d: min(u.numbers[d] for u in pairs if d in u.domains) for d in domains},
        "decided_share": min(units.decided_share for units in pairs),
        "left_out": LeftOut(
            strategies=tuple(dict.fromkeys(name for cells in dropped for name in cells.strategies)),
            tasks={
                d: tuple(sorted({at for cells in dropped for at in cells.tasks.get(d, ())}))
                for d in domains
            },
        ),
        "ties": TieTest(
            share={d: next(t.share[d] for t in ties if d in t.share) for d in domains},
            p_value=min(1.0, len(ties) * min(test.p_value for test in ties)),
        ),
        "clusters": {
            d: _least([p_values[d] for p_values in alike if d in p_values]) for d in domains
        },
    }


def _least(p_values: Sequence[float | None]) -> float | None:
    return min((p for p in p_values if p is not None), default=None)
