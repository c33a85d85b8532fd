"""Tournaments of a group and unlisted ones: nothing tells others that they are there."""

import grpc
import pytest

from bench.support.patience import patient
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadSpec, MaumauError, NotAllowed, NotYours, UnknownGroup, UnknownTournament
from maumau.v1 import registry_pb2, registry_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.registry.servicer import NEEDS as REGISTRY_NEEDS
from services.shared.base.auth import Need
from services.tournament.rpc.servicer import NEEDS
from tests.support.waiting import until

READER = "mm_a-page-of-these-tests"
GROUP = "class-9b"
HIDDEN, ABSENT, UNLISTED = "cup-hidden", "cup-absent", "cup-unlisted"
OPEN = {Need.ANY, Need.AUTHOR, Need.LEADER, Need.PUBLIC}
SERVICES = (
    (tournament_pb2, tournament_pb2_grpc.TournamentServiceStub, NEEDS, "TournamentService"),
    (registry_pb2, registry_pb2_grpc.RegistryServiceStub, REGISTRY_NEEDS, "RegistryService"),
)
FILLED = {
    "label": "1.1.1", "bot_name": "first-0", "reason": "a reason", "text": "a text", "answer": "an answer",
    "number": 1, "nonce": "0" * 64, "spec_toml": "name = 3", "stage": 0, "set": 0,
}  # fmt: skip
REQUEST_ID = "request_of-these-comparisons"


def spec(name, visibility, group=""):
    top = f'visibility = "{visibility}"\n' + (f'group = "{group}"\n' if group else "")
    return (
        f'name = "{name}"\nrules = "mau_mau"\n{top}[[stage]]\nformat = "round_robin"\n'
        "[match]\nblock = 2\ncap = 4\ndelta = 0.001\n"
    )


@pytest.fixture(scope="module")
def house(start):
    with start(reader_token=READER, sweep=5.0) as arena:
        yield arena


@pytest.fixture(scope="module")
def people(house):
    """Return clients of a teacher, a pupil, an author, and an organiser and a member of another group."""
    found = {name: house.author()[0] for name in ("teacher", "pupil", "author", "other", "foreign")}
    names = {name: client.who().account_name for name, client in found.items()}
    house.admin.set_member(GROUP, names["teacher"], "organiser")
    house.admin.set_member(GROUP, names["pupil"])
    house.admin.set_member("class-8a", names["foreign"], "organiser")
    token = house.admin.create_token(names["other"], ("organiser",)).token
    found["other"] = house.admin.with_token(token)
    found["other"].token = token
    until(lambda: found["teacher"].who().groups)
    return found


@pytest.fixture(scope="module")
def cups(house, people):
    """Return the names of two running tournaments, of a group and unlisted, with one played block each."""
    teacher = people["teacher"]
    until(lambda: _tries(lambda: teacher.create(spec(HIDDEN, "group", GROUP))))
    house.admin.create(spec(UNLISTED, "unlisted"))
    for client, name in ((teacher, HIDDEN), (house.admin, UNLISTED)):
        client.open(name)
        for bot in house.field("first", "random"):
            house.enter(name, bot)
        client.start(name)
        house.worker.play(house.queued(name)[0].id)
    return HIDDEN, UNLISTED


def _tries(call):
    """Return the answer, None while services still remember who was in no group."""
    try:
        return call()
    except NotAllowed:
        return None


def strangers(people):
    return {"reader": READER, **{name: people[name].token for name in ("author", "other", "foreign")}}


def ask(house, service, method, token, fields):
    """Return the first answer, or the refusal: all that a caller is told, as bytes."""
    messages, stub, _, name = service
    request = getattr(messages, f"{method}Request")
    known = {one.name for one in request.DESCRIPTOR.fields}
    asked = request(**{key: value for key, value in fields.items() if key in known})
    descriptor = messages.DESCRIPTOR.services_by_name[name].methods_by_name[method]
    sent = (("authorization", f"Bearer {token}"), ("x-request-id", REQUEST_ID))
    with grpc.insecure_channel(house.address) as channel:
        call = getattr(stub(channel), method)
        given = iter((asked,)) if descriptor.client_streaming else asked
        try:
            answer = call(given, timeout=patient(20), metadata=sent)
            found = next(answer) if descriptor.server_streaming else answer
        except grpc.RpcError as error:
            told = sorted((key, value) for key, value in error.trailing_metadata() if key != "date")
            return f"{error.code()} {error.details()} {told}".encode()
        return found.SerializeToString()


def methods():
    for service in SERVICES:
        messages, _, needs, _ = service
        for method, need in needs.items():
            if need in OPEN:
                fields = {one.name for one in getattr(messages, f"{method}Request").DESCRIPTOR.fields}
                yield service, method, fields


@pytest.mark.long
def test_every_call_answers_as_if_a_hidden_tournament_had_never_been(house, people, cups) -> None:
    asked = 0
    for who, token in strangers(people).items():
        for service, method, fields in methods():
            if "tournament" not in fields or (who == "reader" and service[2][method] is not Need.ANY):
                continue
            found = [
                ask(house, service, method, token, {**FILLED, "tournament": name})
                for name in (HIDDEN, ABSENT)
            ]
            assert found[0].replace(HIDDEN.encode(), ABSENT.encode()) == found[1], (who, method)
            asked += 1
    assert asked > 60


@pytest.mark.long
def test_no_list_and_no_count_names_a_hidden_or_unlisted_tournament(house, people, cups) -> None:
    ids = [house.admin.tournament(name).id for name in cups]
    for who, token in strangers(people).items():
        for service, method, fields in methods():
            if "tournament" in fields or (
                who == "reader" and service[2][method] not in {Need.ANY, Need.PUBLIC}
            ):
                continue
            for active in (False, True):
                told = ask(house, service, method, token, {"active": active})
                for secret in (*cups, *ids, GROUP):
                    assert secret.encode() not in told, (who, method, secret)
    assert set(cups) <= {one.name for one in house.admin.tournaments()}
    assert set(ids) <= {one.contest_id for one in house.admin.queue().entries}
    assert people["author"].tournament(UNLISTED).name == UNLISTED


@pytest.mark.long
def test_a_fault_of_a_hidden_tournament_is_one_that_never_was(house, people, cups) -> None:
    teacher = people["teacher"]
    teacher.create(spec("cup-of-faults", "group", GROUP))
    teacher.open("cup-of-faults")
    for bot in house.field("crash", "first"):
        house.enter("cup-of-faults", bot)
    teacher.start("cup-of-faults")
    house.worker.play(house.queued("cup-of-faults")[0].id)
    fault = teacher.match("cup-of-faults", "1.1.1").faults[0].id
    absent = f"{fault[:-4]}zzzz"
    assert house.admin.fault(fault)
    for token in strangers(people).values():
        found = [ask(house, SERVICES[0], "GetFault", token, {"fault_id": one}) for one in (fault, absent)]
        assert found[0].replace(fault.encode(), absent.encode()) == found[1]


def test_a_group_sees_its_tournament_and_its_organiser_runs_it(house, people, cups) -> None:
    pupil, teacher = people["pupil"], people["teacher"]
    assert HIDDEN in [one.name for one in pupil.tournaments()]
    assert UNLISTED not in [one.name for one in pupil.tournaments()]
    assert pupil.tournament(HIDDEN).state == "running"
    assert next(pupil.watch(HIDDEN)).name == HIDDEN
    assert [one.name for one in pupil.queue().entries if one.name == HIDDEN] == [HIDDEN]
    assert len(pupil.standings(HIDDEN).standings) == 2
    with pytest.raises(NotAllowed, match="organisers of the arena or of a group"):
        pupil.pause(HIDDEN)
    assert teacher.pause(HIDDEN).state == "paused"
    assert house.admin.resume(HIDDEN).state == "running"


@pytest.mark.long
def test_whoever_leaves_a_group_sees_its_tournament_no_more(house, people, cups) -> None:
    leaver, name = house.author()
    house.admin.set_member(GROUP, name)

    def sees():
        try:
            return bool(leaver.tournament(HIDDEN))
        except UnknownTournament:
            return False

    until(sees)
    watch = leaver.watch(HIDDEN)
    assert next(watch).name == HIDDEN
    leaver.remove_member(GROUP)
    with pytest.raises(MaumauError):
        list(watch)
    until(lambda: not sees())


def can_see(client, name):
    """Return True if the client is told of the tournament, by its name and in the list."""
    try:
        found = bool(client.tournament(name))
    except UnknownTournament:
        found = False
    assert found == (name in list_names(client))
    return found


def lose_sight(client, name):
    """Wait until the client is not told of the tournament: for a moment services believe what was so."""
    until(lambda: name not in list_names(client))
    assert not can_see(client, name)


def list_names(client):
    return [one.name for one in client.tournaments()]


@pytest.mark.long
def test_whoever_made_a_tournament_of_a_group_and_left_it_neither_sees_nor_changes_it(house) -> None:
    name = house.author()[1]
    maker = house.admin.with_token(house.admin.create_token(name, ("author", "organiser")).token)
    house.admin.set_member(GROUP, name, "organiser")
    until(lambda: maker.who().groups)
    maker.create(spec("cup-of-a-leaver", "group", GROUP))
    assert can_see(maker, "cup-of-a-leaver")
    house.admin.set_member(GROUP, name, "member")
    until(lambda: not _may_edit(maker, "cup-of-a-leaver"))
    with pytest.raises(NotYours):
        maker.edit("cup-of-a-leaver", spec("cup-of-a-leaver", "public"))
    assert can_see(maker, "cup-of-a-leaver")
    house.admin.remove_member(GROUP, name)
    lose_sight(maker, "cup-of-a-leaver")
    with pytest.raises(UnknownTournament):
        maker.edit("cup-of-a-leaver", spec("cup-of-a-leaver", "public"))
    assert house.admin.tournament("cup-of-a-leaver").visibility == "group"


def _may_edit(client, name):
    try:
        return bool(client.edit(name, spec(name, "group", GROUP)))
    except NotYours:
        return False


def test_a_stranger_whose_bot_is_withdrawn_sees_the_tournament_no_more(house, people) -> None:
    stranger, name = house.author()
    house.admin.set_member(GROUP, name)
    people["teacher"].create(spec("cup-with-a-stranger", "group", GROUP))
    people["teacher"].open("cup-with-a-stranger")
    bots = [house.bot("first", client=stranger, name=f"of-{name}"), *house.field("first", "random")]
    for bot in bots:
        house.enter("cup-with-a-stranger", bot)
    people["teacher"].start("cup-with-a-stranger")
    house.admin.remove_member(GROUP, name)
    until(lambda: not stranger.who().groups)
    assert can_see(stranger, "cup-with-a-stranger")
    people["teacher"].withdraw("cup-with-a-stranger", bots[0])
    lose_sight(stranger, "cup-with-a-stranger")


def test_an_organiser_of_a_group_makes_tournaments_of_that_group_alone(people, cups) -> None:
    teacher, organiser = people["teacher"], people["other"]
    for visibility in ("public", "unlisted"):
        with pytest.raises(NotAllowed, match=f"contests of {GROUP} alone"):
            teacher.create(spec("cup-for-all", visibility))
    for client in (teacher, organiser):
        with pytest.raises(UnknownGroup, match="'class-8a' that you organise"):
            client.create(spec("cup-of-others", "group", "class-8a"))
    with pytest.raises(NotAllowed):
        people["pupil"].create(spec("cup-of-a-pupil", "group", GROUP))
    with pytest.raises(NotAllowed):
        teacher.edit(HIDDEN, spec(HIDDEN, "public"))


def test_an_admin_cannot_misspell_a_group(house, people) -> None:
    with pytest.raises(UnknownGroup, match="class-9c"):
        house.admin.create(spec("cup-misspelt", "group", "class-9c"))
    assert house.admin.create(spec("cup-of-an-admin", "group", GROUP)).name


def test_a_tournament_may_become_public_and_hidden_again(house, people) -> None:
    house.admin.create(spec("cup-changed", "group", GROUP))
    author = people["author"]
    for visibility, is_seen, is_listed in (("public", True, True), ("unlisted", True, False)):
        house.admin.edit("cup-changed", spec("cup-changed", visibility))
        assert (author.tournament("cup-changed").name == "cup-changed") is is_seen
        assert ("cup-changed" in [one.name for one in author.tournaments()]) is is_listed
    house.admin.edit("cup-changed", spec("cup-changed", "group", GROUP))
    with pytest.raises(UnknownTournament):
        author.tournament("cup-changed")


@pytest.mark.parametrize(
    ("visibility", "group", "words"),
    [
        ("group", "", 'needs the name of one: group = "class-9b"'),
        ("public", GROUP, 'visibility is "public"'),
        ("unlisted", GROUP, 'visibility is "unlisted"'),
        ("group", "Class 9b", "the name of a group"),
        ("secret", "", "visibility"),
    ],
)
def test_a_spec_names_a_group_exactly_where_it_is_for_one(visibility, group, words) -> None:
    with pytest.raises(BadSpec, match=words):
        parse_spec(spec("cup", visibility, group))


def test_visibility_changes_nothing_that_is_compared_or_that_earlier_releases_read() -> None:
    hidden, public = parse_spec(spec("cup", "group", GROUP)), parse_spec(spec("cup", "public"))
    assert hidden.shown == public.shown
    assert "visibility" not in public.to_toml()
    assert parse_spec(hidden.to_toml()) == hidden
