"""The two protocols as data: constants, the reference set, schemas, conformance vectors."""
