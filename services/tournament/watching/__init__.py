"""Feeds of events for those who watch, and wake-up calls for those who wait."""
