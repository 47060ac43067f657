"""Synthetic evaluators run through the protocol, thousands of seeds at once."""
