"""Pages of one HTML file each: nothing from outside, whatever a record says."""
