"""Storage of the tournament service: the one package that knows its tables and keys.

blocks: the queue, leases and booking. outcomes: results, takes of matches, links of chains. contests:
tournaments and jobs. upkeep: counts, moves and failures, across all of these. broadcast: streams in Redis
that watchers read; they can be lost, tables cannot.

Transactions lock contests first, then blocks and jobs, then workers, each kind by key, so that no two wait
for each other.
"""
