"""A gate runs what fails once more, alone, and names it; it hides no break."""

import pytest

from tests import retry

FLAKY = """
from pathlib import Path

def test_steady():
    pass

def test_flaky():
    seen = Path("seen")
    failed_before = seen.exists()
    seen.touch()
    assert failed_before
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Return a function that runs the tests of a text as a gate does, and gives status and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take most of the time
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p xdist -n 2\n")

    def run_gate(text):
        (tmp_path / "test_it.py").write_text(text)
        status = retry.main(["test_it.py"])
        return status, capfd.readouterr().out

    return run_gate


def test_a_test_that_passes_alone_is_named_as_flaky(run):
    status, output = run(FLAKY)
    assert status == 0
    assert output.splitlines()[-2:] == ["flaky: 1", "  test_it.py::test_flaky"]
    assert "1 failed, 1 passed" in output


@pytest.mark.long
def test_where_all_pass_nothing_is_flaky(run):
    status, output = run("def test_steady(): pass")
    assert status == 0
    assert output.splitlines()[-1] == "flaky: 0"


@pytest.mark.long
def test_what_fails_twice_is_red(run):
    status, output = run("def test_red(): assert False\ndef test_steady(): pass")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "flaky" not in output
    assert output.count("1 failed") == 2


@pytest.mark.long
def test_more_than_ten_failures_are_a_break(run):
    status, output = run(
        "import pytest\n@pytest.mark.parametrize('n', range(11))\ndef test_red(n): assert False"
    )
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "11 tests failed; more than 10 are not run again." in output


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "def test_red(): assert False\ndef test_end(): import pytest; pytest.exit('ended')",
        "",
        "import nothing_of_this_name",
    ],
    ids=["interrupted", "empty", "not importable"],
)
def test_a_run_that_did_not_end_is_red(run, text):
    status, output = run(text)
    assert status != 0
    assert "once more" not in output
    assert "flaky" not in output
