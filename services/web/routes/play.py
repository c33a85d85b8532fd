"""Addresses on which people play, with their handlers."""

from functools import partial

from fastapi import FastAPI

from services.web.client import Arena
from services.web.delivery.frame import Frame
from services.web.delivery.reviewer import Reviewer
from services.web.http.route import Handler, add_page, stream_of
from services.web.http.session import LoginParts, Sessions
from services.web.play.daily import PATH as DAILY
from services.web.play.daily import Daily
from services.web.play.invitation import PATH as JOIN
from services.web.play.join import Join
from services.web.play.moment import FindReviewed, Moments, find_set, find_table
from services.web.play.pages import HouseRules, Play
from services.web.play.play_on import PlayOn
from services.web.play.seat_pass import SeatPasses
from services.web.private.page import PrivatePages
from services.web.private.practice import OwnPractice
from services.web.public.deals.deal_sets import ReplayPages
from services.web.public.deals.review import PLAY_ON
from services.web.routes.private import PRACTICE
from services.web.routes.public import MATCH, PAIRING

TABLE = "/play/{id}"


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
