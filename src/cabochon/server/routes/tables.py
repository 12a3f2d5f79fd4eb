"""The routes about tables, and their socket."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse
from sqlalchemy.exc import SQLAlchemyError

from cabochon.server import protocol
from cabochon.server.authentication import GuestOrNone, SignedIn, bearer_token, guest_or_none
from cabochon.server.errors import RequestError
from cabochon.server.guests import digest_of
from cabochon.server.lobby import MOST_WAITING, TABLES_PER_PAGE
from cabochon.server.rate_limits import client_of
from cabochon.server.routes import TableId, errors
from cabochon.server.services import server_of
from cabochon.server.sockets import CloseCode, Connection, SocketSession
from cabochon.server.telemetry import log_database_failure

TABLES_SHOWN = 50

SeatNumber = Annotated[int, Path(ge=0, le=3, description="The number of the seat, from 0.")]
SinceQuery = Annotated[int, Query(ge=0, le=1_000_000)]
LobbyPage = Annotated[int, Query(ge=1, le=MOST_WAITING // TABLES_PER_PAGE, description="The page, from 1.")]
SeatQuery = Annotated[
    int | None, Query(ge=0, le=3, description="Which of your seats to look from. By default, the first.")
]

router = APIRouter(tags=["tables"])


@router.get("/api/tables", responses=errors(401))
async def my_tables(guest: GuestOrNone, request: Request) -> protocol.Tables:
    """List the tables where you sit, that you opened, or where a seat is kept for you, unfinished ones first."""
    if guest is None:
        return protocol.Tables(tables=[])
    server = server_of(request)
    found = await server.tables.of_guest(guest.id, TABLES_SHOWN)
    lengths = await server.log.lengths([table.id for table in found])
    return protocol.Tables(tables=[table.info(guest.id, lengths[table.id]) for table in found])


@router.post("/api/tables", status_code=201, responses=errors(401, 403, 404, 409, 413, 422))
async def open_table(plan: protocol.NewTable, guest: SignedIn, request: Request) -> protocol.TableInfo:
    """Open a table."""
    server = server_of(request)
    server.opening_limiter.check(client_of(request), "new guests and tables")
    invited = [seat.kept_for for seat in plan.seats if seat.kept_for is not None]
    nicknames = await server.guests.nicknames(invited)
    opened = await server.registry.open(plan, guest, nicknames, server.hashed(client_of(request)))
    return opened.info(guest.id, 0)


@router.get("/api/tables/{table_id}", responses=errors(401, 404, 422))
async def table(table_id: TableId, guest: GuestOrNone, request: Request) -> protocol.TableInfo:
    """Return a table without its game. Anyone who knows the id may look at it."""
    async with server_of(request).registry.table(table_id) as live:
        return live.broadcast.info(guest.id if guest is not None else None)


@router.post("/api/tables/{table_id}/join", responses=errors(401, 403, 404, 409, 413, 422))
async def join(table_id: TableId, wanted: protocol.Join, guest: SignedIn, request: Request) -> protocol.TableInfo:
    """Take an open seat. If you already have a seat, you keep it."""
    async with server_of(request).registry.table(table_id) as live:
        await live.join(guest, wanted.seat)
        return live.broadcast.info(guest.id)


@router.put("/api/tables/{table_id}/seats/{seat}", responses=errors(401, 403, 404, 409, 413, 422))
async def set_seat(
    table_id: TableId, seat: SeatNumber, wanted: protocol.SeatChange, guest: SignedIn, request: Request
) -> protocol.TableInfo:
    """Give a seat at a waiting table to a bot, or make it open, whoever has it.

    Only the host may do this.
    """
    async with server_of(request).registry.table(table_id) as live:
        await live.set_seat(guest, seat, wanted)
        return live.broadcast.info(guest.id)


@router.delete("/api/tables/{table_id}/seats/{seat}", responses=errors(401, 403, 404, 409, 422))
async def stand_up(table_id: TableId, seat: SeatNumber, guest: SignedIn, request: Request) -> protocol.TableInfo:
    """Stand up from a waiting table, or decline a seat kept for you. The host may also free the seats of others."""
    async with server_of(request).registry.table(table_id) as live:
        await live.set_seat(guest, seat, None)
        return live.broadcast.info(guest.id)


@router.post("/api/tables/{table_id}/seats/{seat}/leave", responses=errors(401, 403, 404, 409, 422))
async def leave(table_id: TableId, seat: SeatNumber, guest: SignedIn, request: Request) -> protocol.TableInfo:
    """Leave a running game for good. With two players, you lose; with more, a bot plays on for you."""
    async with server_of(request).registry.table(table_id) as live:
        await live.leave(guest, seat)
        return live.broadcast.info(guest.id)


@router.delete("/api/tables/{table_id}", responses=errors(401, 403, 404, 409, 422))
async def close_table(table_id: TableId, guest: SignedIn, request: Request) -> protocol.TableInfo:
    """Close a waiting table. Only the host may do this."""
    async with server_of(request).registry.table(table_id) as live:
        await live.close_by(guest)
        return live.broadcast.info(guest.id)


@router.get("/api/lobby", response_model=protocol.Lobby, responses=errors(422) | {304: {"description": "Unchanged"}})
async def lobby(request: Request, page: LobbyPage = 1) -> Response:
    """List the public tables that wait for players, page by page. Poll with `If-None-Match`.

    The first pages list the tables of all hosts' addresses in turn, so nobody can hide the others.
    """
    text, version = await server_of(request).lobby.read(page)
    headers = {"ETag": version, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == version:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type="application/json", headers=headers)


@router.post("/api/tables/{table_id}/again", responses=errors(401, 403, 404, 409, 422))
async def again(table_id: TableId, guest: SignedIn, request: Request) -> protocol.TableInfo:
    """Open a rematch with the same players and settings, each player one seat further on.

    Repeated calls return the same table.
    """
    server = server_of(request)
    async with server.registry.table(table_id) as live:
        successor = await live.rematch(guest, server.hashed(client_of(request)))
    await server.registry.resume(successor)
    server.lobby.change()
    async with server.registry.table(successor) as live:
        return live.broadcast.info(guest.id)


@router.get(
    "/api/tables/{table_id}/record", response_class=PlainTextResponse, responses=errors(404, 409, 422, beside_text=True)
)
async def record(table_id: TableId, request: Request) -> PlainTextResponse:
    """Download the record of a finished game, with the seed of its deal."""
    async with server_of(request).registry.table(table_id) as live:
        game = live.timeline.game
        if not live.timeline.is_over:
            raise RequestError("not_playing", "expected a finished game: the record shows all cards")
        headers = {"Content-Disposition": f'attachment; filename="cabochon-{game.variant}-{game.date}.txt"'}
        return PlainTextResponse(game.record(with_seed=True), headers=headers)


@router.websocket("/api/tables/{table_id}/socket")
async def socket(websocket: WebSocket, table_id: TableId, since: SinceQuery = 0, seat: SeatQuery = None) -> None:
    server = server_of(websocket)
    connection = Connection(None, server.settings.limits.unsent_messages, seat)
    token = bearer_token(websocket)
    # Registered before the token is looked up, so that revoking it meanwhile closes the connection.
    with server.token_connections.registered(None if token is None else digest_of(token), connection):
        try:
            connection.guest = await guest_or_none(websocket)
        except RequestError as error:
            if error.code == "banned":  # opened first, because a browser does not tell why a handshake was refused
                await websocket.accept()
                await websocket.close(CloseCode.BANNED, error.message)
                return
            await websocket.close()  # before it is open: HTTP 403
            return
        except SQLAlchemyError as error:
            log_database_failure(error)
            await websocket.close()
            return
        client = client_of(websocket)
        await websocket.accept()
        if connection.close_reason is not None:  # the server stops; a browser would hide an HTTP 503 from the page
            await websocket.close(*connection.close_reason)
            return
        if not server.socket_counter.open(client):
            await websocket.close(CloseCode.TOO_MANY, "too many sockets")
            return
        try:
            async with server.registry.table(table_id) as live:
                session = SocketSession(websocket, connection, live, server.settings.limits, server.metrics)
                with server.guest_connections.registered(connection.guest_id, connection):
                    await session.run(since)
        except RequestError as error:
            await websocket.close(CloseCode.NOT_FOUND, error.message)
        except SQLAlchemyError as error:
            log_database_failure(error)
            await websocket.close(CloseCode.UNAVAILABLE, "the database failed; reconnect")
        finally:
            server.socket_counter.close(client)
