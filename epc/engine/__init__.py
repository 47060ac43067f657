"""Driving a measurement with models: live, cached, journalled, resumable."""
