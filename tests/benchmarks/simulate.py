"""Speed and memory of `epc simulate`, as ratios in one run. It prints; it asserts nothing.

The vectorised rounds are timed in turn with the protocol's own generator in plain Python and, where
there is a C compiler, with the same rounds as a compiled loop (`rounds.c`).
"""

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from epc.protocol.draws import turns
from epc.protocol.phases import Comparison, drive, run_phase
from epc.protocol.rules import Bayes, BradleyTerry, Rule, Thompson
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, Weights
from epc.simulation.training import blind, measure
from epc.spec.domains import Domains
from epc.spec.epc_v1 import DOMAINS, PHASES

if TYPE_CHECKING:
    from epc.spec.domains import PhaseName

RUNS = 5
ROUNDS, STRATEGIES = 30, 11
PHASE_ROUNDS = ROUNDS * len(PHASES)
MANY, FEW = 102_400, 400
MILLION = 1_000_000
GIB = 2**30
PROTOCOLS = UpdateRule()
OTHERS: dict[str, tuple[Rule, float]] = {
    "bayes": (Bayes(), 0.2),
    "bradley-terry": (BradleyTerry(), 0.2),
    "thompson": (Thompson(), 0.02),
}


def vectorised(
    rule: Rule = PROTOCOLS, seeds: int = MANY, domains: Sequence[str] = DOMAINS
) -> float:
    """Return rounds a second of the vectorised kernel."""
    coin = {domain: blind(STRATEGIES, a=0.5) for domain in domains}
    rounds = seeds * ROUNDS * len(Domains.of(domains).phases)
    began = time.perf_counter()
    for _ in measure(coin, seeds=seeds, rounds=ROUNDS, rule=rule, entropy=[0]):
        pass
    return rounds / (time.perf_counter() - began)


def many_domains() -> None:
    """Time five domains in turn with the reference's two and print the median of the ratios."""
    five, few = ("a", "b", "c", "d", "e"), MANY // 8
    pairs = [(vectorised(seeds=few, domains=five), vectorised(seeds=few)) for _ in range(RUNS)]
    ratio = statistics.median(one / other for one, other in pairs)
    rate = statistics.median(one for one, _ in pairs) / 1e6
    print(
        f"{'five domains / two':<40}{ratio:8.3f}   wanted {'> 2.8 M':<14}"
        f"{rate:.1f} million rounds a second",
        flush=True,
    )


def answers(verdicts: list[Verdict]) -> Callable[[Comparison], Verdict]:
    """Return the evaluator that gives these verdicts, a round each."""
    return lambda comparison: verdicts[comparison.round]


def plain() -> float:
    """Return rounds a second of the protocol's generator, a round after another."""
    rng = np.random.default_rng(0)
    began = time.perf_counter()
    for seed in range(FEW):
        done: dict[PhaseName, Weights] = {}
        for phase in PHASES:
            said = rng.random(ROUNDS).tolist()
            running = run_phase(
                phase,
                done[phase.start] if phase.start else (1 / STRATEGIES,) * STRATEGIES,
                turns(seed, phase.stream, ROUNDS),
                UpdateRule(),
            )
            won = [Verdict.A if u < 0.5 else Verdict.B for u in said]
            done[phase.name] = drive(running, answers(won)).weights
    return FEW * PHASE_ROUNDS / (time.perf_counter() - began)


def compiled(program: Path) -> Callable[[], float]:
    """Return what measures rounds a second of the compiled loop."""

    def run() -> float:
        words = [str(program), str(MANY), str(ROUNDS)]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        return MANY * PHASE_ROUNDS / float(done.stdout.split()[0])

    return run


def beside(name: str, peer: Callable[[], float], wanted: str) -> None:
    """Time both in turn and print the median of the ratios."""
    pairs = [(vectorised(), peer()) for _ in range(RUNS)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(
        f"vectorised rounds / {name:<20}{ratio:8.2f}   wanted {wanted:<14}"
        f"{ours / 1e6:.1f} against {theirs / 1e6:.2f} million rounds a second",
        flush=True,
    )


def rules() -> None:
    """Time each learning rule in turn with the protocol's and print the median of the ratios."""
    for name, (rule, wanted) in OTHERS.items():
        pairs = [(vectorised(rule, MANY // 8), vectorised(seeds=MANY // 8)) for _ in range(RUNS)]
        ratio = statistics.median(one / other for one, other in pairs)
        rate = statistics.median(one for one, _ in pairs) / 1e6
        print(
            f"{name + ' / the protocol rule':<40}{ratio:8.3f}   wanted >= {wanted:<11}"
            f"{rate:.1f} million rounds a second",
            flush=True,
        )


def million() -> None:
    """Print the time and the most memory that a million seeds take."""
    epc = str(Path(sys.executable).with_name("epc"))
    words = [epc, "simulate", "coin-flip", "--seeds", str(MILLION), "--format", "json"]
    began = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(
        f"a million seeds, all figures: {time.perf_counter() - began:.0f} s, "
        f"{most / GIB:.2f} GiB at most   wanted <= 2 GiB"
    )


def main() -> None:
    beside("plain Python", plain, ">= 20")
    compiler = shutil.which("cc")
    if compiler is None:
        print("vectorised rounds / compiled loop: skipped, there is no `cc` here")
    else:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "rounds"
            source = str(Path(__file__).with_name("rounds.c"))
            subprocess.run(
                [compiler, "-O3", "-march=native", "-o", str(program), source], check=True
            )
            beside("compiled loop", compiled(program), ">= 0.25")
    rules()
    many_domains()
    million()


if __name__ == "__main__":
    main()
