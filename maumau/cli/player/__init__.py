"""Commands for live tables, and the screen of a person who plays at one."""
