"""Addresses for people who have logged in, and on the way there, with their handlers.

A page is a line of `list_private_pages`, one on the way there of `list_login_pages`, and a form one of
`list_forms` or `list_login_forms`; none of them is below a public address. `_build_handlers`
makes the objects whose methods they are.
"""

from functools import partial
from typing import Any, NamedTuple

from fastapi import FastAPI
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response

from maumau.protocol.limit import UploadLimits
from services.web.delivery.frame import Frame
from services.web.delivery.reviewer import Reviewer
from services.web.http.flow import FlowCookies
from services.web.http.provider import BACK
from services.web.http.route import Handler, add_page
from services.web.http.session import LoginParts, NotLoggedIn, Sessions
from services.web.people.deletion import DeletionPage
from services.web.people.group import GroupPages
from services.web.people.join import CodePages
from services.web.people.mail import MailPages
from services.web.people.oidc import LOGINS, NEW, OidcPages
from services.web.people.team import STEPS as TEAM_STEPS
from services.web.people.team import TeamPages
from services.web.private.amend import Amend
from services.web.private.author import Mine
from services.web.private.fairness import FairnessPages
from services.web.private.ladder import OwnLadder
from services.web.private.login import LoginPages
from services.web.private.organiser import ALL_STEPS, Organise
from services.web.private.page import PrivatePages
from services.web.private.practice import OwnPractice
from services.web.private.webhook import OwnWebhooks
from services.web.public.install import InstallPages

UPLOAD, CONTEST, LADDER = "/me/upload", "/me/contests/{name}", "/me/ladders/{name}"
PRACTICE, WEBHOOK = "/me/practice/{id}", "/me/webhooks/{id}"
GROUP, MAIL = "/me/groups/{name}", "/mail"


class PrivateHandlers(NamedTuple):
    """Handlers of private pages, by topic."""

    account: LoginPages
    mine: Mine
    practice: OwnPractice
    ladder: OwnLadder
    organise: Organise
    amend: Amend
    webhooks: OwnWebhooks
    fairness: FairnessPages
    group: GroupPages
    join: CodePages
    oidc: OidcPages
    mail: MailPages
    team: TeamPages
    deletion: DeletionPage


class StepConvertor(Convertor[str]):
    """A step of an organiser with a contest, as a part of an address."""

    regex = "|".join(ALL_STEPS)

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("step", StepConvertor())


def add_private_routes(
    app: FastAPI, login: LoginParts, frame: Frame, reviewer: Reviewer, install: InstallPages
) -> Sessions:
    """Add what depends on who has logged in, none of it below a public address; return who that is."""
    sessions = Sessions(login.people, login.matchmaking, login.key, secure=_is_secure(login))
    handlers = _build_handlers(login, PrivatePages(sessions, frame), reviewer, install)
    for path, handler in list_private_pages(handlers).items():
        add_page(app, path, handler)
    for path, handler in list_forms(handlers).items():
        add_page(app, path, handler, ["POST"])

    async def closed(request: Request, error: Any) -> Response:
        return handlers.account.send_to_login(request, had=error.had)

    app.add_exception_handler(NotLoggedIn, closed)
    return sessions


def _is_secure(login: LoginParts) -> bool:
    return login.page_url.startswith("https://")


def _build_handlers(
    login: LoginParts, pages: PrivatePages, reviewer: Reviewer, install: InstallPages
) -> PrivateHandlers:
    own, provider = login.people.with_token(login.key), login.provider.name if login.provider else ""
    cookies = FlowCookies(login.key, secure=_is_secure(login))
    return PrivateHandlers(
        account=LoginPages(own, pages.sessions, pages.frame, install, provider),
        mine=Mine(pages, UploadLimits(packed=login.upload_bytes), has_provider=bool(provider)),
        practice=OwnPractice(pages, reviewer),
        ladder=OwnLadder(pages),
        organise=Organise(pages),
        amend=Amend(pages),
        webhooks=OwnWebhooks(pages),
        fairness=FairnessPages(pages),
        group=GroupPages(pages, login.page_url),
        join=CodePages(own, login.people, pages, install.find_arena),
        oidc=OidcPages(own, pages, cookies, login.provider, install.find_arena),
        mail=MailPages(own, pages),
        team=TeamPages(pages),
        deletion=DeletionPage(pages),
    )


def list_private_pages(handlers: PrivateHandlers) -> dict[str, Handler]:
    """Return the handlers of private pages, by address."""
    mine, practice, organise, amend = handlers.mine, handlers.practice, handlers.organise, handlers.amend
    return {
        **list_login_pages(handlers),
        GROUP: handlers.group.show_group,
        "/me/team": handlers.team.show,
        "/me/delete": handlers.deletion.show,
        "/me": mine.show_home,
        "/me/versions/{id}": mine.show_version,
        "/me/bots/{name}": mine.show_bot,
        "/me/faults/{id}": mine.show_fault,
        "/me/faults/{id}/bundle": mine.send_bundle,
        "/me/faults/{id}/deal": mine.send_deal,
        PRACTICE: practice.show_practice,
        f"{PRACTICE}/sets": practice.show_sets,
        f"{PRACTICE}/sets/{{number:int}}": practice.deal_set,
        f"{PRACTICE}/sets/{{number:int}}/data": practice.set_data,
        f"{PRACTICE}/sets/{{number:int}}/record": practice.set_record,
        f"{PRACTICE}/sets/{{number:int}}/review": practice.set_review,
        "/me/webhooks": handlers.webhooks.show_all,
        WEBHOOK: handlers.webhooks.show_webhooks,
        "/me/new-contest": organise.show_new,
        CONTEST: organise.show_contest,
        LADDER: handlers.ladder.show_ladder,
        f"{CONTEST}/withdraw": mine.ask_withdraw,
        f"{CONTEST}/edit": amend.show_spec,
        f"{CONTEST}/disqualify": amend.ask_disqualify,
        f"{CONTEST}/fairness": handlers.fairness.show_fairness,
        f"{CONTEST}/{{step:step}}": organise.ask_step,
        f"{CONTEST}/matches/{{label}}": organise.ask_retake,
    }


def list_login_pages(handlers: PrivateHandlers) -> dict[str, Handler]:
    """Return the handlers of pages for those who log in, come with a code or from a mail, by address."""
    oidc, mail, join = handlers.oidc, handlers.mail, handlers.join
    return {
        "/login": handlers.account.show_login,
        "/login/oidc": oidc.begin,
        BACK: oidc.end,
        NEW: oidc.show_new,
        LOGINS: oidc.show_logins,
        f"{LOGINS}/new": oidc.begin_link,
        f"{MAIL}/confirm/{{id}}/{{key}}": mail.ask_confirm,
        f"{MAIL}/stop/{{id}}/{{key}}": mail.ask_stop,
        "/join": join.show_form,
        "/join/{code}": join.show_form,
    }


def list_forms(handlers: PrivateHandlers) -> dict[str, Handler]:
    """Return the handlers of private forms, by address."""
    mine, organise, amend, group = handlers.mine, handlers.organise, handlers.amend, handlers.group
    webhooks, ladder = handlers.webhooks, handlers.ladder
    return {
        **list_login_forms(handlers),
        "/join/group": handlers.join.join_group,
        "/me/team/invite": handlers.team.invite,
        **{f"/me/team/{step}": partial(handlers.team.take_step, step) for step in TEAM_STEPS},
        f"{GROUP}/invite": group.invite_people,
        f"{GROUP}/revoke": group.revoke_codes,
        f"{GROUP}/members": group.set_member,
        f"{GROUP}/remove": group.remove_member,
        "/me/delete": handlers.deletion.delete_account,
        UPLOAD: mine.upload_bot,
        "/me/versions/{id}/activate": mine.activate_version,
        "/me/versions/{id}/people": mine.let_play_people,
        "/me/practice": handlers.practice.start_practice,
        "/me/webhooks": webhooks.create_webhook,
        f"{WEBHOOK}/test": webhooks.test_webhook,
        f"{WEBHOOK}/remove": webhooks.remove_webhook,
        "/me/new-contest": organise.check_spec,
        "/me/new-contest/toml": organise.download_spec,
        "/me/contests": organise.create_contest,
        f"{CONTEST}/enter": mine.enter_bot,
        f"{CONTEST}/withdraw": mine.withdraw_bot,
        f"{CONTEST}/edit": amend.edit_spec,
        f"{CONTEST}/edit/check": amend.check_spec,
        f"{CONTEST}/disqualify": amend.disqualify_bot,
        f"{CONTEST}/protest": amend.file_protest,
        f"{CONTEST}/answer": amend.answer_protest,
        f"{LADDER}/join": ladder.join_ladder,
        f"{LADDER}/leave": ladder.leave_ladder,
        f"{CONTEST}/{{step:step}}": organise.take_step,
        f"{CONTEST}/matches/{{label}}": organise.retake_match,
    }


def list_login_forms(handlers: PrivateHandlers) -> dict[str, Handler]:
    """Return the handlers of forms for those who log in or out, come with a code or from a mail."""
    account, oidc, mail = handlers.account, handlers.oidc, handlers.mail
    return {
        "/login": account.log_in,
        "/logout": account.log_out,
        NEW: oidc.open_account,
        f"{LOGINS}/link": oidc.link,
        f"{MAIL}/confirm/{{id}}/{{key}}": mail.confirm,
        f"{MAIL}/stop/{{id}}/{{key}}": mail.stop,
        "/join": handlers.join.open_account,
    }
