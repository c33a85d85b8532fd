"""Builds the embedded arena and runs it until a signal."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from maumau.client import answer
from maumau.client.arena import Arena
from maumau.client.matchmaking import Matchmaking
from maumau.contest.format import FORMATS
from maumau.engine import background
from maumau.errors import BadDataFolder, ClosedClient, HouseBotRefused, MaumauError
from maumau.process.importing import hold
from maumau.process.scratch import scratch
from maumau.sandbox.launch import Sandbox, choose_sandbox
from maumau.screen.output import fail
from services.shared.base.settings import Settings
from services.shared.process.heartbeat import read_beat
from services.supervisor import client, layout
from services.supervisor.contests import demo, house, ladders
from services.supervisor.ending import Ending
from services.supervisor.environment import hold_environment
from services.supervisor.folder import Folder
from services.supervisor.launch import Launch, Stopped
from services.supervisor.layout import Wiring
from services.supervisor.lease_reaper import LeaseReaper
from services.supervisor.process.forked import ForkServer
from services.supervisor.process.roster import Roster
from services.supervisor.room import Room
from services.supervisor.screen import Screen
from services.supervisor.stop import Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TICK, PATIENCE = 0.5, 60.0
"""Seconds between looks at the processes, and that a service may be away."""


def main(server: ForkServer) -> None:
    """Run `python -m services.supervisor` until SIGINT, SIGTERM or SIGHUP; a refusal is one line and exit 1.

    An arena that has lost a port restarts in the same process, with other ports.
    """
    os.umask(0o077)  # for this process and all its children: databases, logs, Valkey's files, exports
    options = parse_options()
    stop = Stop()
    for number in SIGNALS:
        signal.signal(number, stop.request_stop)
    try:
        lost_port = Supervisor(options, layout.read_settings(read_environment(options)), stop, server).run()
    except MaumauError as error:
        raise SystemExit(fail(error.reason, str(error), 1, as_json=options.json)) from None
    finally:
        for number in SIGNALS:  # it has ended; a second Ctrl-C must not print a traceback
            signal.signal(number, signal.SIG_IGN)
    if lost_port and not stop.asked:
        hold()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in SIGNALS[1:]:
            signal.signal(number, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - no shell


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.supervisor", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--workers", type=int, default=0, help="worker processes; 0 means one per core")
    parser.add_argument("--programme", choices=sorted(demo.PROGRAMMES), help="demonstration tournaments")
    parser.add_argument("--format", choices=sorted(FORMATS), help="the format that all of them show")
    parser.add_argument(
        "--trust", action="store_true", help="take strangers' programs although the sandbox cannot hold them"
    )
    parser.add_argument("--strict", action="store_true", help="end with exit 1 if the demonstration fails")
    parser.add_argument("--json", action="store_true", help="each line as a JSON document")
    parser.add_argument("--with-parent", action="store_true", help="stop when the starting process ends")
    parser.add_argument(
        "--elsewhere", action="store_true", help="commands do not find this folder by themselves"
    )
    parser.add_argument("--plain", action="store_true", help="lines only, no live picture")
    return parser.parse_args()


def read_environment(options: argparse.Namespace) -> dict[str, str]:
    """Return the environment; with --trust, strangers' programs are trusted."""
    given = dict(os.environ)
    if options.trust and given.get("MAUMAU_UPLOADS") == "all":
        given["MAUMAU_UPLOADS"] = "trusted"
    return given


class Supervisor:
    """A run of the arena."""

    def __init__(
        self,
        options: argparse.Namespace,
        settings: Settings,
        stop: threading.Event,
        server: ForkServer | None = None,
    ) -> None:
        """Prepare a run. Without a fork server, every process starts by itself."""
        self._options, self._settings, self._stop, self._server = options, settings, stop, server
        self._screen = Screen(plain=options.plain, as_json=options.json)
        self._parent = os.getppid()
        self._say = self._screen.print_line
        self._environment = hold_environment()
        self._folder = Folder(options.data)
        self._room = Room(self._folder.path)
        self._lease_reaper = LeaseReaper(self._folder.card, self._say)
        self._roster = Roster(self._say, self._lease_reaper.note_end)
        self._links, self._linking = ExitStack(), threading.Lock()
        self._failure: MaumauError | None = None
        self._lost_port = False
        self._may_compile, self._has_compiled = threading.Event(), False

    def run(self) -> bool:
        """Start everything, keep it running until the stop, stop everything; raise the error of a strict run.

        Return True if it stopped because another program has taken a port.
        """
        with scratch("arena") as temporary:
            self._run_arena(temporary)
        if self._failure:
            raise self._failure
        self._may_compile.set()
        self._start_compiler()
        return self._lost_port

    def _run_arena(self, temporary: Path) -> None:
        try:
            wiring = self._start_services(temporary)
            self._print_greeting(wiring)
            self._play_contests(wiring)
            self._keep_running()
        except Stopped:
            pass
        finally:
            self._stop.set()
            with self._linking:
                self._links.close()
            self._screen.close()
            self._say("stopping")
            self._save_card(
                pid=0, processes=self._roster.stop_children()
            )  # killed ones: reported at the next start
            self._say("stopped")

    def _start_services(self, temporary: Path) -> Wiring:
        self._say(f"data: {self._folder.path}")
        if self._folder.was_open:
            self._say("other users of this machine could read the data folder; from now on only you can")
        self._build_walls()
        env = {**os.environ, "TMPDIR": str(temporary)}
        launch = Launch(self._folder, self._roster, self._settings, env, self._say, self._stop, self._server)
        wiring = launch.start_arena(self._options.workers or len(os.sched_getaffinity(0)))
        if self._server:
            self._server.close()
        self._folder.save_card(
            **wiring.addresses,
            redis=wiring.redis,
            broker=wiring.broker,
            pid=os.getpid(),
            processes=self._roster.list_pids(),
        )
        return wiring

    def _build_walls(self) -> None:
        """Choose the sandbox for all workers, and whose programs may be played in it."""
        tier = choose_sandbox(self._settings.sandbox)
        weakness = find_weakness(tier, local=self._settings.local)
        is_trusting = self._options.trust or self._settings.uploads == "trusted"
        house_only = self._settings.uploads == "house" or (weakness and not is_trusting)
        uploads = "house" if house_only else "trusted" if weakness else "all"
        is_lenient = self._settings.local or house_only or is_trusting
        image = self._settings.image or ("optional" if is_lenient else "required")
        self._settings = replace(self._settings, sandbox=tier.name, uploads=uploads, image=image)
        self._say(f"sandbox: {tier.says}")
        if house_only and weakness:
            self._say(f"uploads: house bots only, because {weakness}; --trust takes everybody's")
        elif house_only:
            self._say("uploads: house bots only")
        elif weakness:
            self._say(f"uploads: everybody's, trusted (--trust), although {weakness}")

    def _print_greeting(self, wiring: Wiring) -> None:
        self._say(f"watch in a browser: http://{wiring.web}")
        self._say("arena: " + ", ".join(f"{name} {at}" for name, at in wiring.addresses.items()))
        at = f" --arena {self._folder.path}" if self._options.elsewhere else ""
        here = f"with `{at.strip()}` every command" if at else "here `maumau`"
        opens = {
            "open": f"`maumau login --new NAME{at}` makes an author's account",
            "code": f"`maumau admin invite --group GROUP{at}` makes codes that open authors' accounts",
            "closed": f"`maumau admin accounts NAME…{at}` opens authors' accounts",
        }[self._settings.signup]
        self._say(f"log in: {here} is the arena's admin without a login; {opens}")
        if self._settings.open:
            self._say(
                f"accounts: {self._settings.quota_accounts_hour} an hour from one address; for a class,"
                f" `maumau admin accounts NAME…{at}`{'' if at else ' here'} opens as many as you name"
            )
        kept = "" if self._options.with_parent else "; the next start picks up where this one left off"
        self._say(f"Ctrl-C stops everything{kept}")

    def _play_contests(self, wiring: Wiring) -> None:
        admin = self._connect_client(wiring, self._folder.card.token)
        pids, restart = self._roster.list_pids, self._roster.restart_child
        self._start_thread(
            client.watch_health, wiring.addresses, self._stop, pids, restart, self._read_beat, self._say
        )
        self._start_thread(self._lease_reaper.run, admin, self._stop)
        self._start_thread(self._house_and_demo, wiring, admin)
        demos = demo.choose_demos(self._options.programme, self._options.format)
        self._start_thread(self._screen.follow_tournaments, admin, self._stop, {each.name for each in demos})
        self._screen.start_picture(self._render_footer)

    def _read_beat(self, name: str) -> int:
        return read_beat(layout.ready_file(self._folder, name))

    def _start_thread(self, target: Callable[..., None], *args: object) -> None:
        threading.Thread(target=target, args=args, daemon=True).start()

    def _house_and_demo(self, wiring: Wiring, admin: Arena) -> None:
        try:
            kept = self._folder.card.house_token
            token = house.renew_token(admin, self._connect_client(wiring, kept), kept)
            self._folder.save_card(house_token=token)
            shows = self._options.programme and not self._options.with_parent
            link = self._open_ladders(wiring) if shows else None
            bots = house.House(
                self._connect_client(wiring, token), self._say, self._print_warning
            ).admit_bots(self._stop)
            if not self._stop.is_set():  # else some may still be waiting to be submitted or validated
                self._say(f"house bots: {', '.join(bots) or 'none'}")
            if not self._options.programme:
                self._may_compile.set()
            elif not self._stop.is_set():
                has_joined = bool(link and self._join_ladders(link, bots))
                demos = demo.choose_demos(self._options.programme, self._options.format)
                ending = Ending(self._screen, admin, self._folder.path, takes_anyone=self._settings.open)
                tell = ending.tell_result if link else (lambda _: None)  # the parent asks for the result
                demo.play_demos(admin, demos, bots, self._print_warning, self._let_compile(tell), self._stop)
                if link and not self._stop.is_set():
                    ending.tell_next(demos)
                    if has_joined or self._join_ladders(link, bots):
                        ladders.follow_ladders(link, self._say, self._stop)
        except (ClosedClient, Stopped):
            pass  # the arena stops
        except MaumauError as error:
            self._report_error(error)

    def _let_compile(self, tell: Callable[[answer.Tournament], None]) -> Callable[[answer.Tournament], None]:
        """Return `tell`, after which the engine may be compiled: the first deal does not wait for that."""

        def tell_and_compile(tournament: answer.Tournament) -> None:
            tell(tournament)
            self._may_compile.set()

        return tell_and_compile

    def _start_compiler(self) -> None:
        """Start compiling the engine once, in a process that outlives the arena. Only for the main thread."""
        if self._may_compile.is_set() and not self._has_compiled:
            self._has_compiled = True
            self._roster.spare_process(background.start())

    def _open_ladders(self, wiring: Wiring) -> Matchmaking:
        with self._linking:
            if self._stop.is_set():
                raise Stopped
            link = self._links.enter_context(Matchmaking(wiring.matchmaking, self._folder.card.token))
        try:
            ladders.open_ladders(link)
        except ClosedClient:
            raise
        except MaumauError as error:  # the demonstration does not wait for them
            self._print_warning(f"the ladders cannot be opened yet: {error}")
        return link

    def _join_ladders(self, link: Matchmaking, bots: list[str]) -> bool:
        """Let the house bots join the ladders; return False if these cannot be opened yet."""
        try:
            ladders.open_ladders(link)  # in case that failed before
        except ClosedClient:
            raise
        except MaumauError as error:
            self._print_warning(f"the ladders cannot be opened yet: {error}")
            return False
        ladders.join_house(link, bots, self._print_warning)
        self._say(
            f"the house bots play on the ladders {', '.join(ladders.RULES)} from now on, too;"
            f" `maumau ladder watch {ladders.RULES[0]}` shows the table as it moves"
        )
        return True

    def _report_error(self, error: MaumauError) -> None:
        """Report an error; end a strict run, and any that has fewer than two house bots."""
        if not self._options.strict and not isinstance(error, HouseBotRefused):
            self._say(f"error: {error}")
            return
        self._failure = error
        self._stop.set()

    def _print_warning(self, line: str) -> None:
        self._screen.print_line(line, bold=True)

    def _keep_running(self) -> None:
        while not self._stop.wait(TICK):
            if self._options.with_parent and os.getppid() != self._parent:
                return
            self._start_compiler()
            changed = self._roster.check_children()
            if self._has_lost_port():
                return
            if line := self._room.check_due():
                self._say(line)
            if changed or (line and not self._room.full):
                self._save_card(processes=self._roster.list_pids())

    def _has_lost_port(self) -> bool:
        """Return True if a restart helps: not if a setting names the port, or a parent knows it."""
        name = self._roster.find_displaced()
        if not name or self._options.with_parent or layout.is_port_fixed(self._settings, name):
            return False
        self._print_warning(
            f"another program keeps the port of {name}: the arena stops, and starts again with a free port"
        )
        self._lost_port = True
        return True

    def _save_card(self, **changes: object) -> None:
        """Save changes; a full disk is no reason to stop, and is reported once."""
        try:
            self._folder.save_card(**changes)
        except BadDataFolder as error:
            line = self._room.check_disk()
            if line or not self._room.full:
                self._say(line or f"error: {error}")

    def _connect_client(self, wiring: Wiring, token: str) -> Arena:
        """Return a client whose pending calls end when the arena stops.

        Raise Stopped after that, since another arena may have the ports by now.
        """
        with self._linking:
            if self._stop.is_set():
                raise Stopped
            arena = Arena(wiring.registry, wiring.tournament, token, patience=PATIENCE)
            return self._links.enter_context(arena)

    def _render_footer(self) -> str:
        return describe_processes(self._roster.list_pids())


def describe_processes(pids: Mapping[str, int]) -> str:
    """Return a line about the processes by their names; a pid of 0 is one that awaits its restart."""
    if down := [name for name, pid in pids.items() if not pid]:
        return f"restarting: {', '.join(down)}"
    return f"all {len(pids)} processes are running; `maumau status` shows their state"


def find_weakness(tier: Sandbox, *, local: bool) -> str:
    """Return the reason why strangers' programs need `--trust`; "" if they do not.

    Without control groups a program's processes can use memory that is not counted, and without an image in
    memory their reads can leave hints for their next seating: good enough on a machine that only its own
    users reach (`local`). Runtimes that lack only an image of their own are refused by the workers.
    """
    if not tier.isolated:
        return "programs can do here whatever you can"
    if not tier.counted and not local:
        return "no control group counts the memory of a program's processes together"
    if not local and not tier.holds_in_memory("python"):
        return "there is no image in memory, so that what programs read tells their next seating something"
    return ""
