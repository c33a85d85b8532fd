"""The engine service: the rules for anybody, in any language, and tables at which live deals are played.

Owns: tables in Redis, which may be lost, and then the tables in play are void. Replicas share them; what one
has in its memory is a cache.
Calls: the registry (whose is a token), the matchmaking service (results of tables that it has made).
Called by: the matchmaking service (OpenTable), workers that play for house bots (Play), and anybody, with a
token or without (maumau.live, or any gRPC client: docs/live.md).
"""
