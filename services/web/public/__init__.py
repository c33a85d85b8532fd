"""The pages that everybody may read, and the sources of what they show."""
