"""Pages of groups: joining one by a code, running it, and its contests for members."""
