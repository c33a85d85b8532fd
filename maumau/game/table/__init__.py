"""The table: stock, pile, penalty cards; reaction windows, the end, and points."""
