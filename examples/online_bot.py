"""A bot that plays online: `python examples/online_bot.py http://127.0.0.1:8000 TOKEN [TABLE]`.

It plays at the table, or without one wherever a seat is kept for it; docs/online-bots.md says where the token is from.
It needs `pip install httpx websockets`, and nothing of Cabochon.
"""

import json
import sys
import time
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

LIKING = ["buy", "pay", "wild", "tile", "take", "reserve", "return", "pass"]  # the best first


def choose(position: dict[str, Any]) -> str:
    """A card if it can have one, else as many tokens as it gets."""
    return str(min(position["legal"], key=lambda move: (LIKING.index(move["kind"]), -len(move["tokens"])))["move"])


def play(http: httpx.Client, table: str) -> str:
    """Sit down, and play one game to its end; the places of all seats."""
    if (joined := http.post(f"/api/tables/{table}/join", json={})).is_error:
        return joined.text
    address = str(http.base_url.join(f"/api/tables/{table}/socket")).replace("http", "ws", 1)
    while True:
        try:
            with connect(address, additional_headers={"Authorization": http.headers["Authorization"]}) as socket:
                for message in map(json.loads, socket):
                    position = message.get("position")
                    if message["type"] == "refused":  # such as too fast: look again in a moment
                        time.sleep(0.5)
                        socket.send(json.dumps({"type": "catch_up", "since": message["seq"]}))
                    elif message.get("table", {}).get("status") == "closed":
                        return "the table was closed"
                    elif position and position["outcome"]:
                        return f"places: {' '.join(map(str, position['outcome']['places']))}"
                    elif position and position["legal"]:
                        socket.send(json.dumps({"type": "play", "seq": position["seq"], "move": choose(position)}))
        except (ConnectionClosed, OSError):  # the server tells where the game stands when one comes back
            time.sleep(1)


if __name__ == "__main__":
    url, token, *tables = sys.argv[1:]
    try:
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as http:
            print(f"online:{url}/{http.get('/api/me').raise_for_status().json()['guest']['id']}", flush=True)
            while not tables:
                for table in http.get("/api/tables").raise_for_status().json()["tables"]:
                    if table["status"] == "waiting" and any(s["is_kept"] and s["is_yours"] for s in table["seats"]):
                        print(play(http, table["id"]), flush=True)
                time.sleep(0.5)
            print(play(http, tables[0]))
    except (httpx.HTTPError, InvalidStatus) as error:
        sys.exit(f"{url}: {error}")
