"""The embedded models: real weights from a package, run on this machine's processor."""
