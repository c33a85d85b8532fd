"""The protocol between the arena and programs: manifest, messages, replies, limits, faults."""
