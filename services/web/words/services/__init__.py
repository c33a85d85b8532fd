"""German for the sentences that services write."""
