"""Saying no: every refusal has a code of the protocol, a sentence, and where a rule is broken its id."""

from __future__ import annotations

from cabochon.server.protocol import ErrorCode, ErrorInfo

HTTP_STATUSES: dict[ErrorCode, int] = {
    "malformed": 422,
    "too_large": 413,
    "too_fast": 429,
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


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not a fault
    """Something that a client asked for is not done, and nothing has changed."""

    def __init__(self, code: ErrorCode, message: str, rule: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.rule = rule
        self.line = line

    @property
    def info(self) -> ErrorInfo:
        """What the client is told."""
        return ErrorInfo(code=self.code, message=self.message, rule=self.rule, line=self.line)

    @property
    def status(self) -> int:
        """As an HTTP status."""
        return HTTP_STATUSES[self.code]
