"""People play at the page against house bots."""
