"""Contests at home: duels and leagues on this machine's cores, without a server, a network or root."""
