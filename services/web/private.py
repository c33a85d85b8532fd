"""The addresses of what depends on who has logged in; nothing of it is below a public one."""

from typing import Any, NamedTuple

from fastapi import FastAPI
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response

from maumau.bot.limit import UploadLimits
from maumau.client import Arena as People
from maumau.matchmaking import Matchmaking
from services.web.account import Account
from services.web.amend import Amend
from services.web.frame import Frame
from services.web.mine import Mine
from services.web.organise import ALL_STEPS, Organise
from services.web.own_ladder import OwnLadder
from services.web.private_page import PrivatePages
from services.web.route import Handler, add_page
from services.web.session import NotLoggedIn, Sessions

UPLOAD, CONTEST, LADDER = "/me/upload", "/me/contests/{name}", "/me/ladders/{name}"
SLACK = 1 << 20  # bytes of a form beside its files


class LoginParts(NamedTuple):
    """What logging in is built from. people, matchmaking: clients without a token.

    key: the page's own token, which seals cookies.
    page_url: where people reach the page, or "". upload_bytes: that a submission may have.
    """

    people: People
    matchmaking: Matchmaking
    key: str
    page_url: str
    upload_bytes: int


class PrivateHandlers(NamedTuple):
    """Handlers of those who have logged in, by what they come for."""

    account: Account
    mine: Mine
    ladder: OwnLadder
    organise: Organise
    amend: Amend


class StepConvertor(Convertor[str]):
    """What an organiser does with a contest, as a part of an address."""

    regex = "|".join(ALL_STEPS)

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("step", StepConvertor())


def upload_room(login: LoginParts) -> int:
    """Bytes of a form with a submission: files of a folder come unpacked."""
    return 2 * login.upload_bytes + SLACK


def add_private_routes(app: FastAPI, login: LoginParts, frame: Frame) -> None:
    """What depends on who has logged in; nothing of it is below a public address."""
    is_secure = login.page_url.startswith("https://")
    sessions = Sessions(login.people, login.matchmaking, login.key, secure=is_secure)
    account = Account(login.people.with_token(login.key), sessions, frame)
    pages = PrivatePages(sessions, frame)
    mine = Mine(pages, UploadLimits(packed=login.upload_bytes))
    handlers = PrivateHandlers(account, mine, OwnLadder(pages), Organise(pages), Amend(pages))
    for path, handler in list_pages(handlers).items():
        add_page(app, path, handler)
    for path, handler in list_actions(handlers).items():
        add_page(app, path, handler, ["POST"])

    async def closed(request: Request, error: Any) -> Response:
        return account.send_to_login(request, had=error.had)

    app.add_exception_handler(NotLoggedIn, closed)


def list_pages(handlers: PrivateHandlers) -> dict[str, Handler]:
    """What is looked at, by address."""
    account, mine, ladder, organise, amend = handlers
    return {
        "/login": account.show_login,
        "/me": mine.home,
        "/me/versions/{id}": mine.version,
        "/me/bots/{name}": mine.bot,
        "/me/faults/{id}": mine.fault,
        "/me/faults/{id}/bundle": mine.bundle,
        "/me/practice/{id}": mine.practice,
        "/me/new-contest": organise.new,
        CONTEST: organise.contest,
        LADDER: ladder.show,
        f"{CONTEST}/withdraw": mine.ask_withdraw,
        f"{CONTEST}/edit": amend.show_spec,
        f"{CONTEST}/disqualify": amend.ask_disqualify,
        f"{CONTEST}/{{step:step}}": organise.ask_step,
        f"{CONTEST}/matches/{{label}}": organise.ask_retake,
    }


def list_actions(handlers: PrivateHandlers) -> dict[str, Handler]:
    """What forms ask for, by address."""
    account, mine, ladder, organise, amend = handlers
    return {
        "/login": account.log_in,
        "/logout": account.log_out,
        UPLOAD: mine.upload,
        "/me/versions/{id}/activate": mine.activate,
        "/me/practice": mine.practise,
        "/me/new-contest": organise.check,
        "/me/new-contest/toml": organise.download,
        "/me/contests": organise.create,
        f"{CONTEST}/enter": mine.enter,
        f"{CONTEST}/withdraw": mine.withdraw,
        f"{CONTEST}/edit": amend.edit,
        f"{CONTEST}/edit/check": amend.check_spec,
        f"{CONTEST}/disqualify": amend.disqualify,
        f"{LADDER}/join": ladder.join,
        f"{LADDER}/leave": ladder.leave,
        f"{CONTEST}/{{step:step}}": organise.take_step,
        f"{CONTEST}/matches/{{label}}": organise.retake,
    }
