"""The Swiss rules: calls, accusations, the plenum, the Zug, misdeals, and sips."""
