"""Feeds, calendars, and frames for other sites, about contests and ladders."""
