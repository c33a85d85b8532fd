"""Rules without a database: names, states, tokens, turns and verdicts."""
