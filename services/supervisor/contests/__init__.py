"""The contests of an embedded arena: house bots, demonstration tournaments and ladders."""
