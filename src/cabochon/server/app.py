"""The application: every address of the server, and what is done there."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Path, Query, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from cabochon.fair import seed_bytes
from cabochon.game import Options
from cabochon.server import protocol
from cabochon.server.analysis_jobs import Analyses, require_over
from cabochon.server.bot_workers import Thinkers
from cabochon.server.clocks import Deadlines
from cabochon.server.connections import NOT_FOUND, TOO_MANY, Connection, TokenSockets
from cabochon.server.conversation import Conversation, SocketCounts
from cabochon.server.errors import Refusal
from cabochon.server.history import history_of, moment_of, statistics_of
from cabochon.server.lobby import Lobby
from cabochon.server.messages import Audience
from cabochon.server.page import Page
from cabochon.server.replays import Replays
from cabochon.server.security import (
    ANALYSES,
    COOKIE,
    REPLAYS,
    Buckets,
    Guarded,
    Whereabouts,
    bearer_token,
    client_of,
    problem,
    set_cookie,
)
from cabochon.server.settings import Settings
from cabochon.server.store import BotToken, Guest, Store, digest_of, now
from cabochon.server.tables import Services, Tables, table_info
from cabochon.server.telemetry import Metrics, Observed, tell
from cabochon.server.timeline import Course, Deal
from cabochon.version import RULES_VERSION, __version__

TABLES_SHOWN = 50
GAMES_SHOWN = 20
PEOPLE_SHOWN = 100

TableId = Annotated[str, Path(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$", description="A table's id.")]
TokenId = Annotated[str, Path(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$", description="A token's id.")]
SeatNumber = Annotated[int, Path(ge=0, le=3, description="A seat, from 0.")]
SinceQuery = Annotated[int, Query(ge=0, le=1_000_000)]
SeatQuery = Annotated[int | None, Query(ge=0, le=3, description="As which of one's seats to look.")]
ViewerQuery = Annotated[int | None, Query(ge=0, le=3, description="Whose eyes to look with; without it, all cards.")]
CursorQuery = Annotated[str | None, Query(max_length=64, description="The `next` of an earlier answer.")]


class Server:
    """Everything that one running server consists of."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.store = Store(settings.database, lambda seconds, _: self.metrics.commits.observe(seconds))
        self.thinkers = Thinkers(
            settings.bot_threads,
            settings.analysis_nodes,
            on_move=lambda level, seconds: self.metrics.thinking.labels(level).observe(seconds),
            on_failure=lambda level: self.metrics.bot_failures.labels(level).inc(),
        )
        self.lobby = Lobby(self.store)
        self.whereabouts = Whereabouts()
        self.tables = Tables(
            Services(self.store, self.thinkers, self.metrics, settings, self.lobby, Deadlines(), self.whereabouts)
        )
        self.sockets = SocketCounts(settings.limits.sockets_per_address)
        self.token_sockets = TokenSockets()
        self.replays = Replays()
        self.analyses = Analyses(self.thinkers)
        self.replay_buckets = Buckets(settings.limits.replay_rate, settings.limits.replay_burst)
        self.page = Page()

    async def start(self) -> None:
        """Open the database, have the rules compiled, and let bots go on where they were."""
        await self.store.open()
        await asyncio.to_thread(_rehearse)
        self._warming_up = asyncio.create_task(self.thinkers.warm_up())  # a page can be shown meanwhile
        await self.tables.resume_all()
        tell("started", version=__version__, rules=RULES_VERSION)

    async def warmed_up(self) -> None:
        """Wait until everything is compiled and loaded that bots need."""
        await asyncio.shield(self._warming_up)

    async def stop(self) -> None:
        """Finish what has begun, and close the database."""
        self._warming_up.cancel()
        await self.tables.close()
        await self.analyses.close()
        await asyncio.to_thread(self.thinkers.close)
        await asyncio.to_thread(self.replays.close)
        await self.store.close()
        tell("stopped")


def _rehearse() -> None:
    """Go through all that a move needs, so that nobody waits while it is compiled or loaded."""
    for variant in ("splendor", "marvel"):
        course = Course(Deal(Options(variant), seed_bytes(0), ("", ""), "2026-01-01"))
        audience = Audience(course, may_move=True)
        course = course.decide(0, course.game.legal_moves[0], now())
        audience.follow(course, [0, 1], now())
        audience.follow(course.undo(0, now()), [0, 1], now())


def _of(connection: HTTPConnection) -> Server:
    server: Server = connection.app.state.server
    return server


async def _guest_by_cookie(connection: HTTPConnection) -> Guest | None:
    secret = connection.cookies.get(COOKIE)
    return await _of(connection).store.guest_of(secret) if secret else None


async def _guest_or_none(connection: HTTPConnection) -> Guest | None:
    """Whose cookie or token it is; a token that is not known is refused, whatever cookie came with it."""
    token = bearer_token(connection)
    if token is None:
        guest = await _guest_by_cookie(connection)
    else:
        guest = await _of(connection).store.guest_of_bot_token(token)
        if guest is None:
            raise Refusal("no_guest", "expected a token that is known; it may have been revoked")
    if guest is not None:
        _of(connection).whereabouts.note(guest.id, client_of(connection))
    return guest


def _signed_in(guest: Guest | None) -> Guest:
    if guest is None:
        raise Refusal("no_guest", "expected a guest with a nickname; PUT /api/me first")
    return guest


async def _guest(guest: Annotated[Guest | None, Depends(_guest_or_none)]) -> Guest:
    return _signed_in(guest)


async def _person(guest: Annotated[Guest | None, Depends(_guest_by_cookie)]) -> Guest:
    return _signed_in(guest)


GuestOrNone = Annotated[Guest | None, Depends(_guest_or_none)]
SignedIn = Annotated[Guest, Depends(_guest)]
SignedInByCookie = Annotated[Guest, Depends(_person)]  # what would outlive a token cannot be had with one


def _me(guest: Guest | None) -> protocol.Me:
    return protocol.Me(guest=None if guest is None else protocol.Guest(id=guest.id, nickname=guest.nickname))


def _token(token: BotToken) -> protocol.BotToken:
    return protocol.BotToken(id=token.id, name=token.name, created_at=token.created_at)


def _problems(*statuses: int, beside_text: bool = False) -> dict[int | str, dict[str, Any]]:
    """The answers, besides success, that a route may give; 429 and 503 any may. They are JSON beside text too."""
    reference = {"$ref": "#/components/schemas/Problem"}
    by_text = {"description": "Refused", "content": {"application/json": {"schema": reference}}}
    return {status: by_text if beside_text else {"model": protocol.Problem} for status in sorted({*statuses, 429, 503})}


def create_app(settings: Settings) -> FastAPI:
    """A server as an ASGI application."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        server = app.state.server
        await server.start()
        try:
            yield
        finally:
            await server.stop()

    server = Server(settings)
    app = FastAPI(
        title="Cabochon",
        version=__version__,
        summary="Tables where people and bots play Splendor and Splendor: Marvel.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    app.state.server = server
    app.add_middleware(Guarded, settings=settings, metrics=server.metrics)
    app.add_middleware(Observed, metrics=server.metrics)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http_problem)
    _add_guest_routes(app)
    _add_table_routes(app)
    _add_replay_routes(app)
    _add_other_routes(app)
    return app


# Refusals


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    _of(request).metrics.refusals.labels(error.code).inc()
    return problem(error)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return await _refused(request, Refusal("malformed", f"{where}: {first['msg']}"[:200]))


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes: dict[int, protocol.ErrorCode] = {404: "not_found", 413: "too_large"}
    code = codes.get(error.status_code, "malformed")
    answer = await _refused(request, Refusal(code, str(error.detail)))
    answer.status_code = 422 if error.status_code == 400 else error.status_code  # a body that is not even JSON
    answer.headers.update(error.headers or {})
    return answer


# Who one is


def _add_guest_routes(app: FastAPI) -> None:
    @app.get("/api/me", tags=["guests"], responses=_problems(401))
    async def me(guest: GuestOrNone) -> protocol.Me:
        """Who the server takes one for."""
        return _me(guest)

    @app.put("/api/me", tags=["guests"], responses=_problems(401, 403, 413, 422))
    async def name_me(
        wanted: protocol.NewGuest, guest: GuestOrNone, request: Request, response: Response
    ) -> protocol.Me:
        """Take a nickname: as a new guest, whose secret comes in a cookie, or instead of one's old one."""
        if guest is not None:
            return _me(await _of(request).tables.rename(guest, wanted.nickname))
        guest, secret = await _of(request).store.add_guest(wanted.nickname)
        set_cookie(response, secret, request, _of(request).settings)
        return _me(guest)

    @app.post("/api/me/link", tags=["guests"], status_code=201, responses=_problems(401, 403))
    async def link_device(guest: SignedInByCookie, request: Request) -> protocol.DeviceLink:
        """A private link, good once and for a short time, that signs another device in as oneself."""
        server = _of(request)
        key, expires_at = await server.store.add_device_link(guest, timedelta(minutes=server.settings.link_minutes))
        return protocol.DeviceLink(path=f"/claim#{key}", expires_at=expires_at)

    @app.get("/api/me/tokens", tags=["guests"], responses=_problems(401))
    async def my_tokens(guest: SignedInByCookie, request: Request) -> protocol.BotTokens:
        """The tokens of one's programs, the newest first."""
        return protocol.BotTokens(tokens=[_token(token) for token in await _of(request).store.bot_tokens_of(guest)])

    @app.post("/api/me/tokens", tags=["guests"], status_code=201, responses=_problems(401, 403, 413, 422))
    async def add_token(
        wanted: protocol.NewBotToken, guest: SignedInByCookie, request: Request
    ) -> protocol.GivenBotToken:
        """A token with which a program plays as oneself; it is told this once."""
        server = _of(request)
        if len(await server.store.bot_tokens_of(guest)) >= server.settings.limits.tokens_per_guest:
            raise Refusal("too_fast", "expected fewer tokens; revoke one first")
        token, secret = await server.store.add_bot_token(guest, wanted.name)
        return protocol.GivenBotToken(token=secret, info=_token(token))

    @app.delete("/api/me/tokens/{token_id}", tags=["guests"], responses=_problems(401, 403, 404, 422))
    async def revoke_token(token_id: TokenId, guest: SignedInByCookie, request: Request) -> protocol.BotTokens:
        """Make a token worthless, and end its sockets; those that are left."""
        server = _of(request)
        digest = await server.store.remove_bot_token(guest, token_id)
        if digest is None:
            raise Refusal("not_found", "there is no such token")
        server.token_sockets.revoke(digest)
        return protocol.BotTokens(tokens=[_token(token) for token in await server.store.bot_tokens_of(guest)])

    @app.get("/api/me/history", tags=["guests"], responses=_problems(401, 422))
    async def my_history(guest: SignedIn, request: Request, cursor: CursorQuery = None) -> protocol.History:
        """One's finished games, the newest first, with how they ended."""
        found = await _of(request).store.history(guest.id, GAMES_SHOWN + 1, moment_of(cursor))
        return history_of(found, guest.id, GAMES_SHOWN)

    @app.get("/api/me/statistics", tags=["guests"], responses=_problems(401))
    async def my_statistics(guest: SignedIn, request: Request) -> protocol.Statistics:
        """How one did, by game, number of players and opponent: bots by level, and each person by nickname."""
        return statistics_of(await _of(request).store.tallies(guest.id, PEOPLE_SHOWN))

    @app.post("/api/claims", tags=["guests"], responses=_problems(403, 404, 413, 422))
    async def claim(wanted: protocol.Claim, request: Request, response: Response) -> protocol.Me:
        """Sign this device in with the key of a private link."""
        claimed = await _of(request).store.claim_device_link(wanted.key)
        if claimed is None:
            raise Refusal("not_found", "the link is used up or too old; make a new one")
        guest, secret = claimed
        set_cookie(response, secret, request, _of(request).settings)
        return _me(guest)


# Tables


def _add_table_routes(app: FastAPI) -> None:
    @app.get("/api/tables", tags=["tables"], responses=_problems(401))
    async def my_tables(guest: GuestOrNone, request: Request) -> protocol.Tables:
        """The tables where one sits, that one has opened, or where a seat is kept for one: first those not over."""
        if guest is None:
            return protocol.Tables(tables=[])
        store = _of(request).store
        found = await store.tables_of(guest.id, TABLES_SHOWN)
        lengths = await store.lengths([table.id for table in found])
        return protocol.Tables(tables=[table_info(table, guest.id, lengths.get(table.id, 0)) for table in found])

    @app.post("/api/tables", tags=["tables"], status_code=201, responses=_problems(401, 403, 404, 413, 422))
    async def open_table(plan: protocol.NewTable, guest: SignedIn, request: Request) -> protocol.TableInfo:
        """Open a table."""
        return table_info(await _of(request).tables.open(plan, guest), guest.id, 0)

    @app.get("/api/tables/{table_id}", tags=["tables"], responses=_problems(401, 404, 422))
    async def table(table_id: TableId, guest: GuestOrNone, request: Request) -> protocol.TableInfo:
        """A table, without its game; whoever has its id may look."""
        async with _of(request).tables.at(table_id) as live:
            return live.info(guest.id if guest is not None else None)

    @app.post("/api/tables/{table_id}/join", tags=["tables"], responses=_problems(401, 403, 404, 409, 413, 422))
    async def join(
        table_id: TableId, guest: SignedIn, request: Request, wanted: Annotated[protocol.Join, Body()]
    ) -> protocol.TableInfo:
        """Sit down at an open seat; who has one keeps it."""
        async with _of(request).tables.at(table_id) as live:
            await live.join(guest, wanted.seat)
            return live.info(guest.id)

    @app.put("/api/tables/{table_id}/seats/{seat}", tags=["tables"], responses=_problems(401, 403, 404, 409, 413, 422))
    async def set_seat(
        table_id: TableId, seat: SeatNumber, wanted: protocol.SeatChange, guest: SignedIn, request: Request
    ) -> protocol.TableInfo:
        """As the host of a table that waits: give a seat to a bot, or make it open, whoever sat there."""
        async with _of(request).tables.at(table_id) as live:
            await live.set_seat(guest, seat, wanted)
            return live.info(guest.id)

    @app.delete("/api/tables/{table_id}/seats/{seat}", tags=["tables"], responses=_problems(401, 403, 404, 409, 422))
    async def stand_up(table_id: TableId, seat: SeatNumber, guest: SignedIn, request: Request) -> protocol.TableInfo:
        """While the table waits: stand up, decline a seat that is kept for one, or as the host send somebody away."""
        async with _of(request).tables.at(table_id) as live:
            await live.set_seat(guest, seat, None)
            return live.info(guest.id)

    @app.post(
        "/api/tables/{table_id}/seats/{seat}/leave", tags=["tables"], responses=_problems(401, 403, 404, 409, 422)
    )
    async def leave(table_id: TableId, seat: SeatNumber, guest: SignedIn, request: Request) -> protocol.TableInfo:
        """Leave a running game for good: of two players one loses it, of more a bot goes on."""
        async with _of(request).tables.at(table_id) as live:
            await live.leave(guest, seat)
            return live.info(guest.id)

    @app.delete("/api/tables/{table_id}", tags=["tables"], responses=_problems(401, 403, 404, 409, 422))
    async def close_table(table_id: TableId, guest: SignedIn, request: Request) -> protocol.TableInfo:
        """Close a table that waits, as its host."""
        async with _of(request).tables.at(table_id) as live:
            await live.shut(guest)
            return live.info(guest.id)

    @app.get(
        "/api/lobby",
        tags=["tables"],
        response_model=protocol.Lobby,
        responses=_problems() | {304: {"description": "As one knows it"}},
    )
    async def lobby(request: Request) -> Response:
        """The public tables that wait for players, the newest first; to be asked for again with `If-None-Match`."""
        text, version = await _of(request).lobby.read()
        headers = {"ETag": version, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == version:
            return Response(status_code=304, headers=headers)
        return Response(text, media_type="application/json", headers=headers)

    @app.post("/api/tables/{table_id}/again", tags=["tables"], responses=_problems(401, 403, 404, 409, 422))
    async def again(table_id: TableId, guest: SignedIn, request: Request) -> protocol.TableInfo:
        """Play again: the same players and settings, each one seat further on. Asked twice, it is the same table."""
        tables = _of(request).tables
        async with tables.at(table_id) as live:
            successor = await live.rematch(guest)
        await tables.resume(successor)
        _of(request).lobby.change()
        async with tables.at(successor) as live:
            return live.info(guest.id)

    @app.get(
        "/api/tables/{table_id}/record",
        tags=["tables"],
        response_class=PlainTextResponse,
        responses=_problems(404, 409, 422, beside_text=True),
    )
    async def record(table_id: TableId, request: Request) -> PlainTextResponse:
        """The record of a game that is over, with the seed of its deal, as a file."""
        async with _of(request).tables.at(table_id) as live:
            game = live.course.game
            if not live.course.is_over:
                raise Refusal("not_playing", "the record is given when the game is over: it tells all cards")
            name = f"cabochon-{game.variant}-{game.date}.txt"
            return PlainTextResponse(
                game.record(with_seed=True), headers={"Content-Disposition": f'attachment; filename="{name}"'}
            )

    @app.websocket("/api/tables/{table_id}/socket")
    async def socket(websocket: WebSocket, table_id: TableId, since: SinceQuery = 0, seat: SeatQuery = None) -> None:
        server = _of(websocket)
        connection = Connection(None, server.settings.limits.unsent_messages, seat)
        token = bearer_token(websocket)
        # Known before the token is looked up: whoever revokes it meanwhile finds the connection here.
        with server.token_sockets.held(None if token is None else digest_of(token), connection):
            try:
                connection.guest = await _guest_or_none(websocket)
            except Refusal:
                await websocket.close()  # before it is open: HTTP 403
                return
            client = client_of(websocket)
            await websocket.accept()
            if not server.sockets.open(client):
                await websocket.close(TOO_MANY, "too many sockets")
                return
            try:
                async with server.tables.at(table_id) as live:
                    await Conversation(websocket, connection, live, server.settings.limits, server.metrics).hold(since)
            except Refusal as refusal:
                await websocket.close(NOT_FOUND, refusal.message)
            finally:
                server.sockets.close(client)


# Replays


def _unpacked(packed: bytes, request: Request) -> Response:
    """An answer that is packed already; for those few who cannot read that, unpacked again."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), media_type="application/json")
    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(packed, media_type="application/json", headers=headers)


def _add_replay_routes(app: FastAPI) -> None:
    def check_rate(request: Request) -> None:
        if not _of(request).replay_buckets.take(client_of(request)):
            raise Refusal("too_fast", "expected fewer replays at a time; wait a little")

    @app.get(
        "/api/tables/{table_id}/replay",
        tags=["replays"],
        response_model=protocol.Replay,
        responses=_problems(404, 409, 422),
    )
    async def replay(table_id: TableId, request: Request, viewer: ViewerQuery = None) -> Response:
        """A game that is over, from the deal to its end."""
        check_rate(request)
        server = _of(request)
        async with server.tables.at(table_id) as live:
            if live.stored.status != "over":
                raise Refusal("not_playing", "the replay is given when the game is over: it tells all cards")
            game = live.course.game
        return _unpacked(await server.replays.of_game(game, viewer), request)

    @app.post(REPLAYS, tags=["replays"], response_model=protocol.Replay, responses=_problems(403, 413, 422))
    async def replay_record(wanted: protocol.RecordToReplay, request: Request) -> Response:
        """The game of a record, which is replayed by the rules, and refused at the first line that breaks one."""
        check_rate(request)
        return _unpacked(await _of(request).replays.of_record(wanted.record, wanted.viewer), request)

    @app.get(
        "/api/tables/{table_id}/analysis",
        tags=["replays"],
        response_model=protocol.Analysis,
        responses=_problems(404, 409, 413, 422),
    )
    async def analysis(table_id: TableId, request: Request) -> Response:
        """What a bot thinks of each decision of a game that is over, as far as it has come; it begins when asked."""
        server = _of(request)
        async with server.tables.at(table_id) as live:
            require_over(live.stored.status == "over")
            game = live.course.game
        return _unpacked(await server.analyses.of_game(game, client_of(request)), request)

    @app.post(ANALYSES, tags=["replays"], response_model=protocol.Analysis, responses=_problems(403, 409, 413, 422))
    async def analyse_record(wanted: protocol.RecordToAnalyse, request: Request) -> Response:
        """The same for the record of a game that is over."""
        check_rate(request)
        server = _of(request)
        game = await server.replays.game_of(wanted.record)
        require_over(game.outcome is not None)
        return _unpacked(await server.analyses.of_game(game, client_of(request)), request)


# Those who run it, and the page


def _add_other_routes(app: FastAPI) -> None:
    @app.get("/healthz", tags=["running"], responses=_problems())
    async def health(request: Request) -> protocol.Health:
        """Whether the server and its database answer."""
        try:
            await _of(request).store.check()
        except Exception as error:
            raise Refusal("unavailable", "the database does not answer") from error
        return protocol.Health(
            status="ok", version=__version__, rules=RULES_VERSION, protocol=protocol.PROTOCOL_VERSION
        )

    @app.get("/metrics", tags=["running"], response_class=PlainTextResponse, responses=_problems(404, beside_text=True))
    async def metrics(request: Request) -> Response:
        """What is counted, for Prometheus."""
        server = _of(request)
        if not server.settings.has_metrics:
            raise Refusal("not_found", "there are no metrics here")
        content, kind = server.metrics.page()
        return Response(content, media_type=kind)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(path: str, request: Request) -> Response:
        answer = None if path.startswith("api/") else _of(request).page.answer(request, path)
        if answer is None:
            raise Refusal("not_found", "there is nothing here")
        return answer
