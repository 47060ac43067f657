"""The version of the program, in a module that imports nothing, so that every room may name it."""

__version__ = "0.1.0"
