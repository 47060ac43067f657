"""Figures of judges as they are printed: the estimate, and its interval in brackets."""

from epc.analysis.judging.results import Ends, Mean, Share


def share_text(share: Share) -> str:
    """Return a share in percent."""
    if share.share is None:
        return "-"
    return f"{100 * share.share:.1f}%" + _interval(share.ci95, 100, "%", 1)


def mean_text(mean: Mean) -> str:
    """Return a mean in points."""
    if mean.mean is None:
        return "-"
    return f"{mean.mean:.2f}" + _interval(mean.ci95, 1, "", 2)


def percent_text(mean: Mean) -> str:
    """Return a share that was estimated, with its interval."""
    if mean.mean is None:
        return "-"
    return f"{100 * mean.mean:.1f}%" + _interval(mean.ci95, 100, "%", 1)


def plain_text(value: float | None, ci: Ends | None) -> str:
    """Return an agreement, or why it has no interval."""
    if value is None:
        return "-"
    return f"{value:.3f}" + (_interval(ci, 1, "", 3) or " (too few differ)")


def ends_text(
    ends: Ends | None, scale: float, unit: str, digits: int, between: str = " to "
) -> str:
    """Return the ends of an interval."""
    return between.join(f"{scale * end:.{digits}f}{unit}" for end in ends or ())


def _interval(ci: Ends | None, scale: float, unit: str, digits: int) -> str:
    return "" if ci is None else f" [{ends_text(ci, scale, unit, digits, ', ')}]"
