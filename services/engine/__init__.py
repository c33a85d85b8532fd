"""The engine service: the rules for everybody, in any language, and tables at which live deals are played.

Owns: tables in Redis, which may be lost, and then the tables in play are void. Replicas share them; a
replica's memory is only a cache.
Calls: the registry (owner of a token), the matchmaking service (results of tables that it opened).
Called by: the matchmaking service (OpenTable), workers that play for house bots (Play), and anybody, with a
token or without (maumau.client.live, or any gRPC client: docs/how-to/live.md).
"""
