"""GitHub, through its own program `gh`: what the workflows say and take, the same on a laptop."""
