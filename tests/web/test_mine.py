"""An author's work on the page, limited to their own things."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile

import pytest

from maumau.client import answer
from maumau.protocol.limit import UploadLimits
from maumau.submission.package import pack_submission
from services.web.private.author import _order_opponents
from services.web.private.standing import FaultGroup, FaultPlace
from services.web.private.upload import pack_files
from tests.support.kinds import one_of

MANIFEST = b'name = "NAME"\nrun = ["python3", "bot.py"]\n'
HOSTILE = "<script>alert(1)</script>"


def files(name: str, top: str = "my-bot/") -> dict[str, bytes]:
    """Return a folder as a browser sends it."""
    return {
        f"{top}bot.toml": MANIFEST.replace(b"NAME", name.encode()),
        f"{top}bot.py": os.urandom(8).hex().encode(),
    }


def zipped(content: dict[str, bytes], mode: int = 0) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, each in content.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, each)
    return buffer.getvalue()


def new_name(client) -> str:
    return f"bot-of-{client.who().account_name}"


def test_a_folder_becomes_a_version_whose_validation_is_shown(house) -> None:
    client, _, visitor = house.author()
    name = new_name(client)
    answer = visitor.upload("/me", "/me/upload", files(name))
    assert answer.status == 303, answer.words
    (bot,) = client.bots(mine=True)
    assert answer.headers["location"] == f"/me/versions/{bot.versions[0].id}"
    page = visitor.get(answer.headers["location"])
    assert "waits for validation" in page.words
    assert 'http-equiv="refresh"' in page.text
    assert "It plays as soon as it has passed its test deals" in page.words
    house.services.pass_validation(bot.versions[0].id)
    assert 'http-equiv="refresh"' not in visitor.get(answer.headers["location"]).text
    assert client.version(name).state == "active"


@pytest.mark.long
def test_an_uploaded_version_waits_for_its_author_who_wants_that(house) -> None:
    client, _, visitor = house.author()
    name = new_name(client)
    for fields, words in (
        ({}, "Die Version spielt, sobald sie"),
        ({"idle": "1"}, "entscheidest du das hier"),
    ):
        answer = visitor.upload("/me", "/me/upload", files(name), **fields)
        assert words in visitor.get(answer.headers["location"], accept_language="de").words
        house.services.pass_validation(client.bots(mine=True)[0].versions[0].id)
    assert "plays with version 1" in visitor.get("/me").words
    activate = f"{answer.headers['location']}/activate"
    assert visitor.send(answer.headers["location"], activate).headers["location"] == f"/me/bots/{name}"
    assert client.version(name).number == 2
    assert "plays with version" not in visitor.get("/me").words


def test_a_folder_and_its_zip_are_the_submission_that_the_command_makes(tmp_path) -> None:
    sent = {
        "my-bot/bot.toml": MANIFEST.replace(b"NAME", b"ada"),
        "my-bot/run.sh": b"#!/bin/sh\n",
        "my-bot/a/b.py": b"",
    }
    for name, content in sent.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "my-bot/run.sh").chmod(0o755)
    packed = pack_submission(tmp_path / "my-bot")
    left = {"my-bot/.git/config": b"x", "my-bot/__pycache__/b.pyc": b"x", "my-bot/.DS_Store": b"x"}
    assert pack_files([*sent.items(), *left.items()], UploadLimits()).archive == packed.archive
    assert pack_files([("bot.zip", packed.archive)], UploadLimits()).sha256 == packed.sha256


@pytest.mark.long
def test_a_single_file_is_a_bot_too(house) -> None:
    client, _, visitor = house.author()
    name = new_name(client)
    answer = visitor.upload("/me", "/me/upload", {f"{name}.py": b"print()"})
    assert answer.status == 303, answer.words
    assert client.bots(mine=True)[0].name == name


REFUSED = {
    "a path that leaves the folder": ({"x/bot.toml": MANIFEST, "x/../../evil": b""}, "not a plain path"),
    "an absolute path": ({"/etc/passwd": b"", "bot.toml": MANIFEST}, "not a plain path"),
    "backslashes in a zip": ({"b.zip": zipped({"bot.toml": MANIFEST, "..\\e": b""})}, "not a plain path"),
    "a zip that leaves": ({"b.zip": zipped({"bot.toml": MANIFEST, "../evil": b""})}, "not a plain path"),
    "a link in a zip": ({"b.zip": zipped({"bot.toml": b"/etc/passwd"}, stat.S_IFLNK | 0o777)}, "is a link"),
    "no zip at all": ({"b.zip": b"PK nothing"}, "not a valid zip"),
    "a bomb": ({"b.zip": b""}, "bytes allowed when unpacked"),
    "no manifest": ({"x/bot.py": b""}, "bot.toml is missing"),
    "a manifest that is none": ({"x/bot.toml": b"name = 3"}, "bot.toml, line 1"),
    "two files of one name": ({"b.zip": b"two"}, "Two files"),
    "a file that is a folder": ({"bot.toml": MANIFEST, "a": b"", "a/b": b""}, "file and a folder"),
}  # fmt: skip


@pytest.mark.sample
@pytest.mark.sample(2)
@pytest.mark.parametrize(("sent", "words"), one_of(2, REFUSED.values()), ids=REFUSED)
def test_what_cannot_be_a_bot_is_refused_in_words(house, sent, words) -> None:
    client, _, visitor = house.author()
    if sent == {"b.zip": b""}:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("bot.toml", MANIFEST)
            archive.writestr("zeros", bytes(65 << 20))
        sent = {"b.zip": buffer.getvalue()}
    elif sent == {"b.zip": b"two"}:
        twice = zipped({"bot.toml": MANIFEST, "bot.tomL": b""}).replace(b"bot.tomL", b"bot.toml")
        sent = {"b.zip": twice}
    answer = visitor.upload("/me", "/me/upload", sent)
    assert answer.status in (400, 409), answer.words
    assert words in answer.words
    assert 'href="/me#upload"' in answer.text
    assert client.bots(mine=True) == ()


@pytest.mark.long
def test_more_than_the_arena_takes_is_not_read(house) -> None:
    client, _, visitor = house.author()
    assert visitor.upload("/me", "/me/upload", {"b.zip": bytes(4 << 20)}).status == 413
    answer = visitor.upload("/me", "/me/upload", {"b.zip": os.urandom((1 << 20) + 1)})
    assert "bytes allowed" in answer.words
    assert client.bots(mine=True) == ()


def test_a_name_in_a_refusal_is_text(house) -> None:
    _, _, visitor = house.author()
    answer = visitor.upload("/me", "/me/upload", {"x/bot.toml": MANIFEST, f"x/../{HOSTILE}": b""})
    assert HOSTILE not in answer.text
    assert "alert(1)" in answer.words


def test_somebody_else_s_bot_of_that_name_is_not_replaced(house) -> None:
    owner, _, _ = house.author()
    name = house.services.bot("random", owner, name=new_name(owner))
    _, _, visitor = house.author()
    answer = visitor.upload("/me", "/me/upload", files(name))
    assert answer.status in (403, 409), answer.words
    assert len(owner.versions(name)) == 1


@pytest.fixture(scope="module")
def crashed(house):
    """Return a contest in which ada's bot crashed: her client, her browser, contest, bot, fault."""
    client, _, visitor = house.author()
    bot = house.services.bot("crash", client, name=f"crash-{client.who().account_name[-8:]}")
    name = house.services.create(block=2, cap=2)
    house.services.admin.open(name)
    client.enter(name, bot)
    house.services.enter(name, house.services.field("random")[0])
    house.services.admin.start(name)
    house.services.finish(name)
    (match,) = client.matches(name)
    return client, visitor, name, bot, client.faults(name, match.label, bot)[0].id


@pytest.mark.long
def test_a_group_of_faults_counts_every_deal_that_was_lost() -> None:
    """A forfeit of 12 deals is one fault; an arena that does not count them says 0."""
    faults = (answer.FaultSummary(f"fault_{n}", 1, "forfeit", n, "", "", n) for n in (0, 1, 12))
    places = tuple(FaultPlace("cup", "1.1.1", one) for one in faults)
    assert FaultGroup("forfeit", "", places).deals == 14


def test_an_author_sees_faults_and_takes_their_bundle_home(crashed) -> None:
    _, visitor, name, bot, fault = crashed
    page = visitor.get(f"/me/bots/{bot}")
    assert f"/me/faults/{fault}" in page.text
    assert name in page.words
    assert page.text.count('<details class="fault-group"') < page.text.count("/bundle")  # many in a group
    shown = visitor.get(f"/me/faults/{fault}")
    assert "ValueError: no idea" in shown.words
    assert f"maumau reproduce fault.json {bot}" in shown.words
    deal = visitor.get(f"/me/faults/{fault}/deal")
    assert deal.headers["content-disposition"] == 'attachment; filename="fault.html"'
    assert "ValueError: no idea" in deal.text
    mine = visitor.get("/me").words
    assert f"Last match: {name} 1.1.1 : no winner against" in mine
    bundle = visitor.get(f"/me/faults/{fault}/bundle")
    assert bundle.headers["content-disposition"] == 'attachment; filename="fault.json"'
    assert json.loads(bundle.text)["fault"]["stderr"].endswith("ValueError: no idea\n")


@pytest.mark.long
def test_nobody_else_sees_an_author_s_things_by_their_ids(crashed, house) -> None:
    client, _, _, bot, fault = crashed
    version = client.versions(bot)[0].id
    _, _, other = house.author()
    paths = (
        f"/me/faults/{fault}",
        f"/me/faults/{fault}/bundle",
        f"/me/faults/{fault}/deal",
        f"/me/versions/{version}",
        f"/me/bots/{bot}",
    )
    for path in paths:
        refused = other.get(path)
        assert refused.status == 403, path
        assert "ValueError" not in refused.text
        assert house.visitor().get(path).status == 303
    refused = other.post(f"/me/versions/{version}/activate", other.hidden("/me", "/logout"))
    assert refused.status == 403


@pytest.mark.long
def test_an_author_enters_and_withdraws_his_own_bots(house) -> None:
    client, _, visitor = house.author()
    bot = house.services.bot("random", client)
    name = house.services.create()
    house.services.admin.open(name)
    path = f"/me/contests/{name}"
    assert visitor.send(path, f"{path}/enter", {"bot": bot}).headers["location"] == f"{path}?entered={bot}"
    assert f"{bot} has entered." in visitor.get(f"{path}?entered={bot}").words
    assert "nobody has entered." not in visitor.get(f"{path}?entered=nobody").words
    assert [entry.bot_name for entry in client.tournament(name).entries] == [bot]
    assert name in visitor.get("/me").words
    _, _, other = house.author()
    token = other.hidden("/me", "/logout")
    assert other.post(f"{path}/withdraw", {**token, "bot": bot}).status == 403
    assert other.get(f"{path}/withdraw?bot={bot}").status == 409
    assert visitor.send(f"{path}/withdraw?bot={bot}", f"{path}/withdraw").status == 303
    assert all(entry.withdrawn for entry in client.tournament(name).entries)


def test_house_bots_are_the_first_opponents_offered_and_ones_own_the_last() -> None:
    bots = [
        answer.Bot("bot_1", name, account, ())
        for name, account in (("ace", "bob"), ("rollout", "house"), ("mine", "ada"), ("greedy", "house"))
    ]
    ordered = sorted(bots, key=lambda one: _order_opponents(one, ("ada",)))
    assert [one.name for one in ordered] == ["greedy", "rollout", "ace", "mine"]


@pytest.mark.long
def test_only_bots_with_an_active_version_practise_and_again_is_one_click(house) -> None:
    client, _, visitor = house.author()
    name = new_name(client)
    visitor.upload("/me", "/me/upload", files(name))
    assert f"<option>{name}</option>" not in visitor.get("/me").text
    assert "Only an active version can practise; none of your bots has one yet." in visitor.get("/me").words
    bot = house.services.bot("random", client)
    page = visitor.get("/me").text
    assert f"<option>{bot}</option>" in page
    assert f"<option>{name}</option>" not in page


def test_every_form_wants_its_session_s_token(house) -> None:
    _, _, visitor = house.author()
    for path in (
        "/me/upload",
        "/me/practice",
        "/me/contests/cup/enter",
        "/me/contests/cup/start",
        "/me/contests",
    ):
        assert visitor.post(path, {"bot": "x"}).status == 403, path
        assert house.visitor().post(path, {"bot": "x"}).headers["location"] == "/login?to=%2Fme"
