"""The embedded arena: it starts, watches and stops everything on one machine, with one command.

Owns the data folder: its lock, its tokens (`arena.json`), the logs of all processes. Starts Valkey, the
registry, the tournament, the engine and the matchmaking service and a worker per core, and restarts those
that die. Submits the house bots over gRPC as an author would, and makes the demonstration tournaments.
Calls the registry and the tournament service; no service calls it. `maumau up` executes it.
"""
