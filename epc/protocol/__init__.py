"""The EPC protocol itself, pure: no file, no clock, no random state of its own."""
