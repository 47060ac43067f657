"""What tests of weight vectors share."""

from epc.protocol.weights import Weights

Pair = tuple[Weights, Weights]


def over_its_sum(numbers: list[float]) -> Weights:
    """Return the distribution that numbers, not all 0, are in proportion to."""
    total = sum(numbers)
    return tuple(number / total for number in numbers)
