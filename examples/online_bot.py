"""A bot that plays online: `python examples/online_bot.py http://127.0.0.1:8000 TOKEN [TABLE]`.

It sits down at the table, or opens a public one and waits; docs/online-bots.md says where the token is from. It needs
`pip install httpx websockets`, and nothing of Cabochon.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

ORDER = ["buy", "pay", "tile", "take", "reserve"]  # what it likes best; then whatever is legal


def choose(position: dict[str, Any]) -> str:
    """A card if it can have one, else as many tokens as it gets."""

    def liking(move: dict[str, Any]) -> tuple[int, int]:
        return -ORDER.index(move["kind"]) if move["kind"] in ORDER else -len(ORDER), len(move["tokens"])

    return str(max(position["legal"], key=liking)["move"])


def sit_down(url: str, headers: dict[str, str], table: str | None) -> str:
    """Take a seat, and tell at which table."""
    with httpx.Client(base_url=url, headers=headers) as http:
        if table is not None:
            http.post(f"/api/tables/{table}/join", json={}).raise_for_status()
            return table
        plan = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "open"}], "visibility": "public"}
        return str(http.post("/api/tables", json=plan).raise_for_status().json()["id"])


def play(url: str, token: str, table: str | None = None) -> list[int]:
    """Play one game to its end; the places of all seats."""
    headers = {"Authorization": f"Bearer {token}"}
    address = f"{url.replace('http', 'ws', 1)}/api/tables/{sit_down(url, headers, table)}/socket"
    while True:
        try:
            with connect(address, additional_headers=headers, max_size=None) as socket:
                for message in map(json.loads, socket):
                    position = message.get("position")
                    if position and position["outcome"]:
                        return list(position["outcome"]["places"])
                    if position and position["legal"]:
                        move = {"type": "play", "seq": position["seq"], "move": choose(position)}
                        socket.send(json.dumps(move))
        except ConnectionClosed:  # the server tells where the game stands when one comes back
            time.sleep(1)


if __name__ == "__main__":
    print("places:", *play(*sys.argv[1:]))
