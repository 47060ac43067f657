"""What the registry needs today: ends that came or come, dates that moved, addresses that went."""
