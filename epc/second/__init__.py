"""The second implementation: every metric again, by another hand."""
