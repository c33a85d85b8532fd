"""Processes of the arena: started, forked, watched and stopped together."""
