"""Facts of a measurement that an audit rests on, how precise it is, and the form of its reasons."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final, Literal

from msgspec import Struct, field

from epc.audit.coupling import Transfer
from epc.audit.permutation import PermutationTest
from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.spec.domains import Domain
from epc.statistics.inference import t_point

Word = Literal[
    "coupled",
    "no_coupling_beyond_margin",
    "no_detectable_coupling",
    "no_verdicts_counted",
    "collapsed",
    "inconclusive",
]


class Facts(Struct, frozen=True, kw_only=True):
    """Facts of a measurement that an audit rests on, whatever they were read from.

    `dead` counts the seeds in which no verdict was ever counted, `collapsed` those that ended on
    one strategy in both runs of a direction, `stuck` the seeds whose coupled phase never moved
    although its start had. `unsound` counts the errors that validation found,
    `off_simplex` the seeds with a vector that is no distribution. `preferences` tests whether
    verdicts differ between the domains (Reading R39), `transfer` is what the word rests on (Reading
    R71). `tasks` counts those of each domain, `copies` has the places of tasks whose texts are
    near-copies, and `declared` says whether groups of tasks were. `missing` says what recorded
    verdicts do not hold.
    None stands for what the record does not say.
    """

    n: int
    strategies: int
    unsound: int
    off_simplex: int
    gamma: Mapping[str, list[float]]
    jsd: Mapping[str, list[float]]
    dead: int
    collapsed: int
    stuck: Mapping[str, int]
    preferences: PermutationTest | None
    transfer: Transfer | None = None
    tasks: Mapping[str, int] | None = None
    copies: Mapping[str, Sequence[tuple[int, int]]] | None = None
    declared: bool = False
    tie_rate: float | None = None
    decided: int | None = None
    self_comparisons: Json | None = None
    swap: Json | None = None
    competence: Json | None = None
    determinism: Json | None = None
    length_correlation: Mapping[Domain, float | None] | None = None
    pci: Mapping[str, Json] | None = None
    excess: Mapping[str, Json] = field(default_factory=dict)
    missing: Json | None = None
    decimals: int | None = None

    @property
    def compared(self) -> int:
        """The number of strategies that what crosses rests on."""
        left_out = self.transfer.left_out.strategies if self.transfer else ()
        return self.strategies - len(left_out)

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The domains, in their order; none where only weights are known."""
        return tuple(sorted(self.tasks or ()))


class Reason(Struct, frozen=True):
    """A finding, and the word it settles if no earlier one did."""

    finding: Finding
    word: Word | None = None


def error(clause: str, where: str, problem: str, remedy: str, word: Word | None = None) -> Reason:
    """Return a reason that is an error, with the word that it settles, if any."""
    return Reason(Finding(clause, where, problem, remedy), word)


def warning(clause: str, where: str, problem: str, remedy: str, word: Word | None = None) -> Reason:
    """Return a reason that is a warning, with the word that it settles, if any."""
    return Reason(Finding(clause, where, problem, remedy, "warning"), word)


WIDTH: Final = 0.1  # EPC-2.5(g)
_MOST_SEEDS: Final = 20_000


def width_at(sd: float, seeds: int) -> float:
    """Return the expected width of the 95% interval of a mean, by Student's t.

    Unit:   that of the standard deviation.
    Source: EPC-2.5(g); Reading R39.
    """
    return 2 * t_point(seeds - 1) * sd / sqrt(seeds)


def seeds_for_width(sd: float, width: float = WIDTH) -> int:
    """Return the fewest seeds whose 95% interval is expected to be no wider than `width`.

    Raises: UsageError if that is far beyond what is worth planning.
    """
    low, high = 1, 2
    while width_at(sd, high) > width:
        low, high = high, 2 * high
        if low > _MOST_SEEDS:
            raise UsageError(
                f"a width of {width:g} takes more than {_MOST_SEEDS:,} seeds: ask for a wider one"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if width_at(sd, middle) <= width else (middle, high)
    return high
