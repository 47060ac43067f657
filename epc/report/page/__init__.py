"""Reports as one HTML file each: no script, nothing from outside, whatever a record says."""
