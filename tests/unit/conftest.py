"""The run folders of `records_support`, for every test here."""

from records_support import exhaustive, flip, made, single, ties, tiny

__all__ = ["exhaustive", "flip", "made", "single", "ties", "tiny"]
