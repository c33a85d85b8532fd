"""Builds the page's server: the one place that knows all its parts."""

import asyncio
import hashlib
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from prometheus_client import CollectorRegistry
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maumau import trace
from maumau.client import Arena as People
from maumau.errors import MaumauError, PortInUse
from maumau.matchmaking import Matchmaking
from maumau.page import page
from services.shared import log, metric, tls
from services.shared import settings as setting
from services.shared.server import say_ready
from services.shared.settings import Settings
from services.web import api, problem
from services.web.api.reply import COMPONENTS
from services.web.cache import Cache
from services.web.client import STUBS, Arena
from services.web.feed import Hub
from services.web.frame import Frame
from services.web.metrics import Metrics
from services.web.origin import OwnForms
from services.web.pages import Pages
from services.web.private import UPLOAD, LoginParts, add_private_routes, upload_room
from services.web.problem import Problem
from services.web.render import FOLDER, Renderer
from services.web.response import HEADERS, Guard
from services.web.route import add_page

STATIC = (FOLDER / "static", page.STATIC)
PATIENCE = 1.0  # seconds that the arena may be silent before somebody who waits for a page is told
UNTRACED = ("/stream", "/static/", "/healthz")  # streams, static files and health checks have no spans
GRACE = 0  # seconds that answers under way have at the end: streams are endless, and come back by themselves

logger = log.get(__name__)


def main() -> None:
    """Serves until SIGTERM or SIGINT; a refusal to start is one line and exit code 1."""
    try:
        settings = setting.from_environment()
        log.configure("web", settings.log)
        trace.start_tracing("web")
        for sentence in setting.unknown(os.environ):
            logger.warning(sentence)
        asyncio.run(_serve(settings))
    except MaumauError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(1) from None


async def _serve(settings: Settings) -> None:
    addresses = {name: settings.need(f"{name}_address") for name in STUBS}
    key = settings.need("reader_token")
    arena = Arena(addresses, key, tls.trusted(settings.tls_ca))
    people = People(
        addresses["registry"], addresses["tournament"], tls=bool(settings.tls_ca), patience=PATIENCE
    )
    matchmaking = Matchmaking(addresses["matchmaking"], tls=bool(settings.tls_ca), patience=PATIENCE)
    login = LoginParts(people, matchmaking, key, settings.page_url, settings.upload_mib << 20)
    registry = metric.new_registry()
    app = build_app(arena, registry, login)
    listening = _listen(settings)
    measured = metric.serve(registry, settings.host, settings.metrics_port)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE, server_header=False,
        timeout_keep_alive=30,
    )  # fmt: skip
    server = uvicorn.Server(config)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    try:
        address = f"{settings.host}:{listening.getsockname()[1]}"
        serving = asyncio.create_task(server._serve([listening]))  # noqa: SLF001 - without its own signal handlers
        while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        say_ready("web", address, measured.address, settings.ready_file)
        await serving
    finally:
        measured.close()
        people.close()
        matchmaking.close()
        await arena.close()
        await asyncio.to_thread(trace.end_tracing)


def _listen(settings: Settings) -> socket.socket:
    host, port = settings.host.strip("[]"), int(settings.listen.rpartition(":")[2])
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=2048
        )
    except OSError as err:
        raise PortInUse(
            f"{settings.listen} cannot be listened on: another program has it, or it is not an address of"
            " this machine; MAUMAU_LISTEN chooses another."
        ) from err


def build_app(arena: Arena, registry: CollectorRegistry, login: LoginParts) -> FastAPI:
    """The whole server; it asks this arena."""
    hub, cache = Hub(), Cache()
    metrics = Metrics(registry, hub)
    assets = f"/static/{_digest(STATIC)}"
    frame = Frame(hub, cache, Renderer(assets))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await hub.close()

    app = FastAPI(
        title="Maumau Arena", version="1", docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json",
        lifespan=lifespan, redirect_slashes=False,  # it would send people wherever the Host of a request says
    )  # fmt: skip
    _routes(app, Pages(arena, frame))
    add_private_routes(app, login, frame)
    app.include_router(api.router(arena, cache))
    app.mount(assets, Assets(), name="static")
    say = _problems(app, frame)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=5)
    app.add_middleware(OwnForms, page_url=login.page_url, limits={UPLOAD: upload_room(login)}, refuse=say)
    app.add_middleware(Guard)
    app.add_middleware(Measure, metrics=metrics)
    app.add_middleware(Trace)
    return app


def _routes(app: FastAPI, pages: Pages) -> None:
    async def well(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    match = "/contests/{name}/matches/{label}"
    for path, handler in {
        "/": pages.home,
        "/stream": pages.home_stream,
        "/contests": pages.contests,
        "/contests/{name}": pages.contest,
        "/stream/contests/{name}": pages.contest_stream,
        match: pages.match,
        "/stream/contests/{name}/matches/{label}": pages.match_stream,
        "/ladders": pages.ladders,
        "/ladders/{name}": pages.ladder,
        "/stream/ladders/{name}": pages.ladder_stream,
        "/ladders/{name}/pairings": pages.pairings,
        "/stream/ladders/{name}/pairings": pages.pairings_stream,
        "/bots": pages.bots,
        "/bots/{name}": pages.bot,
        "/stream/bots/{name}": pages.bot_stream,
        "/tables": pages.tables,
        "/stream/tables": pages.tables_stream,
        "/tables/{id}": pages.live_table,
        "/stream/tables/{id}": pages.live_table_stream,
        "/tables/{id}/record": pages.live_table_record,
        "/rules": pages.rules,
        "/rules/{name}": pages.variant,
        f"{match}/sets": pages.sets,
        f"{match}/sets/{{number:int}}": pages.deal_set,
        f"{match}/sets/{{number:int}}/data": pages.set_data,
        f"{match}/sets/{{number:int}}/record": pages.set_record,
        "/status": pages.status,
        "/stream/status": pages.status_stream,
        "/healthz": well,
    }.items():
        add_page(app, path, handler)


def _problems(app: FastAPI, frame: Frame) -> Callable[[Request, Problem], Response]:
    """Every refusal: as a problem below `/api/`, else as a page."""

    def say(request: Request, found: Problem) -> Response:
        if not request.url.path.startswith("/api/"):
            return frame.problem(request, found)
        retry = {"retry-after": str(problem.RETRY)} if found.status == 503 else {}
        return JSONResponse(found.body(), found.status, retry, "application/problem+json")

    async def refused(request: Request, error: Any) -> Response:
        return say(request, problem.of_error(error, request.url.path))

    async def http(request: Request, error: Any) -> Response:
        words = str(error.detail)
        return say(
            request,
            Problem(error.status_code, words.upper().replace(" ", "_"), words, words, request.url.path),
        )

    async def unreadable(request: Request, error: Any) -> Response:
        words = "; ".join(f"{each['loc'][-1]}: {each['msg']}" for each in error.errors())
        return say(request, Problem(400, "BAD_REQUEST", "bad request", words, request.url.path))

    async def broken(request: Request, error: Any) -> Response:
        logger.error("unexpected error", exc_info=error)
        words = "The page made a mistake; its log says which."
        response = say(request, Problem(500, "INTERNAL_FAULT", "internal fault", words, request.url.path))
        response.headers.update(HEADERS)  # this answer is made outside of Guard
        return response

    app.add_exception_handler(MaumauError, refused)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, unreadable)
    app.add_exception_handler(Exception, broken)
    return say


def _openapi(app: FastAPI) -> dict[str, Any]:
    if not app.openapi_schema:
        made = get_openapi(title=app.title, version=app.version, routes=app.routes)
        fields = ("type", "title", "status", "detail", "instance", "reason")
        shape = {name: {"type": "integer" if name == "status" else "string"} for name in fields}
        made.setdefault("components", {}).setdefault("schemas", {}).update(
            COMPONENTS, Problem={"type": "object", "properties": shape}
        )
        app.openapi_schema = made
    return app.openapi_schema


class Assets(StaticFiles):
    """Files whose address has their digest: they never change."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC[0])
        self.all_directories = list(STATIC)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


class Measure:
    """Counts answers by route."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started, status = time.perf_counter(), [500]

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            trace.annotate_span(route=route, status=status[0])
            self._metrics.requests.labels(route, f"{status[0] // 100}xx").inc()
            if not route.startswith("/stream"):
                self._metrics.seconds.labels(route).observe(time.perf_counter() - started)


class Trace:
    """Makes a span of each request for a page.

    It says the route and the status, since path, query and headers are a stranger's words; and it begins a
    trace of its own, whatever `traceparent` the stranger sends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        traced = scope["type"] == "http" and not scope["path"].startswith(UNTRACED)
        with trace.open_span("answer request") if traced else nullcontext():
            await self._app(scope, receive, send)


def _digest(folders: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in (path for folder in folders for path in sorted(folder.iterdir())):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:12]
