"""The referee: it seats programs, asks them, counts their time, and plays blocks of deals."""
