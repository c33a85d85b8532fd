"""A user's walk through a real arena, from the login to a verified export."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.support.checkout import ROOT
from maumau.cli.shared import contest_hint
from tests.cli.elsewhere import run_elsewhere
from tests.support.arenas.embedded import Running
from tests.support.terminal import Answer, Terminal
from tests.support.waiting import until

MATCH = "[match]\nblock = 500\ncap = 2000\n"  # a block that takes longer than a pause
BROKEN = 'name = "broken"\nrun = ["python3", "bot.py"]\n'


@pytest.fixture(scope="module")
def arena(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    arena = Running(tmp_path_factory.mktemp("cli") / "data", like=house_data)
    arena.wait_for_bots("first", "greedy", "random")
    yield arena
    assert not arena.says("submitting")  # a later start knows the house bots
    arena.end(signal.SIGINT)


@pytest.fixture(scope="module")
def admin(arena: Running, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """Return a terminal on the arena's own machine."""
    return Terminal(tmp_path_factory.mktemp("admin"), MAUMAU_DATA=str(arena.data))


@pytest.fixture(scope="module")
def ada(arena: Running, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """Return an author, logged in over the network, as from another machine."""
    card = arena.card()
    port = card["tournament"].rpartition(":")[2]
    terminal = Terminal(tmp_path_factory.mktemp("ada"))
    answer = terminal.run("login", "--new", "ada", "--arena", f"http://{card['registry']},{port}", "--json")
    assert answer.json()["account"]["account_name"] == "ada"
    assert answer.json()["account"]["scopes"] == ["author"]
    return terminal


@pytest.fixture(scope="module")
def copycat(ada: Terminal) -> Path:
    """Return a bot of ada's: the house's `first` under another name."""
    folder = ada.home / "copycat"
    shutil.copytree(ROOT / "maumau/bots/first", folder)
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"first"', '"copycat"'))
    return folder


@pytest.fixture(scope="module")
def cup(admin: Terminal, ada: Terminal) -> str:
    """Return a small tournament, decided."""
    words = ["--rules", "mau_mau", "--stage", "round_robin", "--stage", "single_elimination"]
    numbers = ["--third-place", "--block", "5", "--cap", "10", "--secret", "a-secret-of-this-test"]
    made = admin.run("tournament", "create", "--name", "cup", *words, *numbers, "--open", "--json").json()
    assert (made["state"], made["secret"], made["secret_given"]) == ("open", "", True)
    for bot in ("first", "greedy", "random"):
        admin.run("tournament", "enter", "cup", bot)
    assert admin.run("tournament", "start", "cup", "--json").json()["state"] == "running"
    told = admin.run("tournament", "watch", "cup", "--plain").out
    for words in ("cup is finished", "wins cup", "above the next by", "tournament export cup"):
        assert words in told
    return "cup"


def test_the_first_lines_of_an_arena_say_address_data_sandbox_and_how_to_log_in(arena: Running) -> None:
    card = arena.card()
    for words in (card["registry"], card["tournament"], str(arena.data), "sandbox: ", "maumau login"):
        assert arena.says(words)
    assert (arena.data / "arena.json").stat().st_mode & 0o777 == 0o600


def test_a_contest_named_for_a_variant_is_told_with_its_command(
    admin: Terminal, cup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contest_hint, "HINT_SECONDS", 60)
    refused = admin.run("rules", "show", cup, code=1).err
    assert "tschau_sepp. cup is a contest: `maumau rules show --contest cup` shows its rules." in refused
    admin.run("rules", "show", "--contest", cup)
    refused = " ".join(admin.run("duel", cup, "greedy", code=1).err.split())
    assert "cup is a contest: `maumau rules show --contest cup` shows its rules, and it is" in refused
    refused = " ".join(admin.run("practice", cup, "greedy", code=1).err.split())
    assert "cup is a contest: `maumau practice ... --contest cup` plays by its rules." in refused


@pytest.mark.long
def test_on_its_own_machine_one_is_the_admin_without_a_login(admin: Terminal) -> None:
    assert admin.run("whoami", "--json").json()["scopes"] == ["admin"]
    assert admin.run("whoami").out.strip() == (
        "admin (admin) with this arena's own token, not a login of yours"
    )


def test_an_author_on_the_arenas_own_machine_is_told_how_to_be_its_admin(
    arena: Running, tmp_path: Path
) -> None:
    desk = Terminal(tmp_path, MAUMAU_DATA=str(arena.data))
    desk.run("login", "--new", "heidi")
    told = "after `maumau logout` you are its admin, and `maumau login --as heidi` logs in again"
    for command in ("workers", "actions", "admin list", "admin accounts kim"):
        assert told in desk.run(*command.split(), code=1).err, command
    desk.run("logout")
    desk.run("workers")


def test_an_author_elsewhere_is_told_of_a_token_that_an_admin_makes(ada: Terminal) -> None:
    refused = ada.run("workers", code=1).err
    assert "maumau token create --account NAME --scope SCOPE" in refused
    assert "maumau logout" not in refused


def test_a_login_is_remembered_for_the_owner_alone(ada: Terminal) -> None:
    assert ada.run("whoami", "--json").json()["account_name"] == "ada"
    assert "own token" not in ada.run("whoami").out
    (tokens,) = ada.home.rglob("tokens.json")
    assert tokens.stat().st_mode & 0o777 == 0o600


def test_a_wrong_token_is_refused_and_not_kept(ada: Terminal, arena: Running, tmp_path: Path) -> None:
    stranger = Terminal(tmp_path, MAUMAU_DATA=str(arena.data))
    error = stranger.run("login", "--token", "mm_nobody-has-this-token", "--json", code=1).error()
    assert error["reason"] == "UNKNOWN_TOKEN"
    assert not list(tmp_path.rglob("tokens.json"))


def test_a_login_says_if_commands_still_use_another_arena(arena: Running, tmp_path: Path) -> None:
    """An arena's folder comes before a login, so that its admin is asked and not the new account."""
    desk = Terminal(tmp_path, MAUMAU_DATA=str(arena.data))
    registry = json.loads((arena.data / "arena.json").read_text())["registry"]
    told = desk.run("login", "--new", "judy", "--arena", registry).out
    assert f"Commands here still use {arena.data}: add `--arena {registry}`" in told
    assert desk.run("whoami").out.startswith("admin ")
    assert desk.run("whoami", "--arena", registry).out.startswith("judy ")
    assert "maumau login --as judy` logs in again" in desk.run("logout", "--arena", registry).out
    again = desk.run("login", "--as", "judy").out
    assert again.startswith(f"logged in to http://{registry},")
    assert " as judy " in again
    assert f"Commands here still use {arena.data}" in again
    assert "still use" not in desk.run("login", "--new", "mallory").out


def test_an_account_is_found_again_after_a_logout(arena: Running, tmp_path: Path) -> None:
    desk = Terminal(tmp_path, MAUMAU_DATA=str(arena.data))
    made = desk.run("login", "--new", "grace").out
    (token,) = re.findall(r"mm_\S+", made)
    assert "grace is kept as well" in desk.run("login", "--new", "grace2").out
    assert "maumau login --as grace2" in desk.run("logout").out
    taken = desk.run("login", "--new", "grace2", code=1).err
    assert "Its token is kept here: `maumau login --as grace2` uses it" in taken
    assert desk.run("whoami").out.startswith("admin ")  # as before the login, on the arena's own machine
    desk.run("login", "--as", "grace")
    assert desk.run("whoami").out.startswith("grace ")
    desk.run("login", "--as", "grace2")
    assert "maumau token create --account grace2" in desk.run("logout", "--forget").out
    refused = desk.run("login", "--as", "grace2", "--json", code=1).error()
    assert (refused["reason"], "kept here: grace" in refused["message"]) == ("BAD_LOGIN", True)
    assert desk.run("logout", "--json", code=1).error()["reason"] == "NOT_LOGGED_IN"
    desk.run("login", "--token", token)
    assert desk.run("whoami").out.startswith("grace ")


def test_a_token_kept_by_an_earlier_version_is_not_lost(arena: Running, tmp_path: Path) -> None:
    desk = Terminal(tmp_path, MAUMAU_DATA=str(arena.data))
    token = desk.run("login", "--new", "hedy", "--json").json()["token"]
    (file,) = tmp_path.rglob("tokens.json")
    file.write_text(json.dumps({"last": "", "tokens": {str(arena.data.resolve()): token}}))
    desk.run("login", "--new", "hedy2")
    desk.run("login", "--as", "hedy")
    assert desk.run("whoami").out.startswith("hedy ")


def test_a_name_that_is_taken_is_refused(admin: Terminal, ada: Terminal) -> None:
    assert admin.run("login", "--new", "ada", "--json", code=1).error()["reason"] == "NAME_TAKEN"


def test_a_submitted_bot_is_validated_and_plays(ada: Terminal, copycat: Path) -> None:
    assert "It plays as soon as it has passed its validation" in ada.run("submit", "copycat").out
    states = [line["state"] for line in ada.run("submit", "copycat", "--watch", "--json").json_lines()]
    assert states[-1] == "active"
    assert "valid" not in states
    rows = ada.run("bots", "--mine").out
    assert ("active" in rows, "does not play" in rows) == (True, False)
    again = ada.run("submit", "copycat", "--json").json()
    assert again["known"] is True
    assert again["version"]["number"] == 1
    assert "copycat" in [mine["name"] for mine in ada.run("bots", "--mine", "--json").json()]
    assert "deals" in ada.run("logs", "copycat").out


@pytest.mark.long
def test_who_asks_for_it_goes_on_with_the_version_before(ada: Terminal, copycat: Path) -> None:
    folder = shutil.copytree(copycat, ada.home / "hesitant")
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace("copycat", "hesitant"))
    ada.run("submit", "hesitant", "--watch")
    (folder / "more.py").write_text("")
    sent = ada.run("submit", "hesitant", "--no-activate", "--watch").out
    assert "once it has passed its validation, `maumau activate hesitant` lets it" in sent
    assert "version 2 of hesitant does not play; `maumau activate hesitant 2` lets it" in sent
    rows = [line for line in ada.run("bots", "--mine").out.splitlines() if line.startswith("hesitant")]
    assert [row.split()[2:4] for row in rows] == [["2", "valid"], ["1", "active"]]
    ada.run("activate", "hesitant")
    rows = [line for line in ada.run("bots", "--mine").out.splitlines() if line.startswith("hesitant")]
    assert [row.split()[2:4] for row in rows] == [["2", "active"]]
    newest, earlier = (ada.run("logs", "hesitant", *number, "--json").json() for number in ((), ("1",)))
    assert newest["version"].startswith("version_")
    assert earlier["version"].startswith("version_")
    assert newest["version"] != earlier["version"]
    assert "hesitant version 1 " in ada.run("activate", "hesitant", "v1").out
    rows = [line for line in ada.run("bots", "--mine").out.splitlines() if line.startswith("hesitant")]
    assert [row.split()[2:4] for row in rows] == [["2", "retired"], ["1", "active"]]


NOTING = """
from maumau.bot import Bot, run

class Noting(Bot):
    def act(self, view):
        self.note = f"of {len(view.legal)} actions the first"
        return view.legal[0]

run(Noting)
"""


@pytest.mark.long
def test_what_a_bot_notes_is_shown_with_the_deal_and_is_in_the_export(admin: Terminal, ada: Terminal) -> None:
    folder = ada.home / "noting"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "noting"\nrun = ["python3", "bot.py"]\nrules = ["mau_mau"]\n')
    (folder / "bot.py").write_text(NOTING)
    ada.run("submit", "noting", "--watch")
    flags = ["--rules", "mau_mau", "--stage", "round_robin", "--block", "5", "--cap", "5", "--open"]
    admin.run("tournament", "create", "--name", "notes", *flags)
    ada.run("tournament", "enter", "notes", "noting")
    admin.run("tournament", "enter", "notes", "first")
    assert "still has to confirm: noting of ada" in admin.run("tournament", "start", "notes").out
    assert "running" in ada.run("tournament", "show", "notes").out  # any command opens it
    admin.run("tournament", "watch", "notes", "--plain")
    shown = ada.run("match", "record", "notes", "1.1.1", "4").out.splitlines()
    assert shown[0] == "set 4, seating 0: A noting, B first"
    notes = [number for number, line in enumerate(shown) if line.startswith("    noting: of ")]
    assert notes
    assert all(shown[number - 1][0] in "ABs" for number in notes)  # an action, or the shuffle after it
    found = ada.run("match", "record", "notes", "1.1.1", "4", "--json").json()
    assert sum(len(deal["notes"]) for deal in found["set"]["deals"]) == len(notes)
    for number, reason, code in (("5", "UNKNOWN_SET", 1), ("99999999999", "USAGE", 2)):
        error = ada.run("match", "record", "notes", "1.1.1", number, "--json", code=code).error()
        assert error["reason"] == reason
    path = admin.home / admin.run("tournament", "export", "notes").out.strip()
    assert "agrees" in admin.run("verify", str(path)).out
    assert '"of":"set 1.1.1 4","values":{"notes":[{"deal":0,' in path.read_text()


def begin(admin: Terminal, name: str, block: int) -> None:
    """Start a match of one block between greedy and random."""
    flags = ["--rules", "mau_mau", "--stage", "round_robin", "--block", str(block), "--cap", str(block)]
    admin.run("tournament", "create", "--name", name, *flags, "--open")
    for bot in ("greedy", "random"):
        admin.run("tournament", "enter", name, bot)
    admin.run("tournament", "start", name)
    until(lambda: admin.run("match", "show", name, "1.1.1", code=None).code == 0)


def assert_open(events: list[str]) -> None:
    """Cards were drawn, and it is not said which."""
    assert any(event.endswith(" draw") for event in events)
    assert not [event for event in events if re.search(r" draw .|\+\d+ .", event)]


@pytest.mark.long
def test_a_match_is_watched_deal_by_deal_until_it_is_decided(admin: Terminal, ada: Terminal) -> None:
    begin(admin, "shown", 200)
    *deals, last = ada.run("match", "watch", "shown", "1.1.1", "--plain").out.splitlines()
    assert last.startswith(("greedy is ", "random is ", "greedy leads ", "random leads "))
    assert all(
        re.match(r"1\.1\.1 set \d+, seating [01]: A (greedy|random) B (greedy|random): ", deal)
        for deal in deals
    )
    assert any("; greedy wins, points " in deal for deal in deals)
    assert_open([event for deal in deals for event in deal.partition("; ")[0].split(", ")])
    told = ada.run("match", "watch", "shown", "1.1.1", "--json").json_lines()
    assert {each["state"] for each in told if "state" in each} == {"decided"}
    assert_open([event for each in told if "events" in each for event in each["events"]])


@pytest.mark.long
def test_a_tournament_is_watched_with_its_deals(admin: Terminal) -> None:
    begin(admin, "seen", 600)
    told = admin.run("tournament", "watch", "seen", "--deals", "--json").json_lines()
    deals = [line["deal"] for line in told if "deal" in line]
    assert {line["match"] for line in told if "deal" in line} == {"1.1.1"}
    assert_open([event for deal in deals for event in deal["events"]])
    assert "state" in {line.get("kind") for line in told}


def test_a_bot_that_does_not_start_is_refused_with_a_reason_and_a_log(ada: Terminal) -> None:
    folder = ada.home / "broken"
    folder.mkdir()
    (folder / "bot.toml").write_text(BROKEN)
    (folder / "bot.py").write_text("raise SystemExit('I will not')")
    answer = ada.run("submit", "broken", "--watch", code=1)
    assert "broken version 1" in answer.err
    assert "refused" in answer.err
    assert "I will not" in ada.run("logs", "broken").out
    assert ada.run("activate", "broken", "--json", code=1).error()["reason"] == "WRONG_STATE"


def test_a_folder_without_a_manifest_is_refused_before_it_is_sent(ada: Terminal) -> None:
    (ada.home / "empty").mkdir(exist_ok=True)
    assert ada.run("submit", "empty", "--json", code=1).error()["reason"] == "NO_MANIFEST"


def test_only_its_author_reads_a_log(ada: Terminal, arena: Running, tmp_path: Path, copycat: Path) -> None:
    eve = Terminal(tmp_path, MAUMAU_DATA=str(arena.data))
    eve.run("login", "--new", "eve")
    assert eve.run("logs", "first", "--json", code=1).error()["reason"] == "NOT_YOURS"
    assert eve.run("tournament", "create", "--name", "x", "--rules", "prsi", code=1).err.count("\n") == 1


def test_entering_twice_or_something_unknown_is_refused(admin: Terminal, ada: Terminal) -> None:
    admin.run("tournament", "create", "--name", "entries", "--rules", "prsi", "--open")

    def refusal(terminal: Terminal, *words: str) -> str:
        return terminal.run("tournament", *words, "--json", code=1).error()["reason"]

    admin.run("tournament", "enter", "entries", "first")
    assert refusal(admin, "enter", "entries", "first") == "ALREADY_ENTERED"
    assert refusal(admin, "enter", "entries", "nobody") == "UNKNOWN_BOT"
    assert refusal(admin, "enter", "nothing", "first") == "UNKNOWN_TOURNAMENT"
    assert refusal(ada, "enter", "entries", "first") == "NOT_YOURS"
    assert refusal(admin, "start", "entries") == "TOO_FEW_ENTRANTS"
    assert refusal(admin, "export", "entries") == "NOT_OVER"
    assert admin.run("tournament", "withdraw", "entries", "first", "--json").json()["withdrawn"] is True
    assert admin.run("tournament", "cancel", "entries", "--json").json()["state"] == "cancelled"


def test_a_refusal_about_a_contest_names_the_next_command(admin: Terminal) -> None:
    words = "tournament", "create", "--name", "spring-cup", "--rules", "prsi"
    admin.run(*words)
    assert admin.run(*words, code=1).err == (
        "error: There is a tournament 'spring-cup' already."
        " Choose another name; `maumau tournament show spring-cup` shows the one that has it.\n"
    )
    assert admin.run("tournament", "enter", "spring-cup", "first", code=1).err == (
        "error: spring-cup takes no entries yet: its organiser has to open it."
        " `maumau tournament open spring-cup` does so.\n"
    )
    assert admin.run("tournament", "show", "springcop", code=1).err == (
        "error: There is no tournament 'springcop'. Did you mean spring-cup?"
        " `maumau tournament list` lists the tournaments.\n"
    )
    assert admin.run("tournament", "show", "whist", code=1).err == (
        "error: There is no tournament 'whist'. `maumau tournament list` lists the tournaments.\n"
    )


def test_a_contest_without_sealed_rules_needs_no_validation_of_its_own(admin: Terminal) -> None:
    admin.run("tournament", "create", "--name", "plain-cup", "--rules", "prsi", "--open")
    assert admin.run("tournament", "trial", "plain-cup", "first").out == (
        "plain-cup has no sealed rules, so that first needs no validation for it\n"
    )


def test_it_can_be_paused_and_resumed(admin: Terminal) -> None:
    spec = admin.home / "long.toml"
    open_long = f"{MATCH.replace('2000', '20000')}alpha = 1e-12\n"  # undecided however slow the commands are
    spec.write_text(f'name = "long"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n{open_long}')
    admin.run("tournament", "create", "long.toml", "--open")
    for bot in ("first", "greedy"):
        admin.run("tournament", "enter", "long", bot)
    states = [
        admin.run("tournament", what, "long", "--json").json()["state"]
        for what in ("start", "pause", "resume")
    ]
    assert states == ["running", "paused", "running"]
    show = ("match", "show", "long", "1.1.1", "--json")
    until(lambda: _is_played(admin.run(*show, code=None)), 60)
    admin.run("tournament", "cancel", "long")
    for told in (
        admin.run("tournament", "show", "long").out,
        admin.run("match", "show", "long", "1.1.1").out,
        admin.run("match", "takes", "long", "1.1.1").out,
        admin.run("match", "watch", "long", "1.1.1").out,
    ):
        assert "stopped" in told
        assert "playing" not in told
    assert admin.run(*show).json()["match"]["state"] == "playing"


def _is_played(match: Answer) -> bool:
    return match.code == 0 and match.json()["match"]["state"] == "playing"


@pytest.mark.long
def test_the_table_and_the_bracket_are_shown(admin: Terminal, cup: str) -> None:
    shown = admin.run("tournament", "show", cup).out
    for words in ("finished", "final", "bye", "first", "greedy", "random", "final table"):
        assert words in shown
    found = admin.run("tournament", "show", cup, "--json").json()
    assert found["final"] is True
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3]
    assert found["tournament"]["secret"] == "a-secret-of-this-test"
    assert [line["sets"] > 0 for line in found["carryover"]] == [True] * 3
    assert "knowing deals from the other seating" in " ".join(shown.split())
    assert cup in admin.run("tournament", "list").out


@pytest.mark.long
def test_a_match_says_what_decided_it(admin: Terminal, cup: str) -> None:
    found = admin.run("match", "show", cup, "1.1.1", "--json").json()
    match = found["match"]
    assert match["state"] == "decided"
    assert match["rule"]
    assert match["low"] <= match["estimate"] <= match["high"]
    assert sum(block["sets"] for block in found["blocks"] if block["state"] == "done") >= match["sets"]
    said = admin.run("match", "show", cup, "1.1.1").out
    by_lead = match["rule"] == "sequential"
    assert re.search(r" (is better|leads)\b" if by_lead else re.escape(match["rule"]), said)
    banks = [line for line in said.splitlines() if line.startswith("bank: ")]
    assert [line.split()[1] for line in banks] == [match["first_name"], match["second_name"]]
    assert [bank["entrant"] for bank in found["banks"]] == [match["first"], match["second"]]
    assert all(0 < bank["mean_ms"] <= bank["p99_ms"] <= bank["largest_ms"] for bank in found["banks"])
    assert admin.run("match", "show", cup, "9.9.9", "--json", code=1).error()["reason"] == "UNKNOWN_MATCH"


def test_no_match_is_retaken_once_the_secret_is_out(admin: Terminal, cup: str) -> None:
    assert (
        admin.run("match", "retake", cup, "1.1.1", "--reason", "a test", "--json", code=1).error()["reason"]
        == "WRONG_STATE"
    )


def test_a_watch_of_what_is_over_tells_it_from_the_beginning_and_ends(admin: Terminal, cup: str) -> None:
    told = admin.run("tournament", "watch", cup, "--json").json_lines()
    assert told[0]["state"] == "finished"
    kinds = {line["kind"] for line in told if "kind" in line}
    assert {"state", "match_started", "match_decided"} <= kinds


def test_an_export_is_verified_and_a_changed_byte_is_found(admin: Terminal, cup: str) -> None:
    assert admin.run("tournament", "export", cup).out == "cup.export.jsonl\n"
    path = admin.home / "cup.export.jsonl"
    assert "set 0, seating 0" in admin.run("replay", str(path), "--match", "1.1.1", "--deal", "0").out
    assert "agrees" in admin.run("verify", str(path)).out
    assert admin.run("verify", str(path), "--json").json()["ok"] is True
    copied = admin.run("tournament", "export", cup, "--out", "-").out
    assert copied == path.read_text()
    lines = copied.splitlines(keepends=True)
    line = next(number for number, text in enumerate(lines, 1) if text.startswith('{"kind":"record"'))
    lines[line - 1] = lines[line - 1].replace('"score":', '"score":1')
    damaged = admin.home / "damaged.jsonl"
    damaged.write_text("".join(lines))
    answer = admin.run("verify", str(damaged), code=4)
    assert f"line {line}, score: said" in answer.out
    report = admin.run("verify", str(damaged), "--json", code=4).json()["report"]
    assert line in {each["line"] for each in report["differences"]}


@pytest.mark.long
@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_on_another_system_an_author_submits_and_anybody_verifies(
    arena: Running, admin: Terminal, cup: str, tmp_path: Path, platform: str
) -> None:
    """As far as it can be shown by taking away what that system lacks."""
    shutil.copytree(ROOT / "maumau/bots/random", bot := tmp_path / "wanderer")
    manifest = bot / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"random"', f'"wanderer-{platform}"'))
    card = arena.card()
    port = card["tournament"].rpartition(":")[2]
    (made,) = admin.run("admin", "accounts", f"bea-{platform}", "--json").json_lines()
    lines = {
        f"login --token {made['token']} --arena http://{card['registry']},{port}": "",
        "whoami": f"bea-{platform}",
        "submit wanderer": f"wanderer-{platform}",
        "bots": "greedy",
        f"tournament show {cup}": cup,
        f"tournament export {cup}": "cup.export.jsonl",
        "verify cup.export.jsonl": "",
        "logout --forget": "",
    }
    answers = run_elsewhere(platform, [*lines], tmp_path)
    for answer, expected in zip(answers, lines.values(), strict=True):
        assert answer["code"] == 0, answer
        assert expected in answer["out"], answer


def test_an_export_is_written_whole_or_not_at_all(admin: Terminal, cup: str) -> None:
    folder = admin.home / "folder"
    folder.mkdir()
    assert admin.run("tournament", "export", cup, "--out", "folder", code=1).err.startswith("error: folder")
    assert [path for path in admin.home.iterdir() if path.name.startswith(".folder")] == []
    assert list(folder.iterdir()) == []


def test_the_logs_of_its_processes_are_shown(admin: Terminal, arena: Running) -> None:
    assert "registration" in admin.run("logs", "--service", "registry").out
    lines = admin.run("logs", "--service", "all", "-n", "3", "--json").json_lines()
    assert {line["service"] for line in lines} <= {*arena.card()["processes"]}
    assert "valkey" in admin.run("logs", "--service", "nothing", code=1).err


@pytest.mark.long
def test_an_admin_opens_the_accounts_of_a_class_which_an_address_may_not(
    admin: Terminal, ada: Terminal, arena: Running, tmp_path: Path
) -> None:
    def person(name: str, **variables: str) -> Terminal:
        (tmp_path / name).mkdir()
        return Terminal(tmp_path / name, **variables)

    card = arena.card()
    far = f"http://{card['registry']},{card['tournament'].rpartition(':')[2]}"
    names = [f"pupil-{number}" for number in range(7)]
    told = admin.run("admin", "accounts", *names, "--json").json_lines()
    assert [one["account"] for one in told] == names
    pupil = person("pupil")
    pupil.run("login", "--token", told[6]["token"], "--arena", far)
    assert pupil.run("whoami", "--json").json()["account_name"] == "pupil-6"
    assert ada.run("admin", "accounts", "other", "--json", code=1).error()["reason"] == "NOT_ALLOWED"
    codes = [
        person(f"far-{number}").run("login", "--new", f"far-{number}", "--arena", far, "--json", code=None)
        for number in range(6)
    ]
    refused = codes[-1].error()
    assert (refused["reason"], refused["quota"]) == ("QUOTA_REACHED", "accounts of the address 127.0.0.1")
    assert 0 < refused["retry_after"] <= 3600
    own = person("own", MAUMAU_DATA=str(arena.data))
    own.run("login", "--new", "at-home")
    assert own.run("whoami", "--json").json()["scopes"] == ["author"]
