"""Errors that a client receives: each has a code of the protocol, a sentence, and the id of a broken rule, if any."""

import math
from dataclasses import dataclass

from cabochon.server.protocol import ErrorCode, ErrorInfo

_CONFLICTS: tuple[ErrorCode, ...] = ("stale", "illegal", "cannot_undo", "over", "not_playing", "begun", "closed")
_CODES_BY_STATUS: dict[int, tuple[ErrorCode, ...]] = {
    401: ("no_guest",),
    403: ("not_yours", "banned", "origin"),
    404: ("not_found",),
    409: ("limit_reached", "not_your_turn", *_CONFLICTS),
    413: ("too_large",),
    422: ("malformed", "bad_record"),
    429: ("too_fast",),
    503: ("busy", "unavailable"),
}
HTTP_STATUSES = {code: status for status, codes in _CODES_BY_STATUS.items() for code in codes}


@dataclass(eq=False)
class RequestError(Exception):
    """A request or message is refused; nothing has changed.

    `retry_after` is the number of seconds after which the same request has a chance, if known.
    """

    code: ErrorCode
    message: str
    rule: str | None = None
    line: int | None = None
    retry_after: float | None = None

    def __post_init__(self) -> None:
        super().__init__(self.message)

    @property
    def info(self) -> ErrorInfo:
        """The error as a message."""
        return ErrorInfo(code=self.code, message=self.message, rule=self.rule, line=self.line)

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers: `Retry-After` in whole seconds, rounded up."""
        if self.retry_after is None or math.isinf(self.retry_after):
            return {}
        return {"Retry-After": str(max(1, math.ceil(self.retry_after)))}
