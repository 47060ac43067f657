"""The published site: one value collected from the registry, and every face it is shown with."""
