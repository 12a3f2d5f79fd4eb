"""What a bot thinks of games that are over."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon import Decision, Game, Move, Options
from cabochon.analysis import Judgement, analyse, decisions
from cabochon.bots.protocol import Limit
from cabochon.server import analyses, analysis_store, analysis_worker, protocol, schema
from cabochon.server.analyses import Analyses
from cabochon.server.analysis_store import AnalysisStore
from cabochon.server.analysis_worker import unpack
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.clocks import now
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.notifications import new_notifications
from cabochon.server.processes import Processes
from cabochon.server.replays import replay_of
from tests.cli.command import eager_move
from tests.playing import random_game
from tests.server.databases import ON_POSTGRES, database_at
from tests.server.running import SECONDS, Client, RunningServer, error_of, running, settings_for
from tests.server.storage import Storage, in_database
from tests.server.test_games import play_out

FEW = 40  # nodes, but enough for a bot to look ahead


@pytest.fixture(scope="module")
def quick_server(module_folder: Path) -> Iterator[RunningServer]:
    with running(settings_for(module_folder, analysis_nodes=FEW)) as server:
        yield server


def complete(ask: Callable[[], str]) -> protocol.Analysis:
    """Ask until the bot has come to the end."""
    while True:
        told = protocol.Analysis.model_validate_json(ask())
        assert len(told.judgements) == told.decisions or not told.is_complete
        if told.is_complete:
            return told


def test_a_table_is_analysed_when_its_game_is_over_and_not_before(quick_server: RunningServer) -> None:
    with Client(quick_server.url, "Ada") as ada, Client(quick_server.url) as stranger:
        table = ada.open_table("me", "novice")
        address = f"/api/tables/{table.id}/analysis"
        early = ada.http.get(address)
        assert (early.status_code, error_of(early).code) == (409, "not_playing")
        steps = [step for step in play_out(ada, table.id, leave_at=30) if isinstance(step, protocol.Step)]
        told = complete(lambda: stranger.http.get(address).text)

        record = ada.http.get(f"/api/tables/{table.id}/record").text
        found = list(analyse(record, "champion", Limit(nodes=FEW)))
        assert [judgement.seq for judgement in told.judgements] == [judgement.number for judgement in found]
        for judgement, expected in zip(told.judgements, found, strict=True):
            step = steps[judgement.seq - 1]
            assert (judgement.seat, step.seq, str(expected.played)) == (step.seat, judgement.seq, step.move)
            assert judgement.loss == pytest.approx(expected.loss, abs=1e-4)
            assert judgement.win_probabilities == pytest.approx(expected.win_probabilities, abs=1e-4)
            best = judgement.best
            assert (step.move if best is None else best.move) == str(expected.best)
            if best is not None and best.kind == "buy":
                assert best.is_card_bought
            line = [str(move) for move in expected.line[1 : len(judgement.line) + 1]]
            assert [step.move for step in judgement.line] == line
            assert best is not None or not line
        assert any(judgement.line for judgement in told.judgements)
        assert complete(lambda: stranger.http.post("/api/analyses", json={"record": record}).text) == told


def test_a_record_must_be_of_a_game_that_is_over(quick_server: RunningServer) -> None:
    with Client(quick_server.url) as stranger:

        def refused(record: str) -> tuple[int, str]:
            answer = stranger.http.post("/api/analyses", json={"record": record})
            return answer.status_code, error_of(answer).code

        game = random_game(Options("marvel", 3), 5, 12)
        assert refused(game.record()) == (409, "not_playing")
        assert refused("hello") == (422, "bad_record")
        game.forfeit(1, "left")
        told = complete(lambda: stranger.http.post("/api/analyses", json={"record": game.record()}).text)
        assert told.decisions == len(list(decisions(game)))


def forfeited(game: Game) -> Game:
    game.forfeit(0, "left")
    return game


def shortened(game: Game) -> Game:
    game.undo()
    return forfeited(game)


def played_on(game: Game) -> Game:
    while not game.is_over:
        game.play(eager_move(game))
    return game


def renamed(game: Game) -> Game:
    """Another commitment and date, other names."""
    texts = re.sub(r"(?m)^\[(Commitment|Date|Seat\d) .*\n", "", game.record(with_seed=False))
    return forfeited(Game.from_record(texts))


def with_another_card(game: Game) -> Game:
    """One card of the market is another one of its level."""
    text = game.record(with_seed=False)
    shown = {int(number) for number in re.findall(r"=(\d+)", text)}
    other = next(number for number in range(1, 41) if number not in shown)
    without = re.sub(r"(?m)^\[Commitment .*\n", "", text)
    return forfeited(Game.from_record(re.sub(r" 1\.1=\d+;", f" 1.1={other};", without, count=1)))


@pytest.mark.parametrize("disguise", [forfeited, shortened, played_on, renamed, with_another_card])
def test_a_running_game_is_not_analysed_however_it_is_disguised(
    quick_server: RunningServer, disguise: Callable[[Game], Game]
) -> None:
    """Not even by somebody who knows every card of it; and it is analysed when it is over."""
    with Client(quick_server.url, "Ada") as ada, Client(quick_server.url, "Bo") as bo, Client(quick_server.url) as eve:
        table = ada.open_table("me", "open").id
        bo.join(table)
        game = Game("splendor", 2, seed=seed_of(quick_server, table))
        lines = [ada.line(table), bo.line(table)]
        for move in ("take wbg", "take wbg", "reserve 3", "reserve 2.1"):
            lines[game.seat].play(len(game.moves), move)
            game.play(move)
            for line in lines:
                line.receive_moved(len(game.moves))
        record = disguise(game.copy()).record(with_seed=False)
        answer = eve.http.post("/api/analyses", json={"record": record})
        assert (answer.status_code, error_of(answer).code) == (409, "not_playing")
        assert "still being played" in error_of(answer).message
        assert ada.http.post(f"/api/tables/{table}/seats/0/leave").status_code == 200
        assert eve.http.post("/api/analyses", json={"record": record}).status_code == 200
        complete(lambda: eve.http.post("/api/analyses", json={"record": record}).text)


def seed_of(server: RunningServer, table: str) -> bytes:
    """Return the secret seed of a table, from the database."""
    seeds: list[bytes] = []

    async def read(storage: Storage) -> None:
        query = sa.select(schema.tables.c.seed).where(schema.tables.c.id == table)
        seeds.extend(row.seed for row in await storage.database.fetch(query))

    in_database(server.app.state.server.settings.database, read)
    return seeds[0]


class Gated(BotWorkers):
    """Thinks about a decision when it is let, and says that nothing was lost; about some it fails.

    Where it has `others`, each decision is told as if one of these had been played, and the played one was better;
    what it then expected is in `lines`.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self.may_compute = threading.Semaphore(0)
        self.computed: list[str] = []
        self.fails = False
        self.others: dict[int, Move] = {}
        self.lines: dict[int, tuple[Move, ...]] = {}

    def _judge(self, decision: Decision) -> Judgement:
        self.may_compute.acquire()
        self.computed.append(f"decision {decision.number}")
        if self.fails:
            raise RuntimeError("no idea")
        view, best = decision.view, decision.move
        played = self.others.get(decision.number, best)
        even = (0.5,) * view.players
        line = self.lines.get(decision.number, ())
        return Judgement(decision.number, view.round, view.seat, played, best, even, 0.0, line)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.analyses.PATIENCE_SECONDS", 0.05)


@dataclass
class Process:
    """What a process on a database needs for analyses."""

    database: Database
    processes: Processes
    analyses: Analyses
    workers: Gated

    async def look_dead(self) -> None:
        """Confirm no more that it is alive, like a process that was killed or is paused."""
        await self.processes._renewing.close()
        long_ago = now() - timedelta(minutes=1)
        async with self.database.transaction() as connection:
            is_it = schema.processes.c.id == self.processes.id
            await connection.execute(schema.processes.update().where(is_it).values(alive_until=long_ago))


@asynccontextmanager
async def one_process(url: str) -> AsyncIterator[Process]:
    """Join the processes on a database, without computing yet."""
    database = Database(url)
    await database.open()
    processes = Processes(database, "server")
    await processes.join()
    notifications = new_notifications(database, processes.id)
    with closing(Gated()) as workers:
        kept = Analyses(database, processes, notifications, workers)
        handlers = {"analysis": kept.note_request, "analysed": kept.note_end}
        notifications.on_notice = lambda notice: handlers[notice["kind"]](notice)
        await notifications.open()
        try:
            yield Process(database, processes, kept, workers)
        finally:
            workers.may_compute.release(10**6)
            await kept.leave()
            await processes.leave()
            kept.close()
            await notifications.close()
            await database.close()


def with_workers(folder: Path, work: Callable[[Analyses, Gated], Awaitable[None]]) -> None:
    async def run() -> None:
        async with one_process(database_at(folder / "server.db")) as process:
            process.analyses.start()
            await work(process.analyses, process.workers)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_one_address_has_one_analysis_at_a_time_and_all_share_what_was_found(tmp_path: Path) -> None:
    one, other, third = (short_game(seed) for seed in (1, 2, 3))

    async def work(kept: Analyses, workers: Gated) -> None:
        await kept.of_game(one, "ada")
        with pytest.raises(RequestError, match="one analysis at a time") as refused:
            await kept.of_game(other, "ada")
        assert refused.value.code == "limit_reached"
        await kept.of_game(one, "ada")  # the same one goes on
        await kept.of_game(other, "bo")
        workers.may_compute.release(10**6)
        first = await finished(kept, one, "bo")
        await finished(kept, other, "ada")
        computed = len(workers.computed)
        assert computed == len(list(decisions(one))) + len(list(decisions(other)))
        assert await kept.of_game(Game.from_record(one.record()), "cy") == first
        assert len(workers.computed) == computed
        await kept.of_game(third, "ada")

    with_workers(tmp_path, work)


def test_a_bot_waits_for_at_most_one_decision_of_an_analysis(tmp_path: Path) -> None:
    game = short_game(1)

    async def work(kept: Analyses, workers: Gated) -> None:
        await kept.of_game(game, "ada")
        view = Game("splendor", seed=1).view(0)
        moves = [asyncio.create_task(workers.choose("novice", view, name)) for name in ("bo", "ada")]
        await asyncio.sleep(0)
        workers.may_compute.release(2)
        await asyncio.wait_for(asyncio.gather(*moves), SECONDS)
        assert len(workers.computed) <= 2 < len(list(decisions(game)))

    with_workers(tmp_path, work)


def test_a_bot_that_fails_is_asked_again_the_next_time(tmp_path: Path) -> None:
    game = short_game(1)

    async def work(kept: Analyses, workers: Gated) -> None:
        workers.fails = True
        workers.may_compute.release(1)
        with pytest.raises(RequestError, match="the analysis failed") as refused:
            await finished(kept, game, "ada")
        assert refused.value.code == "unavailable"
        workers.fails = False
        workers.may_compute.release(10**6)
        await finished(kept, game, "ada")

    with_workers(tmp_path, work)


def is_blind(step: protocol.Step) -> bool:
    return step.kind == "reserve" and "." not in (step.place or "")


def foreseeable(steps: list[protocol.Step]) -> list[protocol.Step]:
    """Those before the first that is about a card which came up, or was drawn, since the first of them."""
    unknown: set[tuple[int | None, str]] = set()
    for number, step in enumerate(steps):
        hand = (step.seat, "h")
        place = hand if (step.place or "").startswith("h") else (None, step.place or "")
        if place in unknown:
            return steps[:number]
        if step.revealed is not None:
            unknown.add((None, step.revealed.place))
        if is_blind(step):
            unknown.add(hand)
    return steps


def until_its_next_turn_is_over(steps: list[protocol.Step]) -> list[protocol.Step]:
    first = steps[0]
    return [step for step in steps if (step.round, step.seat) <= (first.round + 1, first.seat)]


@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_a_better_move_and_what_follows_are_told_with_all_that_could_be_foreseen_and_no_more(
    tmp_path: Path, variant: str
) -> None:
    game = Game(variant, players=3, payment="automatic", seed=3)
    while not game.is_over:
        draws = [move for move in game.legal_moves if move.kind == "reserve" and "." not in str(move)]
        game.play(draws[0] if draws and game.round % 6 == 2 else eager_move(game))
    steps = protocol.Replay.model_validate_json(replay_of(game, None)).steps

    async def work(kept: Analyses, workers: Gated) -> None:
        found = list(decisions(game))
        for decision in found:
            workers.others[decision.number] = next(m for m in decision.view.legal_moves if m != decision.move)
            line = [Move.from_text(step.move, variant) for step in foreseeable(steps[decision.number - 1 :])]
            workers.lines[decision.number] = tuple(line)
        workers.may_compute.release(10**6)
        told = unpack(await finished(kept, game, "ada"))
        assert len(told.judgements) == len(found)
        for judgement in told.judgements:
            following = foreseeable(until_its_next_turn_is_over(steps[judgement.seq - 1 :]))
            assert [judgement.best, *judgement.line] == [
                step.model_copy(update={"revealed": None} | ({"card": None} if is_blind(step) else {}))
                for step in following
            ]
        better = [judgement.best for judgement in told.judgements if judgement.best is not None]
        assert any(step.kind == "reserve" and step.card and step.gained for step in better)
        assert any(step.kind == "reserve" and not step.card and step.gained for step in better)
        assert any(step.kind == "buy" and step.tiles for step in better)
        assert max(len(judgement.line) for judgement in told.judgements) > 2
        assert {len({step.seat for step in judgement.line}) for judgement in told.judgements} == {0, 1, 2, 3}

    with_workers(tmp_path, work)


def test_only_so_many_games_are_looked_at_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_store, "MOST_AT_A_TIME", 2)
    one, other, third = (short_game(seed) for seed in (1, 2, 3))
    threads = []

    def prepared(record: str) -> Iterator[Decision]:
        threads.append(threading.current_thread())
        time.sleep(0.02)  # in which another thread would begin with the other game
        return decisions(record)

    monkeypatch.setattr(analysis_worker, "decisions", prepared)

    async def work(kept: Analyses, workers: Gated) -> None:
        complaints: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        await asyncio.gather(kept.of_game(one, "ada"), kept.of_game(other, "bo"))
        with pytest.raises(RequestError, match="at most 2 analyses at a time") as refused:
            await kept.of_game(third, "cy")
        assert refused.value.code == "busy"
        await kept.of_game(other, "cy")  # one that goes on is for all
        workers.fails = True
        workers.may_compute.release(1)
        attempts = [asyncio.create_task(finished(kept, game, "cy")) for game in (one, other)]
        ended, going_on = await asyncio.wait(attempts, return_when=asyncio.FIRST_COMPLETED)
        with pytest.raises(RequestError, match="the analysis failed"):
            await ended.pop()
        assert len(going_on) == 1
        await kept.of_game(third, "cy")
        workers.fails = False
        workers.may_compute.release(10**6)
        await asyncio.gather(*going_on)
        assert len(set(threads)) == 1
        assert complaints == []

    with_workers(tmp_path, work)


def test_only_so_many_games_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_store, "MOST_KEPT", 2)

    async def work(kept: Analyses, workers: Gated) -> None:
        workers.may_compute.release(10**6)
        games = [short_game(seed) for seed in (1, 2, 3)]
        for game in games:
            await finished(kept, game, "ada")
        computed = len(workers.computed)
        for game in games[1:]:
            await finished(kept, game, "ada")
        assert len(workers.computed) == computed
        await finished(kept, games[0], "ada")
        assert len(workers.computed) > computed

    with_workers(tmp_path, work)


@ON_POSTGRES
def test_games_that_are_kept_are_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_store, "MOST_KEPT", 2)
    free: list[set[str]] = []

    async def lock(storage: Storage) -> None:
        async with storage.database.transaction() as connection:
            found = await connection.scalars(sa.select(schema.analyses.c.key).with_for_update(skip_locked=True))
            free.append(set(found))

    def lock_meanwhile(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("DELETE FROM analyses"):
            with ThreadPoolExecutor(1) as thread:
                thread.submit(in_database, tmp_path / "server.db", lock).result()

    async def work(storage: Storage) -> None:
        async with storage.database.transaction() as connection:
            for number, key in enumerate(("oldest", "old", "newer", "newest")):
                row = {"key": key, "client": "", "message": b"", "requested_at": now() + timedelta(hours=number)}
                is_last = {"is_complete": key != "newest", "leased_to": "one" if key == "newest" else None}
                await connection.execute(schema.analyses.insert().values(row | is_last))
        sa.event.listen(storage.database._engine.sync_engine, "before_cursor_execute", lock_meanwhile)
        assert await AnalysisStore(storage.database, "one").save("newest", b"", is_complete=True)
        remaining = await storage.database.fetch(sa.select(schema.analyses.c.key))
        assert {row.key for row in remaining} == {"newer", "newest"}

    in_database(tmp_path / "server.db", work)
    assert free == [{"newer"}]


def test_only_the_moves_and_cards_of_a_game_are_stored_and_only_until_it_is_analysed(tmp_path: Path) -> None:
    game = Game("splendor", seed=1, names=("Ada", "Bo"))
    game.play("take wbg")
    game.forfeit(0, "left")
    secrets = ("Ada", "Forfeit", str(game.commitment), game.seed.hex() if game.seed else "")

    async def work(kept: Analyses, workers: Gated) -> None:
        async def stored() -> str | None:
            ((record,),) = await kept._store._database.fetch(sa.select(schema.analyses.c.record))
            return None if record is None else str(record)

        await kept.of_game(game, "ada")
        record = await stored()
        assert record is not None
        assert Game.from_record(record).texts == game.texts
        assert not any(secret in record for secret in secrets)
        workers.may_compute.release(10**6)
        await finished(kept, game, "ada")
        assert await stored() is None

    with_workers(tmp_path, work)


def test_a_game_of_endless_decisions_is_not_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "MOST_DECISIONS", 4)

    async def work(kept: Analyses, _: Gated) -> None:
        with pytest.raises(RequestError, match="at most 4 decisions, got 6"):
            await kept.of_game(short_game(1), "ada")

    with_workers(tmp_path, work)


def short_game(seed: int) -> Game:
    """A game that was given up soon."""
    game = random_game(Options(), seed, 6)
    game.forfeit(0, "left")
    return game


async def finished(kept: Analyses, game: Game, whom: str) -> bytes:
    """The whole analysis."""
    while True:
        packed = await kept.of_game(game, whom)
        if unpack(packed).is_complete:
            return packed
