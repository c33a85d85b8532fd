"""The pages that people watch, and their JSON.

Owns: nothing; what it shows it has asked for a moment ago.
Calls: registry, tournament, matchmaking and engine, as a reader that sees what everybody may see
and, for who has logged in, with that person's token.
Called by: browsers, and programs that read `/api/v1`.
"""
