"""One process of an installation: its start, helpers, folders and traces, and which extras it has."""
