"""The routes for operators of the server, and the page itself."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from cabochon.server import protocol
from cabochon.server.errors import RequestError
from cabochon.server.routes import errors
from cabochon.server.services import server_of
from cabochon.version import RULES_VERSION, __version__

router = APIRouter(tags=["running"])
page_router = APIRouter()


@router.get("/healthz", responses=errors())
async def health() -> protocol.Health:
    """Check whether the process works. It need not be restarted because it is starting or its database fails."""
    return _health()


@router.get("/readyz", responses=errors())
async def readiness(request: Request) -> protocol.Health:
    """Check whether the server is ready for requests, neither starts nor stops, and its database answers."""
    server = server_of(request)
    server.require_ready()
    try:
        await server.database.check()
    except Exception as error:
        raise RequestError("unavailable", "the database does not answer") from error
    return _health()


def _health() -> protocol.Health:
    return protocol.Health(status="ok", version=__version__, rules=RULES_VERSION, protocol=protocol.PROTOCOL_VERSION)


@router.get("/metrics", response_class=PlainTextResponse, responses=errors(404, beside_text=True))
async def metrics(request: Request) -> Response:
    """Return the metrics for Prometheus."""
    server = server_of(request)
    if not server.settings.has_metrics:
        raise RequestError("not_found", "metrics are turned off on this server")
    content, kind = server.metrics.page()
    return Response(content, media_type=kind)


@page_router.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
async def page(path: str, request: Request) -> Response:
    answer = None if path.startswith("api/") else server_of(request).page.answer(request, path)
    if answer is None:
        raise RequestError("not_found", "there is nothing at this address")
    return answer
