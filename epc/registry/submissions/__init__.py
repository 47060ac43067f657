"""Submissions: measurements that are offered for publication, and everything that is checked."""
