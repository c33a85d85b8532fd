"""The calls about people: new accounts, groups, and the codes that lead into them."""
