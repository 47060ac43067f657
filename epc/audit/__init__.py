"""Can a measurement bear a claim? Control, tests and the word, as pure functions."""
