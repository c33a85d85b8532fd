"""The comparison of programs' sources: who may ask, what is told, and what is not there."""

import uuid

import pytest

from maumau import errors
from maumau.v1 import registry_pb2 as pb
from tests.bot.test_likeness import OWN, rename


def test_a_renamed_copy_is_told_to_an_organiser_without_its_source(registry, submitted, program):
    one = submitted(program(files={"choice.py": OWN}))[2]
    other = submitted(program(files={"choice.py": rename(OWN)}))[2]
    bare = submitted(program("nothing"))[2]
    hashes = [one.sha256, other.sha256, bare.sha256]
    found = registry.admin.CompareSources(sha256=hashes)
    (pair,) = found.pairs
    assert {pair.first, pair.second} == set(hashes[:2])
    assert pair.named
    assert pair.share > 0.9
    assert list(found.unreadable) == [bare.sha256]
    assert "choose" not in str(found)


def test_authors_may_not_ask(registry, submitted):
    author, _, version = submitted()
    with pytest.raises(errors.NotAllowed):
        author.CompareSources(sha256=[version.sha256])


def test_an_organiser_of_a_group_compares_the_programs_of_its_members_alone(registry, submitted, program):
    group = f"class-{uuid.uuid4().hex[:8]}"
    (author, _, one), (_, _, stranger) = (
        submitted(program(files={"choice.py": OWN})),
        submitted(program(files={"choice.py": rename(OWN)})),
    )
    teacher, _, other = submitted(program(files={"choice.py": f"{OWN}\nLAST = 1\n"}))
    hashes = [one.sha256, other.sha256, stranger.sha256]
    for client, role in ((author, pb.GROUP_ROLE_MEMBER), (teacher, pb.GROUP_ROLE_ORGANISER)):
        registry.admin.SetMember(group_name=group, account_name=client.name, role=role)
    found = teacher.CompareSources(sha256=hashes)
    assert [{pair.first, pair.second} for pair in found.pairs] == [set(hashes[:2])]
    assert list(found.unreadable) == [stranger.sha256]
    with pytest.raises(errors.NotAllowed):
        author.CompareSources(sha256=hashes)


@pytest.mark.parametrize("sha256", [["../../etc/passwd"], ["0" * 63], ["0" * 64] * 257, ["G" * 64]])
def test_odd_hashes_are_refused(registry, sha256):
    with pytest.raises(errors.BadRequest):
        registry.admin.CompareSources(sha256=sha256)


def test_a_program_that_is_not_there_is_unreadable(registry):
    assert list(registry.admin.CompareSources(sha256=["0" * 64]).unreadable) == ["0" * 64]
    assert not registry.admin.CompareSources().unreadable
