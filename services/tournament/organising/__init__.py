"""The course of tournaments: creation, start, progress, previews, release of results."""
