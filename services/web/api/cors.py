"""Reading `/api/v1` from pages of any site: without credentials, since it tells everybody the same."""

from typing import Final

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

ROOT: Final = "/api/v1"
READING: Final = (
    "Everything here is read with GET, or its headers alone with HEAD, and told to everybody alike. Pages of"
    " all sites may read it (CORS: any origin, without cookies or other credentials); `If-None-Match` saves"
    " what has not changed."
)
"""The description of the API in its document."""


class PublicReads:
    """Middleware that lets scripts of other sites read ROOT and what is below it, and nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._shared = CORSMiddleware(
            app,
            allow_origins=["*"],
            allow_methods=["GET", "HEAD"],
            allow_headers=["If-None-Match"],
            expose_headers=["ETag", "Retry-After"],
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_shared = scope["type"] == "http" and f"{scope['path']}/".startswith(f"{ROOT}/")
        await (self._shared if is_shared else self._app)(scope, receive, send)
