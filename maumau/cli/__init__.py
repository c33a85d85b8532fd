"""The `maumau` command: a package of commands for each kind of reader, and what they share."""
