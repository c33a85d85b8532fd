"""Tournaments: entries, matches, blocks, results, standings, and the proof of it all.

Owns: its tables (tournament, entry, match, block, block_result, fault, form, outbox); its streams in Redis,
which may be lost.
Calls: the registry (whose is a token, which version does a bot play with, which is suspended); sends
`worker.play_block` and `worker.advance` to the broker.
Called by: organisers and authors (maumau.client), workers.
"""
