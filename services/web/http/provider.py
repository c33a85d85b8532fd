"""A login's OpenID Connect provider: where it sends people, and what it says of those who come back.

Nothing of an answer counts before its signature, issuer, audience, time and nonce are checked.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from maumau.errors import LoginRefused, ProviderSilent
from services.shared.base import log

SECONDS: Final = 8.0
"""For a call to the provider from lookup to the last byte; the page answers by then."""
MOST_CALLS: Final = 50  # at the same time; further people are asked to try again
HOLDS, REST = 3600.0, 5.0
"""Seconds for which a document holds, and before the provider is asked for it once more."""
LEEWAY: Final = 60  # seconds by which two clocks may differ
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that the provider alone has; so neither `none` nor those by the shared secret."""
BACK: Final = "/login/oidc/back"

CLIENT_ERRORS: Final = {"invalid_client", "unauthorized_client"}
NO_CLIENT: Final = "The provider does not accept this arena; its operator can check its id and secret there."
NO_CODE: Final = "The provider does not accept the code; it was used, or is too old. Log in once more."

logger = log.get(__name__)


class Person(NamedTuple):
    """A person by issuer and subject. name: as the provider suggests it."""

    issuer: str
    subject: str
    name: str


class ProviderParts(NamedTuple):
    """The settings of a provider. secret: empty for a public client. name: on the button."""

    issuer: str
    client: str
    secret: str
    name: str
    page_url: str


class Document:
    """A document of the provider, fetched once for all who wait for it."""

    def __init__(self, fetch: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        self._fetch = fetch
        self._found: dict[str, Any] | None = None
        self._found_at = self._asked_at = -HOLDS
        self._asking: asyncio.Task[dict[str, Any]] | None = None

    async def get(self, *, newer: bool = False) -> dict[str, Any]:
        """Return it as it was fetched within the hour. newer: only if asked for moments ago."""
        now = time.monotonic()
        rests = now - self._asked_at < REST
        holds = now - self._found_at < HOLDS
        if self._found is not None and (rests if newer else holds):
            return self._found
        if self._asking is None:
            if rests:
                raise ProviderSilent
            self._asked_at = now
            self._asking = asyncio.create_task(self._load())
            self._asking.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._asking)

    async def _load(self) -> dict[str, Any]:
        try:
            found = await self._fetch()
            self._found, self._found_at = found, time.monotonic()
            return found
        finally:
            self._asking = None


class Provider:
    """The provider, asked over connections of its own."""

    def __init__(self, parts: ProviderParts) -> None:
        self.parts, self.name = parts, parts.name
        self._metadata, self._keys = Document(self._fetch_metadata), Document(self._fetch_keys)
        self._calls = 0

    async def make_address(self, state: str, nonce: str, verifier: str) -> str:
        """Return the address at the provider at which a person logs in."""
        endpoint = (await self._metadata.get())["authorization_endpoint"]
        async with self._open_client() as client:
            made = client.create_authorization_url(endpoint, state=state, nonce=nonce, code_verifier=verifier)
        return str(made[0])

    async def redeem(self, code: str, nonce: str, verifier: str, issuer: str = "") -> Person:
        """Return the person for whom the provider gave a code. issuer: as the answer names it, if it does.

        Raise LoginRefused for an answer that is not the provider's to this very question.
        """
        metadata = await self._metadata.get()
        is_named = metadata.get("authorization_response_iss_parameter_supported") is True
        if (issuer or is_named) and issuer != self.parts.issuer:
            raise LoginRefused("The answer comes from another provider than the arena's.")
        token = await self._call(lambda: self._fetch_token(metadata, code, verifier))
        id_token = token.get("id_token")
        if not isinstance(id_token, str):
            raise LoginRefused("The provider's answer has no ID token.")
        claims = await self._read(id_token, nonce, str(token.get("access_token", "")))
        return Person(self.parts.issuer, claims["sub"], _suggest_name(claims))

    async def _read(self, id_token: str, nonce: str, access_token: str) -> dict[str, Any]:
        """Return the claims of an ID token that is valid; keys that are not known are asked for once more."""
        from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError

        keys = await self._keys.get()
        try:
            try:
                return self._check(id_token, keys, nonce, access_token)
            except (BadSignatureError, InvalidKeyIdError):
                keys = await self._keys.get(newer=True)
                return self._check(id_token, keys, nonce, access_token)
        except JoseError as error:
            logger.warning("an ID token is refused", error=error.error, claim=getattr(error, "claim", ""))
            raise LoginRefused(_explain(error)) from None
        except (ValueError, TypeError, KeyError):
            raise LoginRefused("The provider's ID token cannot be read.") from None

    def _check(self, id_token: str, keys: dict[str, Any], nonce: str, access_token: str) -> dict[str, Any]:
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.jwk import KeySet

        key_set = KeySet.import_key_set(keys)  # type: ignore[arg-type]
        token = jwt.decode(id_token, key_set, algorithms=list(ALGORITHMS))
        wanted = {
            "iss": {"essential": True, "value": self.parts.issuer},
            "aud": {"essential": True, "value": self.parts.client},
            "sub": {"essential": True, "validate": _is_subject},
            "nonce": {"essential": True, "value": nonce},
        }
        params = {"nonce": nonce, "client_id": self.parts.client, "access_token": access_token}
        claims = CodeIDToken(token.claims, token.header, wanted, params)
        claims.validate(leeway=LEEWAY)
        return dict(claims)

    async def _fetch_token(self, metadata: dict[str, Any], code: str, verifier: str) -> dict[str, Any]:
        from authlib.integrations.base_client import OAuthError

        async with self._open_client(metadata) as client:
            try:
                found = await client.fetch_token(
                    metadata["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=verifier,
                )
            except OAuthError as error:
                logger.warning("the provider refuses a code", error=str(error.error)[:100])
                raise LoginRefused(NO_CLIENT if error.error in CLIENT_ERRORS else NO_CODE) from None
        return dict(found)

    async def _fetch_metadata(self) -> dict[str, Any]:
        place = f"{self.parts.issuer.rstrip('/')}/.well-known/openid-configuration"
        found = await self._fetch(place)
        if found.get("issuer") != self.parts.issuer:
            raise LoginRefused("The provider calls itself otherwise than the arena's settings do.")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not str(found.get(name, "")).startswith(("https://", "http://")):
                raise LoginRefused("The provider's description of itself is incomplete.")
        return found

    async def _fetch_keys(self) -> dict[str, Any]:
        return await self._fetch((await self._metadata.get())["jwks_uri"])

    async def _fetch(self, address: str) -> dict[str, Any]:
        async def get() -> dict[str, Any]:
            import httpx

            async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client:
                answer = await client.get(address)
                answer.raise_for_status()
                found = answer.json()
                if not isinstance(found, dict):
                    raise ValueError(address)  # noqa: TRY004 - as for what is not JSON
                return found

        return await self._call(get)

    async def _call(self, call: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        """Return what a call returns; raise ProviderSilent if it fails or takes too long."""
        import httpx

        if self._calls >= MOST_CALLS:
            raise ProviderSilent
        self._calls += 1
        try:
            async with asyncio.timeout(SECONDS):
                return await call()
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            logger.warning("the provider does not answer", error=type(error).__name__)
            raise ProviderSilent from None
        finally:
            self._calls -= 1

    def _open_client(self, metadata: dict[str, Any] | None = None) -> Any:
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        methods = (metadata or {}).get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        secret = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
        return AsyncOAuth2Client(
            self.parts.client,
            self.parts.secret or None,
            token_endpoint_auth_method=secret if self.parts.secret else "none",
            scope="openid profile",
            redirect_uri=f"{self.parts.page_url}{BACK}",
            code_challenge_method="S256",
            timeout=SECONDS,
            trust_env=False,
        )


def _is_subject(_: Any, value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 255


def _suggest_name(claims: dict[str, Any]) -> str:
    """Return a name for an account: of the characters that it may have, or empty."""
    for claim in ("preferred_username", "nickname", "name"):
        text = str(claims.get(claim, "")).partition("@")[0].lower()
        kept = "".join(one if one.isascii() and one.isalnum() else "-" for one in text)[:32].strip("-")
        if len(kept) >= 3:
            return kept
    return ""


def _explain(error: Any) -> str:
    """Return why an ID token is refused."""
    claim = str(getattr(error, "claim", "") or "")
    if error.error == "expired_token":
        return "The provider's answer has expired. Log in once more."
    if claim in {"iss", "aud", "azp", "nonce", "sub", "exp", "iat", "nbf", "at_hash"}:
        return f"The provider's answer is not meant for this login: its claim {claim} is wrong or missing."
    return "The signature of the provider's answer is not valid."
