"""One trial: play, suffer, recover, and check."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cabochon.server.settings import database_url
from tests.server.chaos.cluster import Cluster
from tests.server.chaos.games import Games, check_clocks, check_moves
from tests.server.postgres import PostgresServer
from tests.server.running import SECONDS
from tests.server.storage import new_storage


@dataclass(frozen=True)
class Trial:
    """How long to let how many faults happen at how many tables."""

    seconds: float = 600.0
    faults: int = 200
    tables: int = 60
    seed: int = 1


@dataclass(frozen=True)
class Result:
    """What a trial saw; every check has passed."""

    faults: Counter[str]
    told: int  # moves that people were told
    entries: int
    forfeits: int  # on time


async def run_trial(trial: Trial, folder: Path, postgres: PostgresServer, database: str) -> Result:
    """Let people and bots play through faults, and check afterwards that nothing is lost, doubled or stuck."""
    cluster = Cluster(folder, postgres, database, trial.seed)
    storage = new_storage(database_url(database))
    try:
        await cluster.start()
        games = await Games.open(cluster.urls, trial.tables)
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(player.play()) for player in games.players]
            await games.seen.wait_for_sockets(len(games.players))
            await cluster.suffer(trial.seconds, trial.faults)
            async with asyncio.timeout(SECONDS):
                await games.wait_for_progress()
                await games.check(cluster.direct_urls)
            for task in playing:
                task.cancel()
        timelines = await games.read(storage)
        check_moves(timelines, games.seen)
        forfeits = check_clocks(timelines)
        entries = sum(timeline.seq for timeline in timelines.values())
        return Result(cluster.faults, games.seen.count, entries, forfeits)
    finally:
        await cluster.close()
        await storage.database.close()
