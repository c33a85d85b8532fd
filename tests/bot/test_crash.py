"""The line of a log that says why a program ended, as each language writes it."""

import pytest

from maumau.protocol.crash import excerpt_log, find_error

PYTHON = """starting
Traceback (most recent call last):
  File "/bot/bot.py", line 3, in <module>
    plan()
    ~~~~^^
  File "/bot/bot.py", line 2, in plan
    raise ValueError("kein Plan")
ValueError: kein Plan
"""
PYTHON_OWN = """Traceback (most recent call last):
  File "/bot/bot.py", line 4, in <module>
    raise Boom("kein Plan")
Boom: kein Plan
"""
PYTHON_SYNTAX = """  File "/bot/bot.py", line 1
    x =
       ^
SyntaxError: invalid syntax
"""
NODE = """/bot/bot.js:1
throw new Error('kein Plan')
^

Error: kein Plan
    at Object.<anonymous> (/bot/bot.js:1:7)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at node:internal/main/run_main_module:28:49

Node.js v20.20.2
"""
NODE_PROMISE = """node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: The promise rejected with the reason "kein Plan".
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2
"""
NODE_TYPE = """/bot/bot.js:1
null.x
     ^

TypeError [ERR_X]: kein Plan
    at Object.<anonymous> (/bot/bot.js:1:7)

Node.js v20.20.2
"""
GO = """panic: runtime error: index out of range [5] with length 0

goroutine 1 [running]:
main.main()
\t/bot/m.go:3 +0x3d
exit status 2
"""
RUST = """
thread 'main' (32077) panicked at r.rs:1:85:
index out of bounds: the len is 0 but the index is 5
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_OLD = """thread 'main' panicked at 'kein Plan', src/main.rs:3:5
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_RESULT = "Error: ParseIntError { kind: Empty }\n"
JAVA = """Exception in thread "main" java.lang.IllegalStateException: kein Plan
\tat J.main(J.java:1)
Caused by: java.lang.NullPointerException: o is null
\t... 1 more
"""
CPP = """terminate called after throwing an instance of 'std::runtime_error'
  what():  kein Plan
"""
CPP_ASSERT = "bot: bot.cpp:3: int main(): Assertion `c<1' failed.\n"
BASH = "reading\nbot.sh: line 2: nix: unbound variable\n"
OTHER = "one\nkein Plan mehr\n"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (PYTHON, "ValueError: kein Plan"),
        (PYTHON_OWN, "Boom: kein Plan"),
        (PYTHON_SYNTAX, "SyntaxError: invalid syntax"),
        (PYTHON + "\nDuring handling of the above exception, another exception occurred:\n\n" + PYTHON_OWN,
         "Boom: kein Plan"),
        (NODE, "Error: kein Plan"),
        (NODE_PROMISE, 'UnhandledPromiseRejection: The promise rejected with the reason "kein Plan".'),
        (NODE_TYPE, "TypeError [ERR_X]: kein Plan"),
        (GO, "panic: runtime error: index out of range [5] with length 0"),
        (RUST, "r.rs:1:85: index out of bounds: the len is 0 but the index is 5"),
        (RUST_OLD, "'kein Plan', src/main.rs:3:5"),
        (RUST_RESULT, "Error: ParseIntError { kind: Empty }"),
        (JAVA, "java.lang.IllegalStateException: kein Plan"),
        (CPP, "std::runtime_error: kein Plan"),
        (CPP_ASSERT, "bot: bot.cpp:3: int main(): Assertion `c<1' failed."),
        (BASH, "bot.sh: line 2: nix: unbound variable"),
        (OTHER, "kein Plan mehr"),
        ("kein Plan\n    at somewhere\nNode.js v20.20.2\n", "kein Plan"),
        ("   \n\n", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_line_that_says_why_is_found(log, words):
    assert find_error(log) == words


@pytest.mark.parametrize("log", [PYTHON, NODE, GO, RUST, JAVA, CPP, BASH])
def test_an_excerpt_holds_the_line_and_is_short(log):
    shown = excerpt_log("hundred\n" * 100 + log + ("more\n" * 100 if log is GO else ""))
    assert any(part in line for line in shown for part in ("kein Plan", "index out of", "unbound"))
    assert len(shown) <= 8


def test_an_excerpt_of_a_log_without_a_message_is_its_end():
    assert excerpt_log("".join(f"move {number}\n" for number in range(9))) == [
        "move 4", "move 5", "move 6", "move 7", "move 8",
    ]  # fmt: skip
