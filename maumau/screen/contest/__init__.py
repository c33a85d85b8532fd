"""A contest as text on a terminal: headline, groups, brackets, Swiss stages, table."""
