"""How a judge did on planted pairs, as it is printed."""

from epc.analysis.judging.competence import Pair, detection
from epc.report.judging.competence import _detection

BASE, LESS = (2, 2, 1, 1), (2, 1, 1, 1)


def test_a_row_has_its_share_what_was_lost_and_the_bounds() -> None:
    """Of five pairs one is right and one lost: 20.0% at least, and 40.0% at most."""
    pairs = [
        Pair(question=f"Q{n}", base=BASE, altered=made)
        for n, made in enumerate((LESS, BASE, BASE, BASE, None))
    ]

    row = _detection(detection("truncated", pairs, constant=False))

    assert row[2:5] == ("5", "1, 0", "20.0% to 40.0%")
