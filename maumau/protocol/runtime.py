"""The runtimes that a manifest may name."""

from __future__ import annotations

import msgspec


class Tool(msgspec.Struct, frozen=True):
    """A runtime: its program, and the commands that print its version and its folder (`home`)."""

    program: str
    version: tuple[str, ...]
    says: str
    home: tuple[str, ...] = ()


TOOLS = {
    "node": Tool("node", ("--version",), "JavaScript"),
    "bash": Tool("bash", ("--version",), "shell"),
    "c++": Tool("g++", ("--version",), "C and C++, built by gcc, g++ and what is in /usr"),
    "rust": Tool("rustc", ("--version",), "Rust, built by rustc and cargo", ("--print", "sysroot")),
    "go": Tool("go", ("version",), "Go, built by go", ("env", "GOROOT")),
    "java": Tool("javac", ("-version",), "Java, built by javac"),
}
SAYS = {
    "python": "Python with maumau and msgspec",
    "native": "executables that need at most the C and C++ libraries",
}
RUNTIMES = ("python", "native", *TOOLS)
