"""Long and repeated runs: what must never fail, and what must not grow."""
