"""Documents on disk: strict reading, canonical writing, schemas, run folders, recomputation."""
