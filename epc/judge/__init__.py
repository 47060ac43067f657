"""The judge protocol as pure functions: what is asked, and what a reply is worth."""
