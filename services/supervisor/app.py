"""Builds the embedded arena and runs it until a signal."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from maumau.bot import sandbox
from maumau.cli.output import fail
from maumau.cli.scratch import scratch
from maumau.cli.start import hold
from maumau.client import Arena
from maumau.errors import BadDataFolder, ClosedClient, HouseBotRefused, MaumauError
from maumau.matchmaking import Matchmaking
from services.shared.settings import Settings
from services.supervisor import client, demo, house, ladders, layout
from services.supervisor.ending import Ending
from services.supervisor.folder import Folder
from services.supervisor.launch import Launch, Stopped
from services.supervisor.layout import Wiring
from services.supervisor.lease_reaper import LeaseReaper
from services.supervisor.room import Room
from services.supervisor.roster import Roster
from services.supervisor.screen import Screen
from services.supervisor.stop import Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TICK, PATIENCE = 0.2, 60.0
"""Seconds between looks at the processes, and that a service may be away."""


def main() -> None:
    """`python -m services.supervisor`: until SIGINT, SIGTERM or SIGHUP; a refusal is one line and exit 1.

    An arena that has lost a port begins anew in the same process, with other ports.
    """
    options = _options()
    stop = Stop()
    for number in SIGNALS:
        signal.signal(number, stop.ask)
    try:
        lost_port = Supervisor(options, layout.settings(_environment(options)), stop).run()
    except MaumauError as error:
        raise SystemExit(fail(error.reason, str(error), 1, as_json=options.json)) from None
    finally:
        for number in SIGNALS:  # it has ended; one more Ctrl-C is none of Python's last words
            signal.signal(number, signal.SIG_IGN)
    if lost_port and not stop.asked:
        hold()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in SIGNALS[1:]:
            signal.signal(number, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - no shell


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.supervisor", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--workers", type=int, default=0, help="worker processes; 0 means one per core")
    parser.add_argument("--programme", choices=sorted(demo.PROGRAMMES), help="demonstration tournaments")
    parser.add_argument(
        "--trust", action="store_true", help="take strangers' programs although the sandbox cannot hold them"
    )
    parser.add_argument("--strict", action="store_true", help="end with exit 1 if the demonstration fails")
    parser.add_argument("--json", action="store_true", help="each line as a JSON document")
    parser.add_argument("--with-parent", action="store_true", help="stop when the starting process ends")
    parser.add_argument("--plain", action="store_true", help="lines only, no live picture")
    return parser.parse_args()


def _environment(options: argparse.Namespace) -> dict[str, str]:
    """With --trust everybody's programs are trusted ones."""
    given = dict(os.environ)
    if options.trust and given.get("MAUMAU_UPLOADS") == "all":
        given["MAUMAU_UPLOADS"] = "trusted"
    return given


class Supervisor:
    """One run of the arena."""

    def __init__(self, options: argparse.Namespace, settings: Settings, stop: threading.Event) -> None:
        self._options, self._settings, self._stop = options, settings, stop
        self._screen = Screen(plain=options.plain, as_json=options.json)
        self._parent = os.getppid()
        self._say = self._screen.say
        self._folder = Folder(options.data)
        self._room = Room(self._folder.path)
        self._lease_reaper = LeaseReaper(self._folder.card, self._say)
        self._roster = Roster(self._say, self._lease_reaper.ended)
        self._links, self._linking = ExitStack(), threading.Lock()
        self._failure: MaumauError | None = None
        self._lost_port = False

    def run(self) -> bool:
        """Starts all, keeps it running until the stop, stops all; raises what ended a strict run.

        Whether it stopped because another program has taken a port.
        """
        with scratch("arena") as temporary:
            self._run(temporary)
        if self._failure:
            raise self._failure
        return self._lost_port

    def _run(self, temporary: Path) -> None:
        try:
            wiring = self._start(temporary)
            self._greet(wiring)
            self._work(wiring)
            self._keep_running()
        except Stopped:
            pass
        finally:
            self._stop.set()
            with self._linking:
                self._links.close()
            self._screen.close()
            self._say("stopping")
            self._note(pid=0, processes=self._roster.stop())  # what was killed is reported at the next start
            self._say("stopped")

    def _start(self, temporary: Path) -> Wiring:
        self._say(f"data: {self._folder.path}")
        self._build_walls()
        env = {**os.environ, "TMPDIR": str(temporary)}
        launch = Launch(self._folder, self._roster, self._settings, env, self._say, self._stop)
        wiring = launch.start(self._options.workers or len(os.sched_getaffinity(0)))
        self._folder.save(
            **wiring.addresses, redis=wiring.redis, broker=wiring.broker,
            pid=os.getpid(), processes=self._roster.pids(),
        )  # fmt: skip
        return wiring

    def _build_walls(self) -> None:
        """Chooses the sandbox once for all workers, and whose programs may be played in it."""
        tier = sandbox.choose_sandbox(self._settings.sandbox)
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

    def _greet(self, wiring: Wiring) -> None:
        self._say(f"watch in a browser: http://{wiring.web}")
        self._say("arena: " + ", ".join(f"{name} {at}" for name, at in wiring.addresses.items()))
        self._say(
            "log in: here `maumau` is the arena's admin without a login;"
            " `maumau login --new NAME` makes an author's account"
        )
        kept = "" if self._options.with_parent else "; the next start picks up where this one left off"
        self._say(f"Ctrl-C stops everything{kept}")

    def _work(self, wiring: Wiring) -> None:
        admin = self._connect(wiring, self._folder.card.token)
        pids, restart = self._roster.pids, self._roster.restart
        self._thread(client.watch, wiring.addresses, self._stop, pids, restart)
        self._thread(self._lease_reaper.run, admin, self._stop)
        self._thread(self._house_and_demo, wiring, admin)
        demos = demo.PROGRAMMES.get(self._options.programme, ())
        self._thread(self._screen.follow, admin, self._stop, {each.name for each in demos})
        self._screen.show(self._footer)

    def _thread(self, target: Callable[..., None], *args: object) -> None:
        threading.Thread(target=target, args=args, daemon=True).start()

    def _house_and_demo(self, wiring: Wiring, admin: Arena) -> None:
        try:
            kept = self._folder.card.house_token
            token = house.token(admin, self._connect(wiring, kept), kept)
            self._folder.save(house_token=token)
            shows = self._options.programme and not self._options.with_parent
            link = self._open_ladders(wiring) if shows else None
            bots = house.House(self._connect(wiring, token), self._say, self._warn).admit(self._stop)
            self._say(f"house bots: {', '.join(bots) or 'none'}")
            if self._options.programme and not self._stop.is_set():
                demos = demo.PROGRAMMES[self._options.programme]
                ending = Ending(self._screen, admin, self._folder.path)
                tell = ending.tell_result if link else (lambda _: None)  # the parent asks itself
                demo.play(admin, demos, bots, self._warn, tell, self._stop)
                if link and not self._stop.is_set():
                    ending.tell_next(demos)
                    self._go_on_with_ladders(link, bots)
        except (ClosedClient, Stopped):
            pass  # the arena stops
        except MaumauError as error:
            self._fault(error)

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
            self._warn(f"the ladders cannot be opened yet: {error}")
        return link

    def _go_on_with_ladders(self, link: Matchmaking, bots: list[str]) -> None:
        ladders.open_ladders(link)  # where they could not be before
        ladders.join_house(link, bots, self._warn)
        self._say(
            f"the house bots go on playing on the ladders {', '.join(ladders.RULES)};"
            f" `maumau ladder watch {ladders.RULES[0]}` shows the table as it moves"
        )
        ladders.follow(link, self._say, self._stop)

    def _fault(self, error: MaumauError) -> None:
        """Without two bots there is no demonstration; any other trouble ends only a strict run."""
        if not self._options.strict and not isinstance(error, HouseBotRefused):
            self._say(f"error: {error}")
            return
        self._failure = error
        self._stop.set()

    def _warn(self, line: str) -> None:
        self._screen.say(line, bold=True)

    def _keep_running(self) -> None:
        while not self._stop.wait(TICK):
            if self._options.with_parent and os.getppid() != self._parent:
                return
            changed = self._roster.tick()
            if self._has_lost_port():
                return
            if line := self._room.tick():
                self._say(line)
            if changed or (line and not self._room.full):
                self._note(processes=self._roster.pids())

    def _has_lost_port(self) -> bool:
        """Whether it is better to begin anew: not if a setting names the port, or a parent knows it."""
        name = self._roster.displaced()
        if not name or self._options.with_parent or layout.is_port_fixed(self._settings, name):
            return False
        self._warn(
            f"another program keeps the port of {name}: the arena stops, and starts again with a free port"
        )
        self._lost_port = True
        return True

    def _note(self, **changes: object) -> None:
        """Writes down what changed; a full disk is no reason to stop, and is said once."""
        try:
            self._folder.save(**changes)
        except BadDataFolder as error:
            line = self._room.look()
            if line or not self._room.full:
                self._say(line or f"error: {error}")

    def _connect(self, wiring: Wiring, token: str) -> Arena:
        """A client whose calls end when the arena stops, whoever waits for them.

        Stopped: nobody connects any more, for another arena may have the ports by now.
        """
        with self._linking:
            if self._stop.is_set():
                raise Stopped
            arena = Arena(wiring.registry, wiring.tournament, token, patience=PATIENCE)
            return self._links.enter_context(arena)

    def _footer(self) -> str:
        pids = self._roster.pids()
        return "  ".join(f"{name} {pid or 'down'}" for name, pid in pids.items())


def find_weakness(tier: sandbox.Sandbox, *, local: bool) -> str:
    """Why strangers' programs are not taken without `--trust`, in words; empty if they are.

    Without control groups a program's processes can use memory that nobody counts, and without an image in
    memory what they read tells their next seating something: enough of a wall on a machine that only its own
    users reach (`local`). Runtimes that lack only an image of their own are refused by the workers.
    """
    if not tier.isolated:
        return "programs can do here whatever you can"
    if not tier.counted and not local:
        return "no control group counts the memory of a program's processes together"
    if not local and not tier.holds_in_memory("python"):
        return "there is no image in memory, so that what programs read tells their next seating something"
    return ""
