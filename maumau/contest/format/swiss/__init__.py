"""The Swiss system: rounds, pairings, and scores."""
