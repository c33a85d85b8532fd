"""Tournaments: entries, matches, blocks, results, standings, and the proof of it all.

Owns its tables: those of tournaments (tournament, entry, match, form) and those of anything that is played
(contest, job, block, block_result, failure, fault, worker, outbox and others); its streams in Redis,
which may be lost.
Calls: the registry (owner of a token, active version of a bot, suspensions); sends
`worker.play_block` and `worker.advance` to the broker.
Called by: organisers and authors (maumau.client), workers.
"""
