"""Variants in words that a card player understands, made from the clauses and options of their files.

`build_page` gives a variant's page; every field of every clause, and every option that no clause reads, has
its words in a table of one of these modules, and a test finds the one that has none.
"""

from maumau.rulebook.page import RulePage, build_page, render_markdown

__all__ = ["RulePage", "build_page", "render_markdown"]
