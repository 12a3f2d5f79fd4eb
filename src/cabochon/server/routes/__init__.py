"""The HTTP routes, one module per noun, and what they share."""

from typing import Annotated, Any

from fastapi import Path

from cabochon.server import protocol

TableId = Annotated[str, Path(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$", description="The table's id.")]


def errors(*statuses: int, beside_text: bool = False) -> dict[int | str, dict[str, Any]]:
    """Describe the error responses of a route for OpenAPI.

    Every route may return 429 and 503, and one that asks who you are (401) also 403, because guests can be banned. The
    responses are JSON even if a successful one is text.
    """
    reference = {"$ref": "#/components/schemas/Problem"}
    by_text = {"description": "Refused", "content": {"application/json": {"schema": reference}}}
    possible = {*statuses, 429, 503} | ({403} if 401 in statuses else set())
    return {status: by_text if beside_text else {"model": protocol.Problem} for status in sorted(possible)}
