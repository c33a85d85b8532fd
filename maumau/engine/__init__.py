"""The compiled engine: which modules are compiled, the builds kept for this user, and their use at a start.

docs/explanation/compiled-engine.md explains it.
"""
