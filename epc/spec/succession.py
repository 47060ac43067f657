"""What naming a successor takes (Reading R96). The number is ours, not the paper's."""

from typing import Final

# Of agreement above chance that must be shown, and of right answers that may be lost at most.
SUCCESSOR_MARGIN: Final = 0.1
