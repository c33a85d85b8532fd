"""Backup and restore: a program beside the databases, not a server.

It owns no tables and knows none by name: it reads those that the services' migrations made, writes them in
a format of its own (docs/decisions/0069-backup.md), and has the same migrations make them again. It calls
no service and none calls it; `maumau admin` starts it, and a scheduler may.
"""
