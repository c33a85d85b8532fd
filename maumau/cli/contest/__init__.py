"""Commands about tournaments, matches and ladders, and about their exports."""
