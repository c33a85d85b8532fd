"""Assembly of the page's server: the one place that knows all its parts."""

import asyncio
import hashlib
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from prometheus_client import CollectorRegistry
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from maumau.client.arena import Arena as People
from maumau.client.matchmaking import Matchmaking
from maumau.errors import BadSetting, MaumauError
from maumau.page import page
from maumau.process import trace
from services.shared.base import log, metric
from services.shared.base import settings as setting
from services.shared.base.settings import Settings
from services.shared.process import heartbeat
from services.shared.process.server import say_ready
from services.shared.rpc import tls
from services.shared.rpc.door import Door, read_limits
from services.web import api
from services.web.api.cors import READING, ROOT, PublicReads
from services.web.api.reply import COMPONENTS
from services.web.call import STUBS
from services.web.client import Arena
from services.web.delivery.cache import Cache
from services.web.delivery.feed import Hub
from services.web.delivery.frame import Frame
from services.web.delivery.render import FOLDER, Renderer
from services.web.delivery.reviewer import Reviewer
from services.web.http import listener, problem
from services.web.http.arrival import Arrivals
from services.web.http.host import OwnHost, list_names
from services.web.http.origin import OwnForms
from services.web.http.presence import Presence
from services.web.http.problem import Problem
from services.web.http.provider import Provider, ProviderParts
from services.web.http.response import Guard, find_headers
from services.web.http.route import HeadReads, list_methods
from services.web.http.session import LoginParts, Sessions
from services.web.metrics import WebMetrics
from services.web.public.install import USUAL, InstallPages
from services.web.routes.play import add_play_routes
from services.web.routes.private import UPLOAD, add_private_routes
from services.web.routes.public import PublicParts, add_public_routes, add_syndication_routes

STATIC = (FOLDER / "static", page.STATIC)
PATIENCE = 1.0  # seconds that the arena may be silent before a waiting reader gets an error
UNTRACED = ("/stream", "/static/", "/healthz")  # streams, static files and health checks have no spans
KEEP_ALIVE, REST = 30, 60.0
"""Seconds after which uvicorn closes an idle connection, and the door one with half a request."""
SayProblem = Callable[[Request, Problem], Response]
GRACE = 0  # seconds for running answers at the end: streams are endless, and reconnect by themselves

logger = log.get(__name__)


def main() -> None:
    """Serve until SIGTERM or SIGINT; a refusal to start is one line and exit code 1."""
    try:
        settings = setting.from_environment()
        log.configure("web", settings.log)
        trace.start_tracing("web")
        for sentence in setting.unknown(os.environ):
            logger.warning(sentence)
        asyncio.run(_serve_page(settings))
    except MaumauError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(1) from None


async def _serve_page(settings: Settings) -> None:
    addresses = {name: settings.need(f"{name}_address") for name in STUBS}
    key = settings.need("reader_token")
    arena = Arena(addresses, key, tls.trusted(settings.tls_ca))
    login = _open_login(settings, addresses, key)
    registry = metric.new_registry()
    ports = {name: address.rpartition(":")[2] for name, address in addresses.items()}
    door = Door(replace(read_limits(settings), rest=REST), registry)
    app = _bound_connections(build_app(arena, registry, login, ports), door, settings)
    listening = listener.listen(settings)
    measured = metric.serve(registry, settings.host, settings.metrics_port)
    door.ports |= {listening.getsockname()[1], measured.server.server_port}
    server = _make_server(app)
    door.start()
    beating = None
    try:
        address = f"{settings.host}:{listening.getsockname()[1]}"
        serving = asyncio.create_task(server._serve([listening]))  # noqa: SLF001 - without its own signal handlers
        while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        listening.listen(listener.WAITING)  # uvicorn has reduced it to AT_ONCE
        say_ready("web", address, measured.address, settings.ready_file)
        if settings.ready_file:
            beating = asyncio.create_task(heartbeat.keep_beating(settings.ready_file), name="heartbeat")
        await serving
    finally:
        if beating:
            beating.cancel()
        await asyncio.to_thread(door.close)
        measured.close()
        login.people.close()
        login.matchmaking.close()
        await arena.close()
        await asyncio.to_thread(trace.end_tracing)


def _open_login(settings: Settings, addresses: Mapping[str, str], key: str) -> LoginParts:
    """Return the parts of pages for people. addresses: of the services, by name."""
    has_tls, registry = bool(settings.tls_ca), addresses["registry"]
    return LoginParts(
        People(registry, addresses["tournament"], tls=has_tls, patience=PATIENCE),
        Matchmaking(addresses["matchmaking"], tls=has_tls, patience=PATIENCE),
        key,
        settings.page_url,
        settings.upload_mib << 20,
        list_names(settings.page_url, settings.page_names),
        settings.guests == "on",
        settings.host,
        _read_provider(settings),
        settings.services_url,
    )


def _read_provider(settings: Settings) -> Provider | None:
    """Return the provider of the settings, if there is one."""
    if not settings.oidc_issuer:
        return None
    try:
        file = settings.oidc_secret_file
        secret = Path(file).read_text(encoding="utf-8").strip() if file else ""
    except (OSError, ValueError):
        raise BadSetting("MAUMAU_OIDC_SECRET_FILE names a file that cannot be read.") from None
    name = settings.oidc_name or urlsplit(settings.oidc_issuer).hostname or ""
    return Provider(
        ProviderParts(settings.oidc_issuer, settings.oidc_client, secret, name, settings.page_url)
    )


def _make_server(app: ASGIApp) -> listener.PageServer:
    """Return a server of the page that ends at SIGTERM and SIGINT."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        proxy_headers=False,
        backlog=listener.AT_ONCE,
    )
    server = listener.PageServer(config)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end)
    loop.set_exception_handler(listener.LoopErrorHandler())
    return server


def _bound_connections(app: ASGIApp, door: Door, settings: Settings) -> ASGIApp:
    """Return the page with limits on its connections, and callers' addresses from trusted proxies."""
    if settings.proxies:
        app = ProxyHeadersMiddleware(app, settings.proxies.replace(",", " ").split())  # type: ignore[assignment, arg-type]
    return Arrivals(app, door.uses, settings.page_streams, door.limits.most, door.limits.is_proxy)


def build_app(
    arena: Arena, registry: CollectorRegistry, login: LoginParts, ports: Mapping[str, str] = USUAL
) -> FastAPI:
    """Build the whole server on this arena. ports: of the services, by name."""
    hub, cache, reviewer = Hub(), Cache(), Reviewer()
    metrics = WebMetrics(registry, hub)
    assets = f"/static/{_digest_folders(STATIC)}"
    frame = Frame(hub, cache, Renderer(assets), login.page_url)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await members.close()
        await reviewer.close()
        await hub.close()

    app = FastAPI(
        title="Maumau Arena",
        version="1",
        description=READING,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
        redirect_slashes=False,  # it would redirect to whatever Host a request names
    )
    install = InstallPages(frame, login.page_url, ports, login.services_url, arena.find_registration)
    sessions = add_private_routes(app, login, frame, reviewer, install)
    public = PublicParts(sessions, assets)
    members = add_public_routes(app, arena, frame, install, reviewer, public)
    add_syndication_routes(app, arena, frame, login.page_url)
    add_play_routes(app, arena, login, sessions, frame, reviewer)
    app.include_router(api.router(arena, cache))
    app.mount(assets, Assets(), name="static")
    say = _build_problems(app, frame)
    app.openapi = lambda: _build_openapi(app)  # type: ignore[method-assign]
    _add_middleware(app, login, sessions, say, metrics)
    return app


def _add_middleware(
    app: FastAPI, login: LoginParts, sessions: Sessions, say: SayProblem, metrics: WebMetrics
) -> None:
    """Add what every request passes; the one that is added last comes first."""
    app.add_middleware(HeadReads, root=ROOT)
    app.add_middleware(Presence, people=login.people, read_token=sessions.read_token)
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=5)
    app.add_middleware(PublicReads)
    app.add_middleware(OwnForms, page_url=login.page_url, limits={UPLOAD: login.upload_room}, refuse=say)
    app.add_middleware(OwnHost, names=login.names, refuse=say)
    app.add_middleware(Guard)
    app.add_middleware(Measure, metrics=metrics)
    app.add_middleware(Trace)


def _build_problems(app: FastAPI, frame: Frame) -> SayProblem:
    """Answer every refusal with a problem below `/api/`, else with a page; return the function for it."""

    def say(request: Request, found: Problem) -> Response:
        if not request.url.path.startswith("/api/"):
            return frame.render_problem(request, found)
        retry = {"retry-after": str(problem.RETRY)} if found.status == 503 else {}
        return JSONResponse(found.build_body(), found.status, retry, "application/problem+json")

    async def refused(request: Request, error: Any) -> Response:
        return say(request, problem.of_error(error, request.url.path))

    async def http(request: Request, error: Any) -> Response:
        words, path = str(error.detail), request.url.path
        response = say(
            request, Problem(error.status_code, words.upper().replace(" ", "_"), words, words, path)
        )
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["allow"] = ", ".join(
                list_methods(app, request.scope, (error.headers or {}).get("Allow", ""))
            )
        return response

    async def unreadable(request: Request, error: Any) -> Response:
        words = " ".join(map(problem.say_unreadable, error.errors()))
        return say(request, Problem(400, "BAD_REQUEST", "bad request", words, request.url.path))

    async def broken(request: Request, error: Any) -> Response:
        logger.error("unexpected error", exc_info=error)
        words = "The page made a mistake; its log says which."
        response = say(request, Problem(500, "INTERNAL_FAULT", "internal fault", words, request.url.path))
        response.headers.update(find_headers(request.url.path))  # this answer is made outside of Guard
        return response

    app.add_exception_handler(MaumauError, refused)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, unreadable)
    app.add_exception_handler(Exception, broken)
    return say


def _build_openapi(app: FastAPI) -> dict[str, Any]:
    if not app.openapi_schema:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        fields = ("type", "title", "status", "detail", "instance", "reason")
        shape = {name: {"type": "integer" if name == "status" else "string"} for name in fields}
        problem_schema = {"type": "object", "properties": shape, "required": list(fields)}
        made["components"] = {"schemas": {**COMPONENTS, "Problem": problem_schema}}
        for operations in made["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)  # FastAPI's own; ours is a problem with status 400
        app.openapi_schema = made
    return app.openapi_schema


class Assets(StaticFiles):
    """Static files whose address contains their digest, so that they never change."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC[0])
        self.all_directories = list(STATIC)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


class Measure:
    """A middleware that counts answers by route."""

    def __init__(self, app: ASGIApp, metrics: WebMetrics) -> None:
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
    """A middleware that makes a span of each request for a page.

    It records the route and the status, since path, query and headers are untrusted; and it begins a
    trace of its own, whatever `traceparent` is sent.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        traced = scope["type"] == "http" and not scope["path"].startswith(UNTRACED)
        with trace.open_span("answer request") if traced else nullcontext():
            await self._app(scope, receive, send)


def _digest_folders(folders: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in (path for folder in folders for path in sorted(folder.iterdir())):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:12]
