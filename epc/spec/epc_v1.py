"""Every constant of the EPC protocol's section 2, once, with its clause."""

from typing import Final, Literal

from epc.spec.domains import Domains

PROTOCOL: Final = "EPC-v1.0"  # EPC-2.8, manifest item 1

ControlMethod = Literal["simulated", "measured"]
# How an evaluator gets to its verdict.
Method = Literal["prompt", "likelihood", "score", "recorded"]

# The reference design's domains, and what follows from them: EPC-2.1, EPC-2.5 eq. (1). A design
# may name others (Reading R78); nothing but the reference design itself may rest on these.
REFERENCE_DOMAINS: Final = Domains.from_names(("text", "visual"))
DOMAINS: Final = REFERENCE_DOMAINS.names
DIRECTIONS: Final = REFERENCE_DOMAINS.directions
PHASES: Final = REFERENCE_DOMAINS.phases
REFERENCE: Final = REFERENCE_DOMAINS.target

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

# Reading R92: the panel of a watch, and what may change on an average day without an alarm.
WATCH_CANDIDATES: Final = 60
WATCH_PAIRS: Final = 24
WATCH_ASKINGS: Final = 3
WATCH_TOLERATED: Final = 0.06
WATCH_CHANGES: Final = (0.1, 0.2)  # shares of changed verdicts whose power is printed

ZERO_COUPLING: Final = 1e-12  # Reading R8: gamma at or below this is "zero"
SIMPLEX_TOLERANCE: Final = 1e-9  # how far a stored vector's sum may be from 1
AGREEMENT: Final = 1e-12  # EPC-2.8: two implementations agree within this

CALIBRATION_BINS: Final = 10  # Reading R11

# Reading R13: the labels in the order in which a tag joins them.
VARIANT_LABELS: Final = (
    "AltBaseline",
    "AltDomains",
    "AltEvaluator",
    "AltLR",
    "AltMitigation",
    "AltPrompt",
    "AltRounds",
    "AltRule",
    "AltStrategies",
    "AltTasks",  # Reading R90
)

# EPC-5.2, quoted beside every figure so that a reader sees how little they separate from noise.
SUBSTANTIAL_GAMMA: Final = 0.5
WEAK_GAMMA: Final = 0.2
MISCALIBRATED_ECE: Final = 0.2
MANY_ZEROS: Final = 0.5  # a share of seeds
