"""The server as an ASGI application: middleware, error handlers and routes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from cabochon.server import protocol
from cabochon.server.errors import RequestError
from cabochon.server.repeated import cancel
from cabochon.server.routes import guests, operations, replays, tables
from cabochon.server.security import SecurityMiddleware, error_response
from cabochon.server.services import Server, server_of
from cabochon.server.settings import Settings
from cabochon.server.telemetry import TelemetryMiddleware, log_database_failure
from cabochon.version import __version__

POLL_SECONDS = 0.05


def create_app(settings: Settings) -> FastAPI:
    """Return a server as an ASGI application."""
    server = Server(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await _start(server)
        try:
            yield
        finally:
            await server.stop()

    app = FastAPI(
        title="Cabochon",
        version=__version__,
        summary="Play Splendor and Splendor: Marvel with people and bots.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    app.state.server = server
    app.add_middleware(
        SecurityMiddleware, limiter=server.request_limiter, settings=server.settings, metrics=server.metrics
    )
    app.add_middleware(TelemetryMiddleware, metrics=server.metrics)
    app.exception_handler(RequestError)(_handle_request_error)
    app.exception_handler(SQLAlchemyError)(_handle_database_error)
    app.exception_handler(RequestValidationError)(_handle_validation_error)
    app.exception_handler(HTTPException)(_handle_http_exception)
    for module in (guests, tables, replays, operations):
        app.include_router(module.router)
    app.include_router(operations.page_router)  # the last one: it answers every other path
    return app


async def _start(server: Server) -> None:
    """Start a server, which may wait for its database or its rules, unless it is told to stop meanwhile."""
    starting = asyncio.create_task(server.start())
    while not (starting.done() or server.is_stopping):
        await asyncio.wait([starting], timeout=POLL_SECONDS)
    if not starting.done():
        await cancel(starting)
    else:
        starting.result()


def create_monitoring_app(server: Server) -> FastAPI:
    """Return an application by which an operator watches a server or a thinker, and nothing else."""
    app = FastAPI(title="Cabochon", version=__version__, openapi_url=None)
    app.state.server = server
    app.exception_handler(RequestError)(_handle_request_error)
    app.include_router(operations.router)
    return app


async def _handle_request_error(request: Request, error: RequestError) -> Response:
    server_of(request).metrics.refusals.labels(error.code).inc()
    return error_response(error)


async def _handle_database_error(request: Request, error: SQLAlchemyError) -> Response:
    log_database_failure(error)
    return await _handle_request_error(request, RequestError("unavailable", "the database failed; try again"))


async def _handle_validation_error(request: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return await _handle_request_error(request, RequestError("malformed", f"{where}: {first['msg']}"[:200]))


async def _handle_http_exception(request: Request, error: HTTPException) -> Response:
    codes: dict[int, protocol.ErrorCode] = {404: "not_found", 413: "too_large"}
    code = codes.get(error.status_code, "malformed")
    answer = await _handle_request_error(request, RequestError(code, str(error.detail)))
    answer.status_code = 422 if error.status_code == 400 else error.status_code  # 400: a body that is not JSON
    answer.headers.update(error.headers or {})
    return answer
