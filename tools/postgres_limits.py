"""Measure how many commits and notices per second one PostgreSQL manages on this machine.

    python -m tools.postgres_limits --seconds 5

Writers append entries to the logs of games, as servers do: one transaction inserts a few entries and updates their
tables. Then one process sends notices on all channels to others, which share the channels among them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import asyncpg

from cabochon.server.notifications import SHARDS
from tests.server.postgres import own_server

WRITERS = 8
ENTRIES_PER_COMMIT = (1, 4, 16)
LISTENERS = (0, 4, 16, 64)
NOTICES_PER_STATEMENT = (1, 20)
NOTICE = json.dumps({"from": "x" * 16, "notices": [{"kind": "entry", "table": "x" * 16, "text": "take wbg w3 m17"}]})

SCHEMA = """
CREATE TABLE tables (id integer PRIMARY KEY, status text, due_at timestamptz);
CREATE TABLE entries (table_id integer REFERENCES tables, seq integer, text text, at timestamptz,
    PRIMARY KEY (table_id, seq));
"""


async def write(url: str, tables: list[int], per_commit: int, until: float) -> int:
    """Append entries until a time; return how many."""
    connection = await asyncpg.connect(url)
    written, seq = 0, 0
    while time.monotonic() < until:
        seq += 1
        for start in range(0, len(tables), per_commit):
            batch = tables[start : start + per_commit]
            async with connection.transaction():
                insert = "INSERT INTO entries VALUES ($1, $2, 'take wbg w3 m17', now())"
                await connection.executemany(insert, [(table, seq) for table in batch])
                update = "UPDATE tables SET status = 'playing', due_at = now() WHERE id = $1"
                await connection.executemany(update, [(table,) for table in batch])
            written += len(batch)
    await connection.close()
    return written


async def measure_commits(url: str, per_commit: int, seconds: float) -> float:
    """Return the entries per second of all writers, each with tables of its own."""
    connection = await asyncpg.connect(url)
    await connection.execute("DROP TABLE IF EXISTS entries; DROP TABLE IF EXISTS tables;" + SCHEMA)
    groups = [list(range(number * 64, (number + 1) * 64)) for number in range(WRITERS)]
    rows = [(table, "playing") for group in groups for table in group]
    await connection.executemany("INSERT INTO tables VALUES ($1, $2)", rows)
    await connection.close()
    until = time.monotonic() + seconds
    written = await asyncio.gather(*(write(url, group, per_commit, until) for group in groups))
    return sum(written) / seconds


async def measure_notices(url: str, listeners: int, per_statement: int, seconds: float) -> float:
    """Return the notices per second, each of which reaches one of the listeners: they share the channels."""
    channels = [f"shard_{number}" for number in range(SHARDS)]
    received = [0] * listeners
    ends = [await asyncpg.connect(url) for _ in range(listeners)]

    def counter(number: int) -> Callable[..., None]:
        def count(*_: Any) -> None:
            received[number] += 1

        return count

    for number, end in enumerate(ends):
        for channel in channels[number :: max(1, listeners)]:
            await end.add_listener(channel, counter(number))
    sender = await asyncpg.connect(url)
    query = "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS t(channel, payload)"
    sent, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        chosen = [channels[(sent + number) % SHARDS] for number in range(per_statement)]
        await sender.execute(query, chosen, [NOTICE] * per_statement)
        sent += per_statement
        while listeners and sum(received) < sent - 1_000:
            await asyncio.sleep(0)
    while listeners and sum(received) < sent:
        await asyncio.sleep(0.01)
    took = time.monotonic() - until + seconds
    for connection in (sender, *ends):
        await connection.close()
    return sent / took


def processor_seconds(of: str) -> float:
    """Return the CPU time of all processes whose command contains this text, also of those that ended meanwhile."""
    total = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if of in (folder / "cmdline").read_text(encoding="utf-8", errors="replace"):
                fields = (folder / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="duration of each measurement")
    seconds = parser.parse_args().seconds
    with own_server(is_durable=True) as postgres, postgres.database() as database:
        url = database.replace("+asyncpg", "")

        def measure(work: Coroutine[Any, Any, float]) -> str:
            before = processor_seconds("postgres")
            rate = asyncio.run(work)
            used = processor_seconds("postgres") - before
            return f"{rate:8,.0f} per second, {1e6 * used / (rate * seconds):6.0f} µs of PostgreSQL's CPU time each"

        for per_commit in ENTRIES_PER_COMMIT:
            print(f"entries, {per_commit:2} per commit:", measure(measure_commits(url, per_commit, seconds)))
        for listeners in LISTENERS:
            for count in NOTICES_PER_STATEMENT:
                result = measure(measure_notices(url, listeners, count, seconds))
                print(f"notices to {listeners:2} listeners, {count:2} per statement:", result)


if __name__ == "__main__":
    main()
