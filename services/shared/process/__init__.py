"""A service's process: its server, its health, its work in the background, and tasks for workers."""
