"""Addresses that everybody may see, with their handlers.

A page is a line of `list_pages`, or of `list_live_pages` if it changes while it is open: its stream is
registered with it.
"""

from contextlib import suppress
from functools import partial
from typing import NamedTuple

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from services.web.client import Arena
from services.web.delivery.frame import Frame, LivePage
from services.web.delivery.reviewer import Reviewer
from services.web.http.response import EMBED
from services.web.http.route import STREAM, Handler, add_page, stream_of
from services.web.http.session import Sessions
from services.web.people.member import MemberPages
from services.web.public.deals.deal_sets import ReplayPages, send_data, send_record
from services.web.public.deals.review import ReviewPages
from services.web.public.directory import DirectoryPages
from services.web.public.install import InstallPages
from services.web.public.pages import Pages
from services.web.syndication.embed import EmbedPages
from services.web.syndication.feeds import FeedPages

MATCH, PAIRING = "/contests/{name}/matches/{label}", "/ladders/{name}/pairings/{label}"
CONTESTS, SEARCH = "/contests", "/search"
ROBOTS = "User-agent: *\nDisallow: /join\nDisallow: /me\nDisallow: /stream\nDisallow: /*/review\n"


class PublicParts(NamedTuple):
    """Parts of the public pages: the readers' sessions, and the path of static files."""

    sessions: Sessions
    assets: str


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
        "/help": install.show_help,
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
