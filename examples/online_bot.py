"""A bot that plays online: `python examples/online_bot.py http://127.0.0.1:8000 TOKEN [TABLE]`.

It needs only httpx and websockets. Without TABLE, it plays wherever a seat is kept for it (docs/online-bots.md).
"""

import json
import sys
import time
from typing import Any

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

LIKING = ["buy", "pay", "wild", "tile", "take", "reserve", "return", "pass"]  # the best first


def choose(position: dict[str, Any]) -> str:
    """Return the legal move of the best kind, with as many tokens as possible."""
    return str(min(position["legal"], key=lambda move: (LIKING.index(move["kind"]), -len(move["tokens"])))["move"])


def play(http: httpx.Client, table: str) -> str | None:
    """Sit down and play one game to its end. Return the result, or None to reconnect."""
    if (joined := http.post(f"/api/tables/{table}/join", json={})).status_code in (403, 404, 409, 422):
        return joined.text
    address = str(joined.raise_for_status().url).replace("http", "ws", 1).removesuffix("join") + "socket"
    with connect(address, additional_headers={"Authorization": http.headers["Authorization"]}) as socket:
        for message in map(json.loads, socket):
            position = message.get("position")
            if message["type"] == "refused":  # such as too fast: reconnect in a moment
                return None
            if message.get("table", {}).get("status") == "closed":
                return "the table was closed"
            if position and position["outcome"]:
                return f"places: {' '.join(map(str, position['outcome']['places']))}"
            if position and position["legal"]:
                socket.send(json.dumps({"type": "play", "seq": position["seq"], "move": choose(position)}))
    return None


if __name__ == "__main__":
    url, token, *tables = sys.argv[1:]
    is_waiting, is_known = not tables, False
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as http:
        while is_waiting or tables:
            try:
                if not is_known:
                    print(f"online:{url}/{http.get('/api/me').raise_for_status().json()['guest']['id']}", flush=True)
                is_known = True
                for table in [] if tables else http.get("/api/tables").raise_for_status().json()["tables"]:
                    if table["status"] == "waiting" and any(s["is_kept"] and s["is_yours"] for s in table["seats"]):
                        tables.append(table["id"])
                while tables and (told := play(http, tables[0])):
                    print(tables.pop(0), told, flush=True)
            except (httpx.HTTPError, WebSocketException, OSError) as error:  # try again in a moment
                if not is_known or (isinstance(error, httpx.HTTPStatusError) and error.response.status_code == 401):
                    sys.exit(f"{url}: {error}")
            time.sleep(0.5)
