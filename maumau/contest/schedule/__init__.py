"""The course of a tournament: what is to be played now, and the table."""
