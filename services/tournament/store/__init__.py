"""The one place that knows the tournament service's tables and keys.

contest: tournaments, entries and matches. queue: blocks and their leases. result: what was played.
stream: the streams in Redis that watchers read; watch: those of tournaments, live: those of deals while they
are played. They can be lost, the tables cannot.
"""
