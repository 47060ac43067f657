"""The kinds of record: a table of what each says of itself, and beside it a module for each."""
