"""Tables of what was played: results, takes of matches, bots' forms, links of chains."""
