"""Statistics of matches and fields: tests, intervals, ratings."""
