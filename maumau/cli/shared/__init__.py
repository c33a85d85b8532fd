"""Parts of several commands: the arena and its tokens, programs at home, replays, export files."""
