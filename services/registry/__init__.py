"""Accounts, tokens, bots, their versions and the programs behind them, as submitted and as built.

Owns: its tables (account, token, bot, version, turn, platform, outbox and others) and the artifacts' folder
or bucket.
Calls: no service; sends `worker.validate_version` to the broker.
Called by: authors and admins (maumau.client), workers, and services that ask for the owner of a token.
"""
