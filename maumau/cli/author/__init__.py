"""Commands for authors of bots: at home, rules, accounts and submissions."""
