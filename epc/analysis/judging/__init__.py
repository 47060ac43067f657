"""What evaluations come to: shares, agreement, summary."""
