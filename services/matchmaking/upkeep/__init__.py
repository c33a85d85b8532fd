"""Upkeep of ladders: pairings, results, histories, suspensions."""
