"""Search for the evaluators about which the rule is wrong most often.

    nice python tests/studies/coupling/adversary.py --side false --minutes 40
    nice python tests/studies/coupling/adversary.py --side missed --minutes 40

`false`: one ranking, whatever its strength, noise, ties, tasks; the rate of `coupled` is driven up.
`missed`: preferences that cross, with a true crossing regret of 0.05 or more; it is driven down.
Random restarts, then hill climbing over single parameters. Prints each start's best as JSON; the
worst ones stand in `finds.json`, with the rates of two earlier rules beside today's, `mixed`.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).parents[2]))
from studies.coupling import product
from studies.coupling.generators import Chances, Domain, Kind, crossing_regrets, tables

LEAST = 0.05
RULE = "mixed"  # today's, as the finds call it
FINDS = Path(__file__).with_name("finds.json")

CHOICES: dict[str, tuple[float, ...]] = {
    "strategies": (3, 5, 11, 25),
    "sd": (0.3, 0.6, 1.0, 2.0, 4.0),
    "turned": (0.0, 0.3, 0.6, 1.0),
    "shift_text": (-3.0, -1.0, 0.0, 1.0, 3.0),
    "shift_visual": (-3.0, -1.0, 0.0, 1.0, 3.0),
    "noise_text": (0.5, 1.0, 2.0, 4.0, 10.0),
    "noise_visual": (0.5, 1.0, 2.0, 4.0, 10.0),
    "ties_text": (0.0, 0.2, 0.5, 0.7),
    "ties_visual": (0.0, 0.2, 0.5, 0.7),
    "task_sd_text": (0.0, 1.0, 2.0),
    "task_sd_visual": (0.0, 1.0, 2.0),
    "interaction_text": (0.0, 0.5, 1.0, 2.0, 4.0),
    "interaction_visual": (0.0, 0.5, 1.0, 2.0, 4.0),
    "tasks_text": (8, 16, 40),
    "tasks_visual": (8, 16, 40),
    "seeds": (0, 10, 30),  # 0: an exhaustive run
    "repeats": (1, 5),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """A point of the search. `turned`: how much of the visual ranking is another one."""

    strategies: float
    sd: float
    turned: float
    shift_text: float
    shift_visual: float
    noise_text: float
    noise_visual: float
    ties_text: float
    ties_visual: float
    task_sd_text: float
    task_sd_visual: float
    interaction_text: float
    interaction_visual: float
    tasks_text: float
    tasks_visual: float
    seeds: float
    repeats: float

    @property
    def mode(self) -> str:
        """Return how the cells are asked."""
        return f"fresh {int(self.seeds)}" if self.seeds else "exhaustive"

    def kind(self) -> Kind:
        """Return the evaluator as a kind of the study."""

        def build(rng: Generator, runs: int) -> Chances:
            own, other = self.sd * rng.standard_normal((2, runs, int(self.strategies)))
            turned = np.sqrt(1 - self.turned**2) * own + self.turned * other
            return Chances(
                text=self.domain("text").cells(own, rng),
                visual=self.domain("visual").cells(turned, rng),
            )

        return Kind(name="adversary", chances=build, repeats=int(self.repeats))

    def domain(self, name: str) -> Domain:
        """Return one domain's part."""
        told = asdict(self)
        return Domain(
            tasks=int(told[f"tasks_{name}"]),
            shift=told[f"shift_{name}"],
            noise=told[f"noise_{name}"],
            ties=told[f"ties_{name}"],
            task_sd=told[f"task_sd_{name}"],
            interaction_sd=told[f"interaction_{name}"],
        )


def worst_finds() -> dict[str, list[tuple[Evaluator, dict[str, float]]]]:
    """Return the worst finds by side, each with the rates at which it was called coupled."""
    document = json.loads(FINDS.read_text("utf-8"))
    return {
        side: [(Evaluator(**find["evaluator"]), find["rates"]) for find in finds]
        for side, finds in document.items()
    }


def drawn(rng: Generator, side: str) -> Evaluator:
    """Return a point at random."""
    told = {name: float(rng.choice(values)) for name, values in CHOICES.items()}
    if side == "false":
        told["turned"] = 0.0
    return Evaluator(**told)


def true_regret(evaluator: Evaluator) -> float:
    """Return the mean crossing regret of the population of tasks: of 400 of them."""
    many_evaluator = replace(evaluator, tasks_text=400, tasks_visual=400)
    cells = many_evaluator.kind().chances(np.random.default_rng(1), 40)
    one, two = (
        (told[..., 0] / told[..., :2].sum(-1)).mean(-1) for told in (cells.text, cells.visual)
    )
    return float(crossing_regrets(one, two).max(0).mean())


def rate(evaluator: Evaluator, runs: int, rng: Generator) -> float:
    """Return how often the program calls the evaluator coupled."""
    told = tables(evaluator.kind(), evaluator.mode, runs, rng)
    return (
        sum(
            product.coupled(*both, recorded=evaluator.mode == "exhaustive", fewer=4)
            for both in zip(told.text, told.visual, strict=True)
        )
        / runs
    )


def worth(evaluator: Evaluator, side: str, runs: int, rng: Generator) -> float:
    """Return what the search drives up."""
    if side == "false":
        return rate(evaluator, runs, rng)
    if true_regret(evaluator) < LEAST:
        return -np.inf
    return -rate(evaluator, runs, rng)


def climbed(side: str, runs: int, until: float, rng: Generator) -> Evaluator:
    """Return the best point that is reached from the best of twelve random ones."""
    starts: list[Evaluator] = []
    while len(starts) < 12:
        start = drawn(rng, side)
        if side == "false" or true_regret(start) >= LEAST:
            starts.append(start)
    figures = [worth(start, side, runs // 2, rng) for start in starts]
    best, value = starts[int(np.argmax(figures))], max(figures)
    names = [field.name for field in fields(Evaluator) if side != "false" or field.name != "turned"]
    for name in rng.permutation(names):
        for choice in CHOICES[name]:
            if time.monotonic() > until:
                return best
            other_evaluator = replace(best, **{str(name): float(choice)})
            reached = worth(other_evaluator, side, runs, rng)
            if reached > value:
                best, value = other_evaluator, reached
    return best


def main() -> None:
    """Print the best of each start, measured anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", choices=("false", "missed"), default="false")
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, end = np.random.default_rng(options.seed), time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        best = climbed(options.side, options.runs, end, rng)
        rates = {RULE: rate(best, 200, rng)}
        print(json.dumps({"evaluator": asdict(best), "rates": rates}), flush=True)


if __name__ == "__main__":
    main()
