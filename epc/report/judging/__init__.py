"""Evaluations in words, tables and pictures."""
