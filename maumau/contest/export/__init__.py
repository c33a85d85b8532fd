"""Exports: the file of a contest, its chain of links, and `verify`."""
