"""Statistics that know nothing of the protocol: intervals, tests, sums rounded once."""
