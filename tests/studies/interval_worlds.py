"""Worlds of verdicts whose figures are known: it shares no code with the program.

A world draws items with chances of their own, and from them what a judge, another judge or people
say. `truth` is worked out from the chances, or from a million items of the same world.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Sample = dict[str, Any]


@dataclass(frozen=True, slots=True)
class World:
    """A world by its row and name: `draw` gives what was seen, `truth` the figure."""

    row: str
    name: str
    kind: str
    truth: float
    draw: Callable[[Generator], Sample] = field(compare=False)


def worlds() -> list[World]:
    """Return every world."""
    return [*_shares(), *_uneven(), *_rows(), *_means(), *_kappas(), *_errors(), *_correlations(),
            *_differences()]  # fmt: skip


def _share(  # noqa: PLR0917  (a row of a table)
    row: str,
    name: str,
    items: int,
    chances: Callable[[Generator, int], Array],
    size: Callable[[Generator, int], Codes],
    truth: float,
) -> World:
    """Return a world of `size` verdicts on each item, each item weighing alike."""

    def draw(rng: Generator) -> Sample:
        sizes = size(rng, items)
        hits = rng.binomial(sizes, chances(rng, items)) / sizes
        return {"hits": hits, "n": np.ones(items), "item": np.arange(items),
                "verdicts": float(sizes.sum())}  # fmt: skip

    return World(row, name, "share", truth, draw)


def _beta(a: float, b: float) -> Callable[[Generator, int], Array]:
    return lambda rng, items: rng.beta(a, b, items)


def _alike(size: int) -> Callable[[Generator, int], Codes]:
    return lambda _, items: np.full(items, size)


def _shares() -> list[World]:
    """Shares over repeats: accuracy, best, repeats, first place, votes of people."""
    found = [
        _share("2", f"{items} items asked {m} times, {name}", items, _beta(a, b), _alike(m),
               a / (a + b))
        for items in (20, 100)
        for m in (4, 64)
        for name, a, b in (("0.8, items alike", 16, 4), ("0.8, items differ", 0.8, 0.2),
                           ("0.97, near the ceiling", 9.7, 0.3))
    ]  # fmt: skip
    found += [
        _share("2", "8 items asked 8 times, 0.7", 8, _beta(3.5, 1.5), _alike(8), 0.7),
        _share("2", "100 items of one coin each, asked 8 times", 100,
               lambda _, items: np.full(items, 0.7), _alike(8), 0.7),
        _share("2", "1,700 items asked 64 times, 0.8", 1700, _beta(2.4, 0.6), _alike(64), 0.8),
        _share("2", "100 items with 3 people's votes, 0.65", 100, _beta(1.3, 0.7), _alike(3), 0.65),
    ]  # fmt: skip

    def fractions(rng: Generator) -> Sample:
        shares = rng.choice([0, 1 / 3, 0.5, 1], 60, p=[0.2, 0.1, 0.3, 0.4])
        return {"hits": shares, "n": np.ones(60), "item": np.arange(60), "verdicts": 60.0}

    def pairs(rng: Generator) -> Sample:
        won = rng.binomial(3, rng.beta(4, 1, 80)) / 3
        return {"hits": won, "n": np.ones(80), "item": np.arange(80), "verdicts": 240.0}

    def places(rng: Generator) -> Sample:
        p = rng.beta(8, 8, 50) * 0.2 + 0.45
        first = rng.binomial(1, p) / 2 + rng.binomial(1, p) / 2
        return {"hits": first, "n": np.ones(50), "item": np.arange(50), "verdicts": 100.0}

    def again(rng: Generator) -> Sample:
        p = rng.beta(2, 1, 60)
        k = rng.binomial(4, p)
        same = (k * (k - 1) + (4 - k) * (3 - k)) / 12
        return {"hits": same, "n": np.ones(60), "item": np.arange(60), "verdicts": 360.0}

    # E[p^2 + (1 - p)^2] of beta(2, 1): p^2 is 1/2 on average, (1 - p)^2 is 1/6.
    found += [
        World("2", "60 lists, ties shared, 0.583", "share", 0.1 / 3 + 0.15 + 0.4, fractions),
        World("2", "80 lists of three pairs, 0.8", "share", 0.8, pairs),
        World("2", "50 pairs of places, 0.55", "share", 0.55, places),
        World("2", "60 items asked 4 times: the same again", "share", 1 / 2 + 1 / 6, again),
    ]
    return found


def _uneven() -> list[World]:
    """Items of very unequal size, whose verdicts weigh alike."""
    found = []
    for items, name, sizes in (
        (20, "sizes 1 to 200", [*range(1, 16), 20, 40, 60, 100, 200]),
        (20, "one of 50, others of 5", [50] + [5] * 19),
        (50, "a quarter of 20, others of 1", [20] * 12 + [1] * 38),
        (100, "one of 100, others of 2", [100] + [2] * 99),
        (30, "sizes 1 to 3", [1, 2, 3] * 10),
    ):
        for a, b in ((1.4, 0.6), (9.5, 0.5)):
            counts = np.array(sizes)

            def draw(rng: Generator, counts: Codes = counts, a: float = a, b: float = b) -> Sample:
                hits = rng.binomial(counts, rng.beta(a, b, len(counts))).astype(float)
                return {"hits": hits, "n": counts.astype(float), "item": np.arange(len(counts)),
                        "verdicts": float(counts.sum())}  # fmt: skip

            title = f"{items} items, {name}, {a / (a + b):.2g}"
            found.append(World("9", title, "share", a / (a + b), draw))
    return found


def _rows() -> list[World]:
    """Single rows, of which audit states how often a judge passes what is good."""

    def world(n: int, p: float) -> World:
        def draw(rng: Generator) -> Sample:
            return {"hits": rng.binomial(1, p, n).astype(float), "item": np.arange(n)}

        return World("rows", f"{n} rows, {p}", "rows", p, draw)

    return [world(n, p) for n in (10, 30, 100) for p in (0.5, 0.9, 0.98)]


def _means() -> list[World]:
    """Means of several shares: longer at equal quality, a place of a list."""
    found = []
    for sizes, shares in (
        ((30, 30), (0.97, 0.93)), ((100, 40), (0.98, 0.9)), ((15, 15), (0.95, 0.95)),
        ((60, 20), (0.7, 0.5)), ((200, 200), (0.99, 0.97)), ((10, 90), (0.6, 0.9)),
    ):  # fmt: skip

        def draw(
            rng: Generator,
            sizes: tuple[int, int] = sizes,
            shares: tuple[float, float] = shares,
        ) -> Sample:
            hits = [rng.binomial(1, p, n).astype(float) for n, p in zip(sizes, shares, strict=True)]
            return {"one": hits[0], "two": hits[1], "items_one": np.arange(sizes[0]),
                    "items_two": sizes[0] + np.arange(sizes[1])}  # fmt: skip

        title = f"{sizes[0]} and {sizes[1]} items, {shares[0]} and {shares[1]}"
        found.append(World("8", title, "means", sum(shares) / 2, draw))

    def arranged(rng: Generator) -> Sample:
        hits = rng.binomial(1, rng.beta(9.6, 0.4, 40)[:, None], (40, 2)).astype(float)
        return {"one": hits[:, 0], "two": hits[:, 1], "items_one": np.arange(40),
                "items_two": np.arange(40)}  # fmt: skip

    found.append(World("8", "40 lists at both places, 0.96", "means", 0.96, arranged))
    return found


def _table(rare: Array, kappa: float) -> Array:
    """Return the shares of two raters' answers that are as `rare`, with a kappa."""
    chance = np.outer(rare, rare)
    return kappa * np.diag(rare) + (1 - kappa) * chance


def _kappas() -> list[World]:
    found = []
    pass_fail = [
        (100, 0.03, 0.0), (100, 0.03, 0.5), (20, 0.1, 0.3), (300, 0.04, 0.0), (300, 0.04, 0.4),
        (1000, 0.03, 0.0), (1000, 0.03, 0.5), (50, 0.5, 0.6), (200, 0.5, 0.0), (50, 0.5, 0.95),
        (12, 0.3, 0.5), (100, 0.2, 0.8),
    ]  # fmt: skip
    tables = [
        (
            n,
            f"{n} items, {rare} fail, kappa {kappa}",
            kappa,
            _table(np.array([rare, 1 - rare]), kappa),
        )
        for n, rare, kappa in pass_fail
    ]
    six = np.array([0.3, 0.25, 0.2, 0.15, 0.05, 0.05])
    tables += [
        (100, "100 items, six answers alike often, kappa 0.5", 0.5, _table(np.full(6, 1 / 6), 0.5)),
        (60, "60 items, six answers, two rare, kappa 0.3", 0.3, _table(six, 0.3)),
        (100, "100 items, ties 0.05, kappa 0.4", 0.4, _table(np.array([0.5, 0.45, 0.05]), 0.4)),
    ]
    for n, title, kappa, table in tables:

        def draw(rng: Generator, n: int = n, table: Array = table) -> Sample:
            cells = rng.choice(table.size, n, p=table.ravel())
            eye = np.eye(len(table))
            return {"left": eye[cells // len(table)], "right": eye[cells % len(table)],
                    "item": np.arange(n), "verdicts": float(n)}  # fmt: skip

        found.append(World("1", title, "kappa", kappa, draw))

    def clustered(  # noqa: PLR0917  (a row of a table)
        title: str, items: int, sizes: Codes, a: float, b: float, times: int = 1
    ) -> World:
        """Return two judges whose failing of an item's rows varies with the item."""

        def rows(rng: Generator, count: int, of: Codes) -> tuple[Array, Array, Codes]:
            p = rng.beta(a, b, count)
            item = np.repeat(np.arange(count), of)
            shares = [rng.binomial(times, p[item]) / times for _ in range(2)]
            left, right = (np.stack([share, 1 - share], axis=1) for share in shares)
            return left, right, item

        def draw(rng: Generator) -> Sample:
            left, right, item = rows(rng, items, sizes)
            return {"left": left, "right": right, "item": item,
                    "verdicts": float(times * len(item))}  # fmt: skip

        mean, square = a / (a + b), a * (a + 1) / (a + b) / (a + b + 1)
        agree = 1 - 2 * mean + 2 * square
        chance = mean**2 + (1 - mean) ** 2
        return World("1", title, "kappa", (agree - chance) / (1 - chance), draw)

    four, uneven = np.full(30, 4), np.array([20] * 5 + [2] * 25)
    return [
        *found,
        clustered("30 items of 4 rows, half fail", 30, four, 1, 1),
        clustered("30 items of 4 rows, 0.1 fail", 30, four, 0.5, 4.5),
        clustered("100 items of 3 rows, 0.03 fail", 100, np.full(100, 3), 0.3, 9.7),
        clustered("30 items, five of 20 rows, 25 of 2", 30, uneven, 1, 1),
        clustered("50 items asked 8 times, half fail", 50, np.ones(50, int), 1, 1, 8),
        clustered("50 items asked 8 times, 0.1 fail", 50, np.ones(50, int), 0.5, 4.5, 8),
    ]


def _errors() -> list[World]:
    """Calibration: true confidences, and false ones."""

    def world(  # noqa: PLR0917  (a row of a table)
        title: str, n: int, low: float, high: float, off: float, times: int = 1
    ) -> World:
        def draw(rng: Generator) -> Sample:
            confidence = rng.uniform(low, high, n)
            right = rng.random(n) < np.clip(confidence - off, 0, 1)
            return {"confidence": np.repeat(confidence, times),
                    "right": np.repeat(right.astype(float), times),
                    "item": np.repeat(np.arange(n), times)}  # fmt: skip

        return World("3", title, "error", abs(off), draw)

    return [
        world("100 verdicts, 0.5 to 1, true", 100, 0.5, 1, 0),
        world("300 verdicts, 0.5 to 1, true", 300, 0.5, 1, 0),
        world("1,000 verdicts, 0.5 to 1, true", 1000, 0.5, 1, 0),
        world("30 verdicts, 0.5 to 1, true", 30, 0.5, 1, 0),
        world("100 items of 4 copies, true", 100, 0.5, 1, 0, 4),
        world("300 verdicts, 0.9 to 1, true", 300, 0.9, 1, 0),
        world("300 verdicts, 0.05 too sure", 300, 0.5, 1, 0.05),
        world("300 verdicts, 0.2 too sure", 300, 0.5, 1, 0.2),
        world("1,000 verdicts, 0.1 too sure", 1000, 0.5, 1, 0.1),
        world("100 verdicts, 0.3 too sure", 100, 0.6, 1, 0.3),
    ]


def _correlations() -> list[World]:
    def normal(n: int, r: float) -> World:
        def draw(rng: Generator) -> Sample:
            x = rng.normal(size=n)
            y = r * x + np.sqrt(1 - r * r) * rng.normal(size=n)
            return {"x": x, "y": y, "item": np.arange(n)}

        return World("10", f"{n} items, normal, {r}", "correlation", r, draw)

    def scores(n: int, name: str, a: float, b: float, noise: float) -> World:
        def rows(rng: Generator, count: int) -> tuple[Array, Array]:
            good = 5 * rng.beta(a, b, count)
            sides = [good + noise * rng.normal(size=count) for _ in range(2)]
            one, two = (np.clip(np.round(side), 1, 5) for side in sides)
            return one, two

        rng = np.random.default_rng(0)
        truth = float(np.corrcoef(*rows(rng, 2_000_000))[0, 1])

        def draw(rng: Generator) -> Sample:
            x, y = rows(rng, n)
            return {"x": x, "y": y, "item": np.arange(n)}

        return World("10", f"{n} items, scores {name}, {truth:.2f}", "correlation", truth, draw)

    return [
        *(normal(n, r) for n in (10, 40) for r in (0.0, 0.5, 0.9)),
        scores(10, "of 1 to 5", 2, 2, 0.5),
        scores(40, "of 1 to 5", 2, 2, 0.5),
        scores(30, "near the top", 9, 1, 0.5),
        scores(100, "near the top", 9, 1, 0.5),
    ]


def _differences() -> list[World]:
    """Two judges' shares on the same rows."""

    def world(n: int, up: float, down: float, times: int = 1) -> World:
        def draw(rng: Generator) -> Sample:
            cells = np.repeat(rng.choice(3, n, p=[1 - up - down, up, down]), times)
            return {"left": (cells == 2).astype(float), "right": (cells == 1).astype(float),
                    "item": np.repeat(np.arange(n), times)}  # fmt: skip

        copies = f" of {times} copies" * (times > 1)
        title = f"{n} items{copies}, {up} better, {down} worse"
        return World("pairs", title, "difference", up - down, draw)

    return [
        world(40, 0.02, 0.01), world(100, 0.02, 0.01), world(40, 0.2, 0.1), world(400, 0.05, 0.05),
        world(12, 0.3, 0.1), world(40, 0.1, 0.02, 3),
    ]  # fmt: skip
