"""The registry: snapshots by version, the lives of evaluators, events, expiry."""
