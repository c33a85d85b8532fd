"""A record as one self-contained page: `maumau replay --html`, `maumau play --html`."""
