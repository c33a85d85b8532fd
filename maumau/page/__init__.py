"""A record as one page that needs nothing else: `maumau replay --html`, `maumau play --replay`."""
