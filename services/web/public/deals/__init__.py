"""Pages of deals that were played: sets, replays, and reviews."""
