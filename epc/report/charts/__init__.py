"""Pictures that reports and the site share: one Vega-Lite specification each."""
