"""The routes about finished games: replays and analyses."""

import gzip
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from cabochon.server import protocol
from cabochon.server.analyses import require_over
from cabochon.server.errors import RequestError
from cabochon.server.rate_limits import client_of
from cabochon.server.routes import TableId, errors
from cabochon.server.services import server_of

ViewerQuery = Annotated[
    int | None, Query(ge=0, le=3, description="The seat whose view to show. By default, all cards are open.")
]

router = APIRouter(tags=["replays"])


def _gzipped(packed: bytes, request: Request) -> Response:
    """Return a gzipped response, decompressed for the few clients that do not accept gzip."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), media_type="application/json")
    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(packed, media_type="application/json", headers=headers)


def _check_rate(request: Request) -> None:
    server_of(request).replay_limiter.check(client_of(request), "replays")


@router.get("/api/tables/{table_id}/replay", response_model=protocol.Replay, responses=errors(404, 409, 422))
async def replay(table_id: TableId, request: Request, viewer: ViewerQuery = None) -> Response:
    """Return a finished game, position by position."""
    _check_rate(request)
    server = server_of(request)
    async with server.registry.table(table_id) as live:
        if live.record.status != "over":
            raise RequestError("not_playing", "expected a finished game: the replay shows all cards")
        game = live.timeline.game
    return _gzipped(await server.replays.of_game(game, viewer), request)


@router.post("/api/replays", response_model=protocol.Replay, responses=errors(403, 413, 422))
async def replay_record(wanted: protocol.RecordToReplay, request: Request) -> Response:
    """Return the game of a record, position by position. A record that breaks the rules is an error."""
    _check_rate(request)
    server = server_of(request)
    await server.registry.rules_loaded.wait()
    return _gzipped(await server.replays.of_record(wanted.record, wanted.viewer), request)


@router.get("/api/tables/{table_id}/analysis", response_model=protocol.Analysis, responses=errors(404, 409, 413, 422))
async def analysis(table_id: TableId, request: Request) -> Response:
    """Return the analysis of a finished game so far.

    The first request starts the analysis; repeat the request until it is complete.
    """
    server = server_of(request)
    async with server.registry.table(table_id) as live:
        require_over(live.record.status == "over")
        game = live.timeline.game
    return _gzipped(await server.analyses.of_game(game, server.hashed(client_of(request))), request)


@router.post("/api/analyses", response_model=protocol.Analysis, responses=errors(403, 409, 413, 422))
async def analyse_record(wanted: protocol.RecordToAnalyse, request: Request) -> Response:
    """Return the analysis of the record of a finished game so far.

    The first request starts the analysis; repeat the request until it is complete. Games that are still being played
    on this server are refused.
    """
    _check_rate(request)
    server = server_of(request)
    await server.registry.rules_loaded.wait()
    game = await server.replays.game_of(wanted.record)
    require_over(game.outcome is not None)
    await server.running_games.refuse_if_running(game)
    return _gzipped(await server.analyses.of_game(game, server.hashed(client_of(request))), request)
