"""Pure: standings, steps, turns, evidence, and how events and results are encoded."""
