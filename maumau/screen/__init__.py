"""Text and pictures on a terminal, for the commands and for an arena that runs in one."""
