"""Variants in words that a card player understands, made from the clauses and options of their files.

`page` gives a variant's page; every field of every clause, and every option that no clause reads, has its
words in a table of one of these modules, and a test finds the one that has none.
"""

from maumau.rulebook.page import Page, markdown, page

__all__ = ["Page", "markdown", "page"]
