"""The `maumau` command, one file for each group of commands."""
