"""Verdicts that somebody else recorded: their file, how it is read, what it is made from."""
