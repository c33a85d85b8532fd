"""Ladders: pairings, ratings and boards of bots that play on."""
