"""The command line: parse, call one function, render, exit."""

from epc.cli.program import main

__all__ = ["main"]
