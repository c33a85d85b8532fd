"""Every address of the pages, with its handler: the one place where a new page is registered.

A public page is a line of `list_pages`, or of `list_live_pages` if it changes while it is open: its stream is
registered with it. A page for people who have logged in is a line of `list_private_pages`, one on the way
there of `list_login_pages`, and a form of theirs one of `list_forms`; none of them is below a public address.
Those on which people play are in `list_play_pages` and `list_play_forms`. Addresses below `/api/v1` are
registered in `services.web.api`, together with their description.
"""

from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from fastapi import FastAPI
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from maumau.protocol.limit import UploadLimits
from services.web.client import Arena
from services.web.delivery.frame import Frame, LivePage
from services.web.delivery.reviewer import Reviewer
from services.web.http.flow import FlowCookies
from services.web.http.provider import BACK
from services.web.http.response import EMBED
from services.web.http.route import STREAM, Handler, add_page, stream_of
from services.web.http.session import LoginParts, NotLoggedIn, Sessions
from services.web.people.deletion import DeletionPage
from services.web.people.group import GroupPages
from services.web.people.join import CodePages
from services.web.people.mail import MailPages
from services.web.people.member import MemberPages
from services.web.people.oidc import LOGINS, NEW, OidcPages
from services.web.people.team import STEPS as TEAM_STEPS
from services.web.people.team import TeamPages
from services.web.play.daily import PATH as DAILY
from services.web.play.daily import Daily
from services.web.play.invitation import PATH as JOIN
from services.web.play.join import Join
from services.web.play.moment import FindReviewed, Moments, find_set, find_table
from services.web.play.pages import HouseRules, Play
from services.web.play.play_on import PlayOn
from services.web.play.seat_pass import SeatPasses
from services.web.private.amend import Amend
from services.web.private.author import Mine
from services.web.private.fairness import FairnessPages
from services.web.private.ladder import OwnLadder
from services.web.private.login import LoginPages
from services.web.private.organiser import ALL_STEPS, Organise
from services.web.private.page import PrivatePages
from services.web.private.practice import OwnPractice
from services.web.private.webhook import OwnWebhooks
from services.web.public.deals.deal_sets import ReplayPages, send_data, send_record
from services.web.public.deals.review import PLAY_ON, ReviewPages
from services.web.public.directory import DirectoryPages
from services.web.public.install import InstallPages
from services.web.public.pages import Pages
from services.web.syndication.embed import EmbedPages
from services.web.syndication.feeds import FeedPages

MATCH, PAIRING = "/contests/{name}/matches/{label}", "/ladders/{name}/pairings/{label}"
UPLOAD, CONTEST, LADDER = "/me/upload", "/me/contests/{name}", "/me/ladders/{name}"
PRACTICE = "/me/practice/{id}"
WEBHOOK = "/me/webhooks/{id}"
TABLE = "/play/{id}"
CONTESTS, GROUP, MAIL, SEARCH = "/contests", "/me/groups/{name}", "/mail", "/search"
ROBOTS = "User-agent: *\nDisallow: /join\nDisallow: /me\nDisallow: /stream\nDisallow: /*/review\n"


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


class PublicParts(NamedTuple):
    """Parts of the public pages: the readers' sessions, and the path of static files."""

    sessions: Sessions
    assets: str


class StepConvertor(Convertor[str]):
    """A step of an organiser with a contest, as a part of an address."""

    regex = "|".join(ALL_STEPS)

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("step", StepConvertor())


def add_public_routes(
    app: FastAPI, arena: Arena, frame: Frame, install: InstallPages, reviewer: Reviewer, parts: PublicParts
) -> MemberPages:
    """Add what everybody may see; return what members of a group see at the same addresses."""
    list_handlers = partial(list_public_pages, install, reviewer)
    members = MemberPages(arena, frame, parts.sessions, list_handlers)
    for path, handler in list_handlers(arena, frame).items():
        add_page(app, path, _let_members_in(members, path, handler))
    for path, handler in list_small_answers(install, parts.assets).items():
        add_page(app, path, handler)
    return members


def list_public_pages(
    install: InstallPages, reviewer: Reviewer, arena: Arena, frame: Frame
) -> dict[str, Handler]:
    """Return the handlers of public pages and of their streams, by address."""
    pages, replays = Pages(arena, frame), ReplayPages(arena, frame)
    reviews = list_reviews(ReviewPages(arena, frame, reviewer), replays)
    found = {**list_pages(pages, install), **list_deal_sets(replays), **reviews}
    found |= list_directory(DirectoryPages(arena, frame))
    for path, page in list_live_pages(pages).items():
        found |= {path: partial(frame.render_live, page), stream_of(path): partial(frame.stream_live, page)}
    return found


def _let_members_in(members: MemberPages, path: str, handler: Handler) -> Handler:
    if path in (CONTESTS, SEARCH):
        return members.prefer_handler(path, handler)
    is_contest = path.removeprefix(STREAM).startswith(f"{CONTESTS}/")
    return members.wrap_handler(path, handler) if is_contest else handler


def add_syndication_routes(app: FastAPI, arena: Arena, frame: Frame, page_url: str) -> None:
    """Add feeds, calendars and frames for other sites. page_url: public address of the page, or ""."""
    feeds, embeds = FeedPages(arena, frame.cache, page_url), EmbedPages(arena, frame)
    for path, handler in {**list_feeds(feeds), **list_embeds(embeds)}.items():
        add_page(app, path, handler)


def list_feeds(feeds: FeedPages) -> dict[str, Handler]:
    """Return the handlers of feeds and calendars, by address."""
    return {
        "/feeds/contests.atom": feeds.send_contests,
        "/feeds/contests.ics": feeds.send_dates,
        "/feeds/contests/{name}.atom": feeds.send_contest,
        "/feeds/contests/{name}.ics": feeds.contest_dates,
    }


def list_embeds(embeds: EmbedPages) -> dict[str, Handler]:
    """Return the handlers of pages in frames of other sites, by address; all are below `EMBED`."""
    return {
        f"{EMBED}contests/{{name}}": embeds.send_table,
        f"{EMBED}contests/{{name}}/bracket": embeds.send_bracket,
        f"{EMBED}ladders/{{name}}": embeds.send_ladder,
    }


def list_pages(pages: Pages, install: InstallPages) -> dict[str, Handler]:
    """Return the handlers of public pages and files, by address."""
    return {
        "/contests": pages.show_contests,
        "/contests/{name}/certificates": pages.certificates,
        "/contests/{name}/rules": pages.contest_rules,
        "/contests/{name}/rules.toml": pages.contest_variant,
        "/ladders": pages.show_ladders,
        "/ladders/{name}/rules": pages.ladder_rules,
        "/ladders/{name}/rules.toml": pages.ladder_variant,
        "/bots": pages.show_bots,
        "/tables/{id}/record": pages.live_table_record,
        "/rules": pages.show_rules,
        "/rules/{name}": pages.show_variant,
        "/help": pages.show_help,
        "/install": install.show_install,
        "/install/{file}": install.send_wheel,
    }


def list_directory(directory: DirectoryPages) -> dict[str, Handler]:
    """Return the handlers of pages of authors and of the search, by address."""
    return {"/authors/{name}": directory.author, SEARCH: directory.search}


def list_live_pages(pages: Pages) -> dict[str, LivePage]:
    """Return the public pages that change, by address, each with its template and its entry of the menu."""
    return {
        "/": LivePage("home", "now", pages.show_home),
        "/contests/{name}": LivePage("contest", "contests", pages.show_contest),
        MATCH: LivePage("match", "contests", pages.show_match),
        "/ladders/{name}": LivePage("ladder", "ladders", pages.show_ladder),
        "/ladders/{name}/pairings": LivePage("pairings", "ladders", pages.show_pairings),
        f"{PAIRING}/live": LivePage("live_pairing", "ladders", pages.live_pairing),
        "/bots/{name}": LivePage("bot_page", "", pages.show_bot),
        "/tables": LivePage("tables", "tables", pages.show_tables),
        "/tables/{id}": LivePage("live_table", "tables", pages.live_table),
        "/status": LivePage("status", "status", pages.show_status),
    }


def list_deal_sets(replays: ReplayPages) -> dict[str, Handler]:
    """Return the handlers of deal sets, by address: of contests and of ladders alike."""
    found: dict[str, Handler] = {f"{MATCH}/sets": replays.match_sets, PAIRING: replays.show_pairing}
    kinds = (MATCH, "contests", replays.find_match_set), (PAIRING, "ladders", replays.find_pairing_set)
    for path, here, find in kinds:
        one = f"{path}/sets/{{number:int}}"
        found[one] = partial(replays.show_replay, here, find)
        found[f"{one}/data"] = partial(send_data, find)
        found[f"{one}/record"] = partial(send_record, find)
    return found


def list_reviews(reviews: ReviewPages, replays: ReplayPages) -> dict[str, Handler]:
    """Return the handlers of reviews, by address: of whatever has a replay, and of live tables."""
    found: dict[str, Handler] = {"/tables/{id}/review": reviews.show_table}
    for path, here, find in (
        (MATCH, "contests", replays.find_match_set),
        (PAIRING, "ladders", replays.find_pairing_set),
    ):
        found[f"{path}/sets/{{number:int}}/review"] = partial(reviews.show_set, here, find)
    return found


def list_small_answers(install: InstallPages, assets: str) -> dict[str, Handler]:
    """Return what programs ask for: health, robots, the icon, where the API is described."""

    async def well(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def robots(_: Request) -> Response:
        return PlainTextResponse(ROBOTS)

    async def icon(_: Request) -> Response:
        return RedirectResponse(f"{assets}/icon.svg", 302)

    async def interface(request: Request) -> Response:
        about = {"openapi": "/api/v1/openapi.json", "help": "/help"}
        with suppress(HTTPException):  # under a name that no command takes it has no address to tell
            about["arena"] = install.name_arena(request)
        return JSONResponse(about)

    return {
        "/healthz": well,
        "/robots.txt": robots,
        "/favicon.ico": icon,
        "/api/v1": interface,
        "/api/v1/": interface,
    }


def add_private_routes(
    app: FastAPI, login: LoginParts, frame: Frame, reviewer: Reviewer, install: InstallPages
) -> Sessions:
    """Add what depends on who has logged in, none of it below a public address; return who that is."""
    is_secure = login.page_url.startswith("https://")
    sessions = Sessions(login.people, login.matchmaking, login.key, secure=is_secure)
    own = login.people.with_token(login.key)
    provider = login.provider.name if login.provider else ""
    account = LoginPages(own, sessions, frame, install.find_arena, provider)
    pages = PrivatePages(sessions, frame)
    mine = Mine(pages, UploadLimits(packed=login.upload_bytes), has_provider=bool(provider))
    parts = OwnPractice(pages, reviewer), OwnLadder(pages), Organise(pages), Amend(pages), OwnWebhooks(pages)
    codes = CodePages(own, login.people, pages, install.find_arena)
    of_groups = GroupPages(pages, login.page_url), codes
    cookies = FlowCookies(login.key, secure=is_secure)
    oidc = OidcPages(own, pages, cookies, login.provider, install.find_arena)
    others = FairnessPages(pages), *of_groups, oidc, MailPages(own, pages)
    team, deletion = TeamPages(pages), DeletionPage(pages)
    handlers = PrivateHandlers(account, mine, *parts, *others, team=team, deletion=deletion)
    for path, handler in list_private_pages(handlers).items():
        add_page(app, path, handler)
    for path, handler in list_forms(handlers).items():
        add_page(app, path, handler, ["POST"])

    async def closed(request: Request, error: Any) -> Response:
        return account.send_to_login(request, had=error.had)

    app.add_exception_handler(NotLoggedIn, closed)
    return sessions


def add_play_routes(
    app: FastAPI, arena: Arena, login: LoginParts, sessions: Sessions, frame: Frame, reviewer: Reviewer
) -> None:
    """Add the pages on which people play; each depends on the browser that has the seat."""
    passes = SeatPasses(login.key, secure=login.page_url.startswith("https://"))
    house = HouseRules(login.are_guests_welcome, login.page_url, login.listens)
    play = Play(arena, sessions, passes, frame, house)
    are_guests_welcome = login.are_guests_welcome
    join = Join(arena, sessions, passes, frame, are_guests_welcome=are_guests_welcome)
    practice = OwnPractice(PrivatePages(sessions, frame), reviewer)
    moments = Moments(list_played_deals(arena, ReplayPages(arena, frame), practice))
    play_on = PlayOn(play, moments, sessions, passes, frame, are_guests_welcome=are_guests_welcome)
    daily = Daily(play, arena, sessions, passes, frame, are_guests_welcome=are_guests_welcome)
    for path, handler in list_play_pages(play, join, play_on, daily).items():
        add_page(app, path, handler)
    for path, handler in list_play_forms(play, join, play_on, daily).items():
        add_page(app, path, handler, ["POST"])


def list_played_deals(arena: Arena, replays: ReplayPages, practice: OwnPractice) -> dict[str, FindReviewed]:
    """Return the functions that find what may be played on, by the address of its review."""
    return {
        "/tables/{id}/review": partial(find_table, arena),
        f"{MATCH}/sets/{{number:int}}/review": partial(find_set, replays.find_match_set),
        f"{PAIRING}/sets/{{number:int}}/review": partial(find_set, replays.find_pairing_set),
        f"{PRACTICE}/sets/{{number:int}}/review": practice.find_reviewed,
    }


def list_play_pages(play: Play, join: Join, play_on: PlayOn, daily: Daily) -> dict[str, Handler]:
    """Return the handlers of these pages, by address."""
    return {
        "/play": play.show_lobby,
        JOIN: join.show_invitation,
        PLAY_ON: play_on.show_moment,
        DAILY: daily.show,
        TABLE: play.show_table,
        stream_of(TABLE): play.stream_table,
    }


def list_play_forms(play: Play, join: Join, play_on: PlayOn, daily: Daily) -> dict[str, Handler]:
    """Return the handlers of their forms, by address."""
    return {
        "/play": play.deal_table,
        JOIN: join.sit_down,
        DAILY: daily.sit_down,
        f"{TABLE}/act": play.play_action,
        f"{TABLE}/again": play.play_again,
        f"{TABLE}/leave": play.leave_table,
        PLAY_ON: play_on.sit_down,
    }


def list_private_pages(handlers: PrivateHandlers) -> dict[str, Handler]:
    """Return the handlers of private pages, by address."""
    _, mine, practice, ladder, organise, amend, webhooks, fairness, group, *_others = handlers
    return {
        **list_login_pages(handlers),
        GROUP: group.show_group,
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
        "/me/webhooks": webhooks.show_all,
        WEBHOOK: webhooks.show_webhooks,
        "/me/new-contest": organise.show_new,
        CONTEST: organise.show_contest,
        LADDER: ladder.show_ladder,
        f"{CONTEST}/withdraw": mine.ask_withdraw,
        f"{CONTEST}/edit": amend.show_spec,
        f"{CONTEST}/disqualify": amend.ask_disqualify,
        f"{CONTEST}/fairness": fairness.show_fairness,
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
    account, mine, practice, ladder, organise, amend, webhooks, _, group, join, oidc, mail, team, _ = handlers
    return {
        "/login": account.log_in,
        NEW: oidc.open_account,
        f"{LOGINS}/link": oidc.link,
        f"{MAIL}/confirm/{{id}}/{{key}}": mail.confirm,
        f"{MAIL}/stop/{{id}}/{{key}}": mail.stop,
        "/join": join.open_account,
        "/join/group": join.join_group,
        "/me/team/invite": team.invite,
        **{f"/me/team/{step}": partial(team.take_step, step) for step in TEAM_STEPS},
        f"{GROUP}/invite": group.invite_people,
        f"{GROUP}/revoke": group.revoke_codes,
        f"{GROUP}/members": group.set_member,
        f"{GROUP}/remove": group.remove_member,
        "/logout": account.log_out,
        "/me/delete": handlers.deletion.delete_account,
        UPLOAD: mine.upload_bot,
        "/me/versions/{id}/activate": mine.activate_version,
        "/me/versions/{id}/people": mine.let_play_people,
        "/me/practice": practice.start_practice,
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
