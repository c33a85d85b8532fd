"""The arena that a command uses: by its address, its folder, the last login."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

from maumau.cli.author import account
from maumau.cli.player.hosting import write_command
from maumau.cli.shared import login, place, told_address
from maumau.errors import BadArena, BadFile, BadLogin, NoArena, NotLoggedIn


@pytest.fixture(autouse=True)
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_address, "ask_page", lambda _: "")
    monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: None)


@pytest.mark.parametrize(
    ("text", "registry", "tournament", "tls"),
    [
        ("example.org", "example.org:7101", "example.org:7102", False),
        ("http://example.org", "example.org:7101", "example.org:7102", False),
        ("http://example.org:7100", "example.org:7101", "example.org:7102", False),  # as the page is called
        ("example.org:9000", "example.org:9000", "example.org:9001", False),
        ("http://10.0.0.1:9000,9005/", "10.0.0.1:9000", "10.0.0.1:9005", False),
        ("[::1]:9000", "[::1]:9000", "[::1]:9001", False),
        ("https://example.org", "example.org:443", "example.org:443", True),
        ("https://example.org:8443", "example.org:8443", "example.org:8443", True),
    ],
)
def test_an_address_names_both_services(text: str, registry: str, tournament: str, tls: bool) -> None:
    found = place.find_arena(text)
    assert (found.registry, found.tournament, found.tls) == (registry, tournament, tls)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("http://127.0.0.1:9101,9202,9303,9404", (9101, 9202, 9303, 9404)),
        (
            "http://elsewhere.example:9101,9202,9303,9404",
            (9101, 9202, 9303, 9404),
        ),  # its ports alone are taken
        ("http://127.0.0.1", (7101, 7102, 7103, 7104)),
        ("https://127.0.0.1:9101", (8000, 8001, 8002, 8003)),  # this call is in plain text
        ("anything; else", (8000, 8001, 8002, 8003)),
        ("", (8000, 8001, 8002, 8003)),
    ],
)
def test_the_address_of_a_page_leads_to_the_services(
    told: str, expected: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(told_address, "ask_page", lambda url: asked.append(url) or told)
    for text in ("http://127.0.0.1:8000/", "127.0.0.1:8000"):  # browsers show it without http://
        assert ports_of(place.find_arena(text)) == expected
    assert asked == ["http://127.0.0.1:8000"] * 2


def ports_of(found: place.ArenaPlace) -> tuple[int, ...]:
    """Return the ports of the services, in the order of an address."""
    services = found.registry, found.tournament, found.engine, found.matchmaking
    return tuple(int(address.rpartition(":")[2]) for address in services)


@pytest.mark.parametrize("text", ["127.0.0.1", "http://127.0.0.1:1,2", "https://127.0.0.1:8000"])
def test_no_page_is_asked_for_what_is_no_address_of_one(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_address, "ask_page", lambda url: pytest.fail(f"asked {url}"))
    assert place.find_arena(text)


REST = ("tournament", "engine", "matchmaking")


@pytest.mark.parametrize(
    ("text", "told", "expected", "guessed"),
    [
        ("127.0.0.1:9000", "http://127.0.0.1:9000,9444,9222,9888", (9000, 9444, 9222, 9888), ()),
        ("10.0.0.7:9000", "http://127.0.0.1:9000,9444,9222,9888", (9000, 9444, 9222, 9888), ()),
        ("10.0.0.7:9000,9001", "http://10.0.0.7:9000,9444,9222,9888", (9000, 9444, 9222, 9888), ()),
        ("10.0.0.7", "http://10.0.0.7:7101,7102,9222,7104", (7101, 7102, 9222, 7104), ()),
        ("https://10.0.0.7:7101", "https://a.example:7101,7102,7103,7104", (7101, 7102, 7103, 7104), ()),
        ("https://10.0.0.7", "https://a.example", (443, 443, 443, 443), ()),
        # they lead to it another way: by a port that is forwarded, by a proxy, in plain text
        ("10.0.0.7:9000", "http://10.0.0.7:7101,7102,7103,7104", (9000, 9001, 9002, 9003), REST),
        ("https://10.0.0.7", "https://a.example:7101,7102,7103,7104", (443, 443, 443, 443), REST),
        ("10.0.0.7:9000", "https://a.example:9000,9444,9222,9888", (9000, 9001, 9002, 9003), REST),
        # an earlier release, which tells nothing; nobody
        ("10.0.0.7:9000", "", (9000, 9001, 9002, 9003), REST),
        ("10.0.0.7:9000,9005", "", (9000, 9005, 9006, 9007), REST[1:]),
        ("10.0.0.7:9000", None, (9000, 9001, 9002, 9003), ()),
    ],
)
def test_the_registry_tells_the_ports_that_nobody_named(
    text: str,
    told: str | None,
    expected: tuple[int, ...],
    guessed: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: told)
    found = place.find_arena(text)
    assert (ports_of(found), found.guessed) == (expected, guessed)


def test_an_arena_whose_four_ports_are_named_is_not_asked_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_address, "ask_registry", lambda address, *, tls: pytest.fail(f"asked {address}"))
    assert ports_of(place.find_arena("http://10.0.0.7:9000,9444,9222,9888")) == (9000, 9444, 9222, 9888)


def test_the_address_of_an_arena_on_this_machine_is_that_of_its_registry(tmp_path: Path) -> None:
    """Its other ports are told by the registry."""
    ports = ("127.0.0.1:7101", "127.0.0.1:7102", "127.0.0.1:7103", "127.0.0.1:7104")
    names = ("registry", "tournament", "matchmaking", "engine")
    card = {**dict(zip(names, ports, strict=True)), "token": "", "pid": os.getpid()}
    (tmp_path / "arena.json").write_text(json.dumps(card))
    assert place.write_shared_address(place.find_arena(str(tmp_path))) == "http://127.0.0.1:7101"


def test_an_address_is_shown_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_address, "ask_page", lambda _: "")
    monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: "")
    found = place.find_arena("http://10.0.0.7:9000")
    assert place.write_typed_address(found) == "http://10.0.0.7:9000"


def test_the_command_for_a_friend_names_the_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever home it is typed in: nothing that this computer keeps is needed."""
    monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: "")
    found = place.find_arena("http://10.0.0.7:9000,9005,9006,9007")
    assert write_command(found, "table_1/1/x") == (
        "maumau seat --table table_1/1/x --arena http://10.0.0.7:9000,9005,9006,9007"
    )


def test_guesses_are_kept_out_of_what_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: "")
    guess = place.find_arena("http://10.0.0.7:9000,9005")
    assert place.write_shared_address(guess) == "http://10.0.0.7:9000,9005"
    assert place.hint_at_guess(guess, "tournament") == ""
    assert place.hint_at_guess(guess, "engine") == (
        "its port is a guess, as the arena does not tell it: name all,"
        " --arena http://10.0.0.7:9000,9005,ENGINE,MATCHMAKING"
    )


@pytest.mark.parametrize("listens", [True, False])
def test_what_is_no_arena_tells_no_address(listens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        if listens:
            monkeypatch.setattr(told_address, "PATIENCE", 0.2)
            assert told_address.ask_page(f"http://{address}") == ""
            assert told_address.ask_registry(address, tls=False) is None
    assert told_address.ask_page(f"http://{address}") == ""
    assert told_address.ask_registry(address, tls=False) is None


@pytest.mark.parametrize("text", ["", " ", "a b", "ftp://x", "x:99999", "x:y", "http://", "x:1,2,3,4,5"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadArena):
        place._parse_arena(text)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MAUMAU_ARENA", "MAUMAU_DATA", "MAUMAU_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def card(folder: Path, pid: int) -> None:
    folder.mkdir(parents=True)
    text = {"registry": "127.0.0.1:1", "tournament": "127.0.0.1:2", "token": "mm_admin", "pid": pid}
    (folder / "arena.json").write_text(json.dumps(text))


def test_the_arena_of_the_current_folder_comes_before_the_users(home: Path) -> None:
    card(home / "data/maumau", os.getpid())
    assert place.find_arena(None).folder == home / "data/maumau"
    card(home / ".maumau", os.getpid())
    assert place.find_arena(None).folder == home / ".maumau"


def test_an_arena_that_was_stopped_is_named_with_the_command_that_starts_it(home: Path) -> None:
    card(home / ".maumau", 0)
    with pytest.raises(NoArena, match=r"not running; `maumau up --data \.maumau` starts it"):
        place.find_arena(None)


def test_an_arena_that_was_killed_counts_as_stopped(home: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    card(home / ".maumau", gone.pid)
    with pytest.raises(NoArena, match="not running"):
        place.find_arena(None)


def test_what_is_named_comes_before_what_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card(home / ".maumau", os.getpid())
    monkeypatch.setenv("MAUMAU_ARENA", "b.example")
    assert place.find_arena(None).registry == "b.example:7101"
    assert place.find_arena("a.example").registry == "a.example:7101"


def test_the_last_login_elsewhere_is_meant_where_there_is_no_arena(home: Path) -> None:
    name = place.find_arena("https://a.example").name
    login.keep_token(name, "ada", "mm_secret")
    found = place.find_arena(None)
    assert (found.registry, found.tls, place.choose_token(found)) == ("a.example:443", True, "mm_secret")


def test_a_login_keeps_the_ports_of_all_services(home: Path) -> None:
    named = place.find_arena("http://127.0.0.1:43761,42599,47953,50387")
    login.keep_token(named.name, "ada", "mm_ada", place.write_shared_address(named))
    assert ports_of(place.find_arena(None)) == ports_of(named)
    login.keep_token(named.name, "ada", "mm_rotated")
    assert ports_of(place.find_arena(None)) == ports_of(named)
    assert place.choose_token(named) == "mm_rotated"


def test_a_login_of_an_earlier_release_finds_all_services_and_its_token(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It kept two ports, the second of which may have been a guess."""
    login.keep_token("http://127.0.0.1:9000,9001", "ada", "mm_ada")
    told = "http://127.0.0.1:9000,9444,9222,9888"
    monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: told)
    found = place.find_arena(None)
    assert (ports_of(found), place.choose_token(found)) == ((9000, 9444, 9222, 9888), "mm_ada")


def test_a_token_is_found_when_another_port_than_the_registrys_has_changed(home: Path) -> None:
    before = place.find_arena("http://127.0.0.1:9000,9001,9002,9003")
    login.keep_token(before.name, "ada", "mm_ada", place.write_shared_address(before))
    now = place.find_arena("http://127.0.0.1:9000,9444,9222,9888")
    assert (now.name, place.choose_token(now)) == (before.name, "mm_ada")
    assert ports_of(now) == (9000, 9444, 9222, 9888)
    login.keep_token(now.name, "ada", "mm_ada", place.write_shared_address(now))
    assert ports_of(place.find_arena(None)) == (9000, 9444, 9222, 9888)


def test_a_command_without_a_token_names_the_accounts_that_are_kept(home: Path) -> None:
    address = "http://127.0.0.1:9000,9001,9002,9003"
    assert place.say_kept_accounts(["whoami", "--arena", address]) == ""
    name = place.find_arena(address).name
    for account_name in ("bob", "ada"):
        login.keep_token(name, account_name, f"mm_{account_name}", address)
    login.leave_token(name)
    said = "Kept on this computer: ada, bob; `maumau login --as NAME` uses one."
    assert place.say_kept_accounts(["whoami", f"--arena={address}"]) == said


def test_of_two_logins_at_one_registry_the_one_of_the_same_ports_counts(home: Path) -> None:
    """An earlier release kept both."""
    login.keep_token("http://127.0.0.1:9000,9001", "ada", "mm_old")
    login.keep_token("http://127.0.0.1:9000,9444", "ada", "mm_new")
    old = place.find_arena("http://127.0.0.1:9000,9001,9002,9003")
    other = place.find_arena("http://127.0.0.1:9000,9555,9002,9003")
    assert (place.choose_token(old), place.choose_token(other)) == ("mm_old", "mm_new")


def test_no_token_goes_unasked_to_another_registrys_port(home: Path) -> None:
    """Whoever listens there may be somebody else."""
    login.keep_token("http://127.0.0.1:9000,9001", "ada", "mm_ada")
    moved = place.find_arena("http://127.0.0.1:8000,8001,8002,8003")
    assert place.choose_token(moved) == ""
    assert login.find_elsewhere(moved.name) == {"http://127.0.0.1:9000,9001": {"ada": "mm_ada"}}
    assert login.find_elsewhere("http://127.0.0.2:8000,8001") == {}
    with pytest.raises(BadLogin, match=r"`maumau login --as ada --arena http://127\.0\.0\.1:8000,8001"):
        account._ask_token(moved)
    assert account._find_kept_token(moved, "ada", is_named=True) == "mm_ada"


def test_a_kept_token_goes_to_the_arena_that_it_is_kept_for(home: Path) -> None:
    """Such as one of two tunnels: `maumau login --as bob` sends no token of one to the other."""
    login.keep_token("http://127.0.0.1:9000,9001", "bob", "mm_bob")
    login.keep_token("http://127.0.0.1:8000,8001", "ada", "mm_ada")
    assert account._find_arena_of("bob").registry == "127.0.0.1:9000"
    assert account._find_arena_of("ada").registry == "127.0.0.1:8000"
    with pytest.raises(BadLogin, match=r"No token of eve at http://127\.0\.0\.1:8000,8001 .*kept here: ada"):
        account.log_in(account="eve")


@pytest.mark.parametrize("runs", [True, False])
def test_a_kept_token_is_found_in_a_folder_with_an_arena_of_its_own(runs: bool, home: Path) -> None:
    """Whether that arena runs or not; a folder that is gone with its arena is nobody's."""
    card(home / ".maumau", os.getpid() if runs else 0)
    far = place.find_arena("http://10.0.0.7:9000,9005,9006,9007")
    login.keep_token(far.name, "bob", "mm_bob", place.write_shared_address(far))
    login.keep_token(str(home / "gone"), "bob", "mm_gone")
    found = account._find_arena_of("bob")
    assert (found.name, ports_of(found)) == (far.name, (9000, 9005, 9006, 9007))


def test_the_arena_of_the_folder_comes_first_where_several_keep_a_name(home: Path) -> None:
    card(home / ".maumau", os.getpid())
    login.keep_token("http://10.0.0.7:9000,9001", "bob", "mm_far")
    login.keep_token(str(home / ".maumau"), "bob", "mm_near")
    assert account._find_arena_of("bob").folder == home / ".maumau"


def test_two_names_of_one_registry_are_one_arena(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier release kept both."""
    login.keep_token("http://127.0.0.1:9000,9001", "bob", "mm_old")
    login.keep_token("http://127.0.0.1:9000,9444", "bob", "mm_new")
    login.keep_token("http://127.0.0.1:9000,9444", "eve", "mm_eve")
    login.keep_token("http://127.0.0.1:8000,8001", "bob", "mm_other")
    monkeypatch.setenv("MAUMAU_ARENA", "http://127.0.0.1:9000,9001,9002,9003")
    assert account._find_arena_of("bob").registry == "127.0.0.1:9000"
    usual = place.find_arena(None)
    assert account._write_return(usual, "bob") == "maumau login --as bob"
    assert login.list_accounts(usual.name) == {"bob": "mm_old", "eve": "mm_eve"}
    login.forget_token(usual.name, "bob")
    assert login.list_accounts(usual.name) == {"eve": "mm_eve"}
    assert login.find_arenas_of("bob") == ["http://127.0.0.1:8000,8001"]


def test_of_several_arenas_elsewhere_each_has_its_command(home: Path) -> None:
    card(home / ".maumau", os.getpid())
    address = "http://10.0.0.7:9000,9005,9006,9007"
    login.keep_token("http://10.0.0.7:9000,9005", "bob", "mm_one", address)
    login.keep_token("https://b.example:443,443", "bob", "mm_two", "https://b.example")
    with pytest.raises(BadLogin) as refused:
        account._find_arena_of("bob")
    assert str(refused.value) == (
        "Tokens of bob are kept for 2 arenas; say which one:"
        f" `maumau login --as bob --arena {address}`, `maumau login --as bob --arena https://b.example`."
    )


def test_a_logout_where_one_is_not_logged_in_names_the_arenas_where_one_is(home: Path) -> None:
    card(home / ".maumau", os.getpid())
    login.keep_token("https://b.example:443,443", "bob", "mm_bob", "https://b.example")
    login.keep_token(str(home / "gone"), "bob", "mm_gone")  # with its arena, so that no command finds it
    with pytest.raises(NotLoggedIn) as refused:
        account.log_out()
    assert str(refused.value) == (
        f"You are not logged in to {home}/.maumau. You are logged in elsewhere:"
        " `maumau logout --arena https://b.example`."
    )


def test_a_login_comes_before_the_admins_token_until_it_is_forgotten(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card(home / ".maumau", os.getpid())
    found = place.find_arena(None)
    assert place.choose_token(found) == "mm_admin"
    login.keep_token(found.name, "ada", "mm_ada")
    assert place.choose_token(found) == "mm_ada"
    monkeypatch.setenv("MAUMAU_TOKEN", "mm_env")
    assert place.choose_token(found) == "mm_env"
    monkeypatch.delenv("MAUMAU_TOKEN")
    login.leave_token(found.name)
    assert place.choose_token(found) == "mm_admin"


def test_a_second_account_does_not_replace_the_first(home: Path) -> None:
    login.keep_token("http://a:1,2", "grace", "mm_grace")
    login.keep_token("http://a:1,2", "grace2", "mm_grace2")
    assert login.find_account("http://a:1,2") == "grace2"
    assert login.list_accounts("http://a:1,2") == {"grace": "mm_grace", "grace2": "mm_grace2"}
    login.leave_token("http://a:1,2")
    assert login.token_in_use("http://a:1,2") == ""
    assert login.last_arena() == "http://a:1,2"
    assert set(login.list_accounts("http://a:1,2")) == {"grace", "grace2"}
    login.forget_token("http://a:1,2", "grace")
    assert login.list_accounts("http://a:1,2") == {"grace2": "mm_grace2"}


def test_a_checkout_names_the_arena_in_it(home: Path) -> None:
    card(home / "arena/.maumau", os.getpid())
    assert place.find_arena(str(home / "arena")).folder == home / "arena/.maumau"


def test_an_arena_on_this_machine_is_found_from_every_folder_after_a_login(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card(home / "arena/.maumau", os.getpid())
    login.keep_token(place.find_arena(str(home / "arena")).name, "ada", "mm_ada")
    (home / "bots").mkdir()
    monkeypatch.chdir(home / "bots")
    assert place.choose_token(place.find_arena(None)) == "mm_ada"


def test_tokens_are_for_their_owner_alone(home: Path) -> None:
    login.keep_token("http://a:1,2", "ada", "mm_a")
    assert login.logins_path().stat().st_mode & 0o777 == 0o600


def test_a_damaged_token_file_is_named(home: Path) -> None:
    login.keep_token("http://a:1,2", "ada", "mm_a")
    login.logins_path().write_text("{half")
    with pytest.raises(BadFile, match=r"tokens\.json cannot be read"):
        login.token_in_use("http://a:1,2")


def test_a_login_says_that_commands_here_look_for_an_arena_that_does_not_run(home: Path) -> None:
    card(home / ".maumau", 0)
    elsewhere = place.find_arena("http://10.0.0.7:9000,9005,9006,9007")
    assert account._hint_at_usual_arena(elsewhere) == (
        f"Commands here still look for another arena: the arena of {home}/.maumau is not running;"
        " `maumau up --data .maumau` starts it. For this one, add"
        " `--arena http://10.0.0.7:9000,9005,9006,9007` or type"
        " `export MAUMAU_ARENA=http://10.0.0.7:9000,9005,9006,9007`."
    )
