"""Upkeep of the registry: ends that came or come, dates that moved, addresses that went."""
