"""Uses more CPU than starting may."""

while True:
    pass
