"""The routes about guests: names, devices, tokens, finished games."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from cabochon.server import protocol
from cabochon.server.authentication import GuestOrNone, SignedIn, SignedInByCookie, set_session_cookie
from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.rate_limits import client_of
from cabochon.server.routes import errors
from cabochon.server.services import server_of

GAMES_SHOWN = 20
PEOPLE_SHOWN = 100

TokenId = Annotated[str, Path(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$", description="The token's id.")]
CursorQuery = Annotated[str | None, Query(max_length=64, description="The value of `next` in an earlier response.")]

router = APIRouter(tags=["guests"])


def _me(guest: Guest | None) -> protocol.Me:
    return protocol.Me(guest=None if guest is None else protocol.Guest(id=guest.id, nickname=guest.nickname))


@router.get("/api/me", responses=errors(401))
async def me(guest: GuestOrNone) -> protocol.Me:
    """Return the guest that you are signed in as, if any."""
    return _me(guest)


@router.put("/api/me", responses=errors(401, 403, 413, 422))
async def name_me(wanted: protocol.NewGuest, guest: GuestOrNone, request: Request, response: Response) -> protocol.Me:
    """Set your nickname. If you are not signed in, create a guest and return a session cookie."""
    server = server_of(request)
    if guest is not None:
        renamed = await server.guests.rename(guest, wanted.nickname)
        server.registry.rename(guest, renamed)
        return _me(renamed)
    server.opening_limiter.check(client_of(request), "new guests and tables")
    guest, secret = await server.guests.add(wanted.nickname)
    set_session_cookie(response, secret, request, server.settings)
    return _me(guest)


@router.post("/api/me/link", status_code=201, responses=errors(401, 403))
async def link_device(guest: SignedInByCookie, request: Request) -> protocol.DeviceLink:
    """Create a private link that signs in another device as you. It works once and expires soon."""
    server = server_of(request)
    key, expires_at = await server.guests.add_device_link(guest, timedelta(minutes=server.settings.link_minutes))
    return protocol.DeviceLink(path=f"/claim#{key}", expires_at=expires_at)


@router.get("/api/me/tokens", responses=errors(401))
async def my_tokens(guest: SignedInByCookie, request: Request) -> protocol.BotTokens:
    """List the tokens of your bots, the newest first."""
    return protocol.BotTokens(tokens=await server_of(request).bot_tokens.of_guest(guest))


@router.post("/api/me/tokens", status_code=201, responses=errors(401, 403, 409, 413, 422))
async def add_token(wanted: protocol.NewBotToken, guest: SignedInByCookie, request: Request) -> protocol.GivenBotToken:
    """Create a token with which a program can play as you. Only this response contains its secret."""
    server = server_of(request)
    token, secret = await server.bot_tokens.add(guest, wanted.name, server.settings.limits.tokens_per_guest)
    return protocol.GivenBotToken(token=secret, info=token)


@router.delete("/api/me/tokens/{token_id}", responses=errors(401, 403, 404, 422))
async def revoke_token(token_id: TokenId, guest: SignedInByCookie, request: Request) -> protocol.BotTokens:
    """Revoke a token and close its sockets. Return the remaining tokens."""
    server = server_of(request)
    digest = await server.bot_tokens.remove(guest, token_id)
    if digest is None:
        raise RequestError("not_found", "there is no such token")
    server.close_token(digest)
    server.notifications.tell_all("revoked", digest=digest)
    return protocol.BotTokens(tokens=await server.bot_tokens.of_guest(guest))


@router.get("/api/me/history", responses=errors(401, 422))
async def my_history(guest: SignedIn, request: Request, cursor: CursorQuery = None) -> protocol.History:
    """List your finished games with their results, the newest first."""
    return await server_of(request).history.page(guest.id, GAMES_SHOWN, cursor)


@router.get("/api/me/statistics", responses=errors(401))
async def my_statistics(guest: SignedIn, request: Request) -> protocol.Statistics:
    """Return your results by game, number of players and opponent (bots by level, people by nickname)."""
    return protocol.Statistics(scores=await server_of(request).history.scores(guest.id, PEOPLE_SHOWN))


@router.post("/api/claims", responses=errors(403, 404, 413, 422))
async def claim(wanted: protocol.Claim, request: Request, response: Response) -> protocol.Me:
    """Sign in this device with the key of a private link."""
    claimed = await server_of(request).guests.claim_device_link(wanted.key)
    if claimed is None:
        raise RequestError("not_found", "the link was used already or has expired; create a new one")
    guest, secret = claimed
    set_session_cookie(response, secret, request, server_of(request).settings)
    return _me(guest)
