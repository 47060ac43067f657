"""The EPC registry: measure evaluator preference coupling, with the noise beside every number."""

__version__ = "0.1.0"
