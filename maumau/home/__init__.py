"""Contests at home: duels and ladders on this machine's cores, without a server, a network or root."""
