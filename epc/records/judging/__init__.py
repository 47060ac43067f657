"""Documents of the judge protocol: samples, archive, run log, report."""
