"""Records side by side: audits, comparisons, drift, agreement."""
