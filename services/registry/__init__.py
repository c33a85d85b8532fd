"""Accounts, tokens, bots, their versions and the programs behind them, as submitted and as built.

Owns: its tables (account, token, bot, version, outbox) and the artifacts' folder or bucket.
Calls: nobody; sends `worker.validate_version` to the broker.
Called by: authors and admins (maumau.client), workers, and every service that asks whose a token is.
"""
