"""Every constant of the EPC protocol's section 2, once, with its clause."""

from dataclasses import dataclass
from typing import Final, Literal

PROTOCOL: Final = "EPC-v1.0"  # EPC-2.8, manifest item 1

Domain = Literal["text", "visual"]
PhaseName = Literal[
    "text",
    "visual",
    "text_to_visual",
    "visual_to_text",
    "text_to_text",
    "visual_to_visual",
    "text_start",
    "visual_start",
]
ControlMethod = Literal["simulated", "measured"]
Direction = Literal["text_to_visual", "visual_to_text"]

DOMAINS: Final[tuple[Domain, ...]] = ("text", "visual")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One isolated stretch of training (EPC-2.1).

    `start` names the phase whose final weights this one begins from; None is the uniform start.
    `stream` is the index of the phase's own random stream (Reading R2).
    """

    name: PhaseName
    domain: Domain
    start: PhaseName | None
    stream: int


# EPC-2.1. Reading R1: phases 1 and 2 start uniform, 3 continues 1 and 4 continues 2.
PHASES: Final = (
    Phase(name="text", domain="text", start=None, stream=0),
    Phase(name="visual", domain="visual", start=None, stream=1),
    Phase(name="text_to_visual", domain="visual", start="text", stream=2),
    Phase(name="visual_to_text", domain="text", start="visual", stream=3),
)
PHASE_NAMES: Final[tuple[PhaseName, ...]] = tuple(phase.name for phase in PHASES)

# Reading R15: the same-domain control, where it is measured. Each of its two phases continues an
# independent start of its own, and is compared with the run's pure phase of the domain.
CONTROL_PHASES: Final = (
    Phase(name="text_to_text", domain="text", start="text_start", stream=4),
    Phase(name="visual_to_visual", domain="visual", start="visual_start", stream=5),
    Phase(name="text_start", domain="text", start=None, stream=6),
    Phase(name="visual_start", domain="visual", start=None, stream=7),
)
EVERY_PHASE: Final = PHASES + CONTROL_PHASES  # in the order of the streams
PHASE: Final[dict[str, Phase]] = {phase.name: phase for phase in EVERY_PHASE}

# EPC-2.5 eq. (1): each coupled phase is compared with the pure phase of its own domain.
REFERENCE: Final[dict[Direction, Domain]] = {
    "text_to_visual": "visual",
    "visual_to_text": "text",
}
CONTROL: Final[dict[Direction, PhaseName]] = {
    "text_to_visual": "visual_to_visual",
    "visual_to_text": "text_to_text",
}
DIRECTIONS: Final[tuple[Direction, ...]] = ("text_to_visual", "visual_to_text")

ALPHA_WIN: Final = 0.08  # EPC-2.3(b)
ALPHA_LOSE: Final = 0.04  # EPC-2.3(b); the magnitude, the step is -0.04
WEIGHT_FLOOR: Final = 0.001  # EPC-2.3(c)
ROUNDS: Final = 30  # EPC-2.3(d)
BASELINE: Final = "step_by_step"  # EPC-2.3(a)

MIN_TASKS: Final = 8  # EPC-2.4(a), in each domain
JUDGED_CHARACTERS: Final = 300  # EPC-2.6; Reading R7: Unicode code points

EVALUATOR_TEMPERATURE: Final = 0.0  # EPC-2.6(b)
EVALUATOR_MAX_TOKENS: Final = 10  # EPC-2.6(b)

BOOTSTRAP_RESAMPLES: Final = 2000  # EPC-2.5(f)
BOOTSTRAP_SEED: Final = 20260702  # Reading R10
CONFIDENCE: Final = 0.95  # EPC-2.5(f)
SCREENING_SEEDS: Final = 10  # EPC-2.5(g)
PUBLICATION_SEEDS: Final = 30  # EPC-2.5(g)

ZERO_COUPLING: Final = 1e-12  # Reading R8: gamma at or below this is "zero"
SIMPLEX_TOLERANCE: Final = 1e-9  # how far a stored vector's sum may be from 1
AGREEMENT: Final = 1e-12  # EPC-2.8: two implementations agree within this

CALIBRATION_BINS: Final = 10  # Reading R11

# Reading R13: the labels in the order in which a tag joins them.
VARIANT_LABELS: Final = (
    "AltBaseline",
    "AltEvaluator",
    "AltLR",
    "AltPrompt",
    "AltRounds",
    "AltStrategies",
)

# EPC-5.2, quoted beside every figure so that a reader sees how little they separate from noise.
SUBSTANTIAL_GAMMA: Final = 0.5
WEAK_GAMMA: Final = 0.2
MISCALIBRATED_ECE: Final = 0.2
