"""Answers of a registry on a day: one function a question, which every surface renders."""
