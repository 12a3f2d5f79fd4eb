"""Errors that a client is told: each has a code of the protocol, a sentence, and the id of a broken rule, if any."""

from __future__ import annotations

import math

from cabochon.server.protocol import ErrorCode, ErrorInfo

HTTP_STATUSES: dict[ErrorCode, int] = {
    "malformed": 422,
    "too_large": 413,
    "too_fast": 429,
    "limit_reached": 409,
    "no_guest": 401,
    "not_found": 404,
    "not_yours": 403,
    "not_your_turn": 409,
    "stale": 409,
    "illegal": 409,
    "cannot_undo": 409,
    "over": 409,
    "not_playing": 409,
    "begun": 409,
    "closed": 409,
    "bad_record": 422,
    "origin": 403,
    "busy": 503,
    "unavailable": 503,
}


class RequestError(Exception):
    """A request or message is refused; nothing has changed.

    `retry_after` is the number of seconds after which the same request has a chance, if known.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        rule: str | None = None,
        line: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.rule = rule
        self.line = line
        self.retry_after = retry_after

    @property
    def info(self) -> ErrorInfo:
        """The error as a message."""
        return ErrorInfo(code=self.code, message=self.message, rule=self.rule, line=self.line)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return HTTP_STATUSES[self.code]

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers: `Retry-After` in whole seconds, rounded up."""
        if self.retry_after is None or math.isinf(self.retry_after):
            return {}
        return {"Retry-After": str(max(1, math.ceil(self.retry_after)))}
