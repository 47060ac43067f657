"""What mitigated judging does to transfer: on evaluators whose preferences are known, and measured.

    nice python tests/studies/mitigation.py levels
    nice python tests/studies/mitigation.py measured runs/plain-words runs/band-words ...

`levels` draws evaluators with a known place bias and known preferences, judges them plain and
balanced, and counts how often the interval of the reduction covers the truth. `measured` compares
runs; each run of a wrapper is held against every plain run that it wraps. Both write a file of
`site/docs/data`; the table of `site/docs/mitigation.md` is made from the first.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from epc.analysis.mitigation import mitigated, wraps
from epc.audit.transfer import Rates, figures_of, reductions
from epc.audit.units import LeftOut, Units
from epc.protocol.weights import UpdateRule
from epc.records.recompute import load_manifest

Array = NDArray[np.float64]

PAGE = Path(__file__).parents[2] / "site" / "docs" / "mitigation.md"
DATA = PAGE.parent / "data"
LEVELS, MEASURED = DATA / "mitigation-levels.csv", DATA / "mitigation.csv"
STRATEGIES, ROUNDS, RULE = 11, 30, UpdateRule()
RUNS, MANY, WHEELS = 10, 4000, 2**14
# Place bias and strength of the crossing preferences in logits, tasks a domain.
CELLS = ((0.0, 1.5, 8), (1.0, 1.5, 8), (2.0, 1.5, 8))
SEED = 20261130


@dataclass(frozen=True, kw_only=True)
class Judge:
    """An evaluator: log-odds of the strategy for each domain, (strategies, tasks), and a bias."""

    preferred: tuple[Array, Array]
    bias: float

    def plain(self) -> tuple[Array, ...]:
        """Return the chance of A in each domain; there are no ties."""
        return tuple(sigmoid(own + self.bias) for own in self.preferred)

    def balanced(self) -> tuple[tuple[Array, Array], ...]:
        """Return the chances of A and of B in each domain, where both places must agree."""
        return tuple(
            (
                sigmoid(own + self.bias) * sigmoid(own - self.bias),
                sigmoid(-own - self.bias) * sigmoid(-own + self.bias),
            )
            for own in self.preferred
        )


def sigmoid(x: Array) -> Array:
    made: Array = 1 / (1 + np.exp(-x))
    return made


def judge(bias: float, strength: float, tasks: int, rng: Generator) -> Judge:
    """Return an evaluator with one favourite a domain, and a task interaction of one logit."""
    preferred = []
    for favourite in (1, 2):
        own = rng.normal(0.0, 1.0, (STRATEGIES, tasks))
        own[favourite] += strength
        preferred.append(own)
    return Judge(preferred=(preferred[0], preferred[1]), bias=bias)


def place_share(bias: float) -> tuple[float, float, float]:
    """Return the share of A among decided verdicts on two equal answers: plain, then balanced.

    The third is the share that balanced judging decides at all.
    """
    p = 1 / (1 + exp(-bias))
    return p, 0.5, 2 * p * (1 - p)


def units(won: tuple[Array, ...], lost: tuple[Array, ...]) -> Units:
    """Return verdicts by task, each domain's (strategies, tasks)."""
    w, lo = (np.concatenate([side.T for side in both]).astype(float) for both in (won, lost))
    return Units(
        domains=("text", "visual"),
        strategies=tuple(map(str, range(STRATEGIES))),
        won=w,
        decided=w + lo,
        tied=1 - w - lo,
        first=won[0].shape[1],
        left_out=LeftOut(strategies=(), tasks={}),
        decided_share=float((w + lo).mean()),
        grouped=False,
    )


def drawn(evaluator: Judge, rng: Generator) -> tuple[Units, Units]:
    """Return the verdicts of one exhaustive run, plain and balanced, each pair asked once."""
    plain, balanced = [], []
    for own in evaluator.preferred:
        asked = rng.random(own.shape) < sigmoid(own + evaluator.bias)
        exchanged = rng.random(own.shape) < sigmoid(-own + evaluator.bias)  # the first place wins
        plain.append((asked, ~asked))
        balanced.append((asked & ~exchanged, ~asked & exchanged))
    return tuple(units(*map(tuple, zip(*of, strict=True))) for of in (plain, balanced))  # type: ignore[return-value]  # of two


def truth(bias: float, strength: float) -> float:
    """Return by how much the regret of the whole domain falls; both directions are alike."""
    evaluator = judge(bias, strength, MANY, np.random.default_rng(SEED))
    plain = [own.mean(axis=1) for own in evaluator.plain()]
    fair, ties = [], []
    for a, b in evaluator.balanced():
        fair.append(a.sum(axis=1) / (a + b).sum(axis=1))
        ties.append(1 - (a + b).mean(axis=1))
    regrets = []
    none = np.zeros(STRATEGIES)
    for rates, tie in ((plain, (none, none)), (fair, (ties[0], ties[1]))):
        both = Rates(*(each[:, None] for each in rates))
        found = figures_of(both, tie, rounds=ROUNDS, rule=RULE, wheels=WHEELS)
        regrets.append(float(np.mean([side["regret"] for side in found])))
    return regrets[0] - regrets[1]


def levels() -> Iterator[dict[str, object]]:
    """Yield a row a cell: what the place gives, and how often the interval covers the truth."""
    for number, (bias, strength, tasks) in enumerate(CELLS):
        true, covered, asked, found = truth(bias, strength), 0, 0, []
        for run in range(RUNS):
            rng = np.random.default_rng([SEED, number, run])
            both = drawn(judge(bias, strength, tasks, rng), rng)
            for less in (of["regret"].less for of in reductions(*both, rounds=ROUNDS, rule=RULE)):
                low, high = less.interval or (0.0, 0.0)
                covered, asked = covered + (low <= true <= high), asked + 1
                found.append(less.value)
        plain, fair, decides = place_share(bias)
        yield {
            "place_bias": bias,
            "preference": strength,
            "tasks": tasks,
            "place_share_plain": f"{plain:.3f}",
            "place_share_balanced": f"{fair:.3f}",
            "decided_of_equal": f"{decides:.3f}",
            "true_reduction": f"{true:.3f}",
            "mean_reduction": f"{np.mean(found):.3f}",
            "intervals": asked,
            "covered": covered,
        }
        print(number, covered, asked, flush=True)


def measured(runs: Iterable[Path]) -> Iterator[dict[str, object]]:
    """Yield a row a wrapper and direction, against each plain run that it is a wrapper of."""
    manifests = {run: load_manifest(run) for run in runs}
    for plain, own in manifests.items():
        for run, other in manifests.items():
            if not wraps(own, other):
                continue
            (found,) = mitigated(plain, [run])
            for direction in own.domains.directions:
                of = (found.reductions or {}).get(direction)
                yield {
                    "plain": own.evaluator.model,
                    "mitigated": found.evaluator,
                    "direction": direction,
                    "times": f"{found.times:.2f}",
                    "decided": f"{found.decided[1]:.3f}",
                    "strategies": found.strategies,
                    **{
                        f"{name}_{key}": "" if value is None else f"{value:+.3f}"
                        for name in ("regret", "redirected")
                        for key, value in _figures(of[name] if of else None).items()
                    },
                    "floor": f"{found.floor[direction]:.3f}" if direction in found.floor else "",
                }


def _figures(of: object) -> dict[str, float | None]:
    if of is None:
        return dict.fromkeys(
            ("plain", "plain_low", "plain_high", "mitigated", "less", "less_low", "less_high")
        )
    plain, less = of.plain_ci95, of.less_ci95  # type: ignore[attr-defined]  # a Reduction
    return {
        "plain": of.plain,  # type: ignore[attr-defined]  # a Reduction
        "plain_low": plain[0] if plain else None,
        "plain_high": plain[1] if plain else None,
        "mitigated": of.mitigated,  # type: ignore[attr-defined]  # a Reduction
        "less": of.less,  # type: ignore[attr-defined]  # a Reduction
        "less_low": less[0] if less else None,
        "less_high": less[1] if less else None,
    }


_LEVEL_HEAD = (
    *("place bias, logits", "preference, logits", "tasks", "A of two equal answers, plain"),
    *("balanced, of decided", "decided of equal", "true reduction", "mean found", "covered"),
)


def page(text: str) -> str:
    """Return the page with the table of the levels as the file of the study says."""
    before, mark, after = text.partition("<!-- levels -->\n")
    rest = after[after.find("\n\n", 1) :] if after.startswith("\n|") else f"\n{after}"
    return f"{before}{mark}\n{chr(10).join(_level_table())}{rest}".rstrip() + "\n"


def _level_table() -> list[str]:
    rows = [
        [*list(row.values())[:8], f"{row['covered']} of {row['intervals']}"]
        for row in _rows(LEVELS)
    ]
    return _table(_LEVEL_HEAD, rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    listed = list(head)
    return [f"| {' | '.join(cells)} |" for cells in (listed, ["---"] * len(listed), *rows)]


def _rows(path: Path) -> list[Mapping[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Iterable[dict[str, object]]) -> None:
    made = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["levels"]:
            _write(LEVELS, levels())
        case ["measured", *folders]:
            _write(MEASURED, measured(map(Path, folders)))
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
