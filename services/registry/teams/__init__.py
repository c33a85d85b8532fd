"""Teams of accounts."""
