"""Lists in pages."""

from google.protobuf.wrappers_pb2 import StringValue

from services.shared.base import page


def fill(things, asked=0):
    return page.fill(things, asked, lambda thing: StringValue(value=thing), lambda thing: f"after {thing}")


def test_a_page_has_as_many_entries_as_were_asked_for_and_says_where_the_next_one_begins():
    found = fill(["a", "b", "c"], 2)
    assert [message.value for message in found.messages] == ["a", "b"]
    assert found.next_token == "after b"


def test_the_last_page_names_no_next_one():
    assert fill(["a", "b"], 2).next_token == ""
    assert fill([]) == ([], "")


def test_a_page_has_at_most_so_many_entries():
    things = [str(number) for number in range(2000)]
    assert len(fill(things).messages) == page.USUAL
    assert len(fill(things, 5000).messages) == page.MOST


def test_a_page_fits_into_a_message_whatever_its_entries_are():
    things = ["x" * (page.BYTES // 3)] * 10
    assert len(fill(things, 10).messages) == 3
    assert len(fill(["x" * 2 * page.BYTES] * 2, 10).messages) == 1
