"""Carrying out an evaluation: judges asked over the engine of `epc run`."""
