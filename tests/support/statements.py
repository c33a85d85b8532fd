"""Statements of Python files, found without a look into their expressions, which are nine nodes of ten."""

import ast
from collections.abc import Iterator

BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def list_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements directly in the blocks of a node, and its exception handlers and cases."""
    for name in BLOCKS:
        yield from getattr(node, name, ())


def walk_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements below a node."""
    for statement in list_statements(node):
        yield statement
        yield from walk_statements(statement)
