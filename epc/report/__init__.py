"""Records in words, tables and pictures."""
