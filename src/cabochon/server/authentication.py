"""Find out who sends a request: the guest of a session cookie or of a bot token."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.responses import Response

from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.services import server_of
from cabochon.server.settings import Settings

COOKIE = "cabochon_session"
COOKIE_SECONDS = 400 * 24 * 60 * 60  # the longest that browsers allow


def bearer_token(connection: HTTPConnection) -> str | None:
    """Return the token that a program sends instead of a cookie."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def set_session_cookie(response: Response, secret: str, connection: HTTPConnection, settings: Settings) -> None:
    """Give a client the secret of its session in a cookie that scripts cannot read."""
    is_secure = settings.is_cookie_secure
    if is_secure is None:
        is_secure = connection.url.scheme in ("https", "wss")
    response.set_cookie(COOKIE, secret, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_secure)


async def guest_by_cookie(connection: HTTPConnection) -> Guest | None:
    """Return the guest of the session cookie; refuse one who is banned."""
    secret = connection.cookies.get(COOKIE)
    guest = await server_of(connection).guests.of_session(secret) if secret else None
    return _admitted(guest)


async def guest_or_none(connection: HTTPConnection) -> Guest | None:
    """Return the guest of the token or the cookie; an unknown token is refused even if there is a cookie."""
    server, token = server_of(connection), bearer_token(connection)
    if token is None:
        guest = await guest_by_cookie(connection)
    else:
        guest = _admitted(await server.bot_tokens.owner(token))
        if guest is None:
            raise RequestError("no_guest", "expected a valid token; it may have been revoked")
    return guest


def _admitted(guest: Guest | None) -> Guest | None:
    if guest is not None and guest.is_banned:
        raise RequestError("banned", "the operator of this server has banned you")
    return guest


GuestOrNone = Annotated[Guest | None, Depends(guest_or_none)]


async def _signed_in(guest: GuestOrNone) -> Guest:
    if guest is None:
        raise RequestError("no_guest", "expected a guest with a nickname; call PUT /api/me first")
    return guest


async def _signed_in_by_cookie(guest: Annotated[Guest | None, Depends(guest_by_cookie)]) -> Guest:
    return await _signed_in(guest)


SignedIn = Annotated[Guest, Depends(_signed_in)]
SignedInByCookie = Annotated[Guest, Depends(_signed_in_by_cookie)]  # a token cannot create what would outlive it
