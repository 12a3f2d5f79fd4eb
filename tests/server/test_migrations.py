"""Migrations while other processes start, serve and hold locks, and the rule that lets old and new ones go together."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy.exc import DBAPIError

from cabochon.errors import CabochonError
from cabochon.server import database, migrations
from cabochon.server.database import Database
from tests.server.databases import NO_DATABASE
from tests.server.postgres import PostgresServer
from tests.server.running import SECONDS, Client, eager_move, running, settings_for
from tests.server.storage import Storage, in_database
from tests.server.test_schema import schema_differences

FIRST_WITH_THE_RULE = "0006"  # before it, a process refused every newer database
# What an old process does not notice. It writes all columns that it knows, and no others.
ADDITIONS = (
    r"CREATE TABLE \w+ \(.*",
    r"CREATE INDEX \w+ ON .*",
    r"DROP INDEX \w+",
    r"ALTER TABLE \w+ ADD COLUMN (?!.* NOT NULL$)(?!.* (?:UNIQUE|PRIMARY|REFERENCES|CHECK)\b).*",
    r"ALTER TABLE \w+ ADD COLUMN .* DEFAULT .* NOT NULL",
    r"INSERT INTO .*",
    r"UPDATE .*",
)


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as url:
        yield url


def statements_of(revision: str) -> list[str]:
    """The statements of a migration for PostgreSQL."""
    texts: list[str] = []

    def note(text: str) -> None:
        texts.append(" ".join(text.split()))

    class Output:
        write = staticmethod(note)

        def flush(self) -> None:
            pass

    context = MigrationContext.configure(dialect_name="postgresql", opts={"as_sql": True, "output_buffer": Output()})
    script = migrations.known_migrations().get_revision(revision)
    with Operations.context(context):
        script.module.upgrade()
    return [statement for text in texts for statement in re.split(r";(?: |$)", text) if statement]


def breaks_of_the_rule() -> list[str]:
    """What the migrations do that an old process would notice, although they say that old processes can go on."""
    scripts = list(migrations.known_migrations().walk_revisions())[::-1]
    breaks = []
    for before, script in pairwise(scripts):
        oldest = script.module.oldest
        if not before.module.oldest <= oldest <= script.revision:
            breaks.append(f"{script.revision}: oldest {oldest}")
        if script.revision < FIRST_WITH_THE_RULE or oldest > before.module.oldest:
            continue
        for statement in statements_of(script.revision):
            if not any(re.fullmatch(addition, statement) for addition in ADDITIONS):
                breaks.append(f"{script.revision}: {statement}")
    return breaks


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, change: str, oldest: str) -> str:
    """Let this version of Cabochon know one more migration; return its version."""
    scripts = migrations.known_migrations()
    before = scripts.get_current_head()
    assert before is not None
    revision = f"{int(before) + 1:04}"
    folder.mkdir(exist_ok=True)
    (folder / f"v{revision}_pretended.py").write_text(
        f"import sqlalchemy as sa\nfrom alembic import op\n\nrevision = {revision!r}\noldest = {oldest!r}\n"
        f"down_revision: str | None = {before!r}\n\n\ndef upgrade() -> None:\n    {change}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(migrations, "FOLDERS", [*migrations.FOLDERS, folder])
    return revision


async def nothing(_: Storage) -> None:
    """Only open the database, and close it."""


NULLABLE = 'op.add_column("tables", sa.Column("mood", sa.String(8), nullable=True))'
WITH_DEFAULT = 'op.add_column("tables", sa.Column("mood", sa.String(8), nullable=False, server_default="calm"))'


def test_old_and_new_processes_can_serve_side_by_side() -> None:
    assert breaks_of_the_rule() == []


@NO_DATABASE
@pytest.mark.parametrize(
    ("change", "is_addition"),
    [
        (NULLABLE, True),
        (WITH_DEFAULT, True),
        ('op.create_table("moods", sa.Column("id", sa.Integer, nullable=False))', True),
        ('op.create_index("ix_tables_variant", "tables", ["variant"])', True),
        ('op.execute("UPDATE tables SET opened_from = NULL")', True),
        ('op.add_column("tables", sa.Column("mood", sa.String(8), nullable=False))', False),
        ('op.add_column("tables", sa.Column("mood", sa.String(8), nullable=True, unique=True))', False),
        ('op.create_index("ix_tables_variant", "tables", ["variant"], unique=True)', False),
        ('op.drop_column("tables", "opened_from")', False),
        ('op.alter_column("tables", "opened_from", new_column_name="origin")', False),
        ('op.alter_column("tables", "opened_from", nullable=False)', False),
        ('op.drop_table("analyses")', False),
        ('op.rename_table("analyses", "reviews")', False),
        ('op.create_check_constraint("mood", "tables", "variant <> \'sad\'")', False),
        ('op.execute("DELETE FROM tables")', False),
    ],
)
def test_a_migration_that_old_processes_would_notice_breaks_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, is_addition: bool
) -> None:
    newest = migrations.known_migrations().get_revision("head").module.oldest
    with monkeypatch.context() as one:
        revision = pretend(tmp_path / "one", one, change, oldest=newest)
        found = breaks_of_the_rule()
        assert (found == []) == is_addition, found
    pretend(tmp_path / "other", monkeypatch, change, oldest=revision)
    assert breaks_of_the_rule() == [], "old processes cannot go on, and it says so"


def test_processes_that_start_together_migrate_once(url: str) -> None:
    async def start() -> None:
        one = Database(url)
        await one.open()
        await one.close()

    async def run() -> None:
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(start() for _ in range(6)))
        one = Database(url)
        async with one.connection() as connection:
            assert await connection.run_sync(schema_differences) == []
        await one.close()

    asyncio.run(run())


@NO_DATABASE
def test_a_migration_does_not_hold_up_those_who_play(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for a transaction that has read the table, and meanwhile others read it, too."""

    async def run() -> None:
        one, other = Database(url), Database(url)
        await one.open()
        pretend(tmp_path, monkeypatch, NULLABLE, oldest="0006")
        attempts = asyncio.Semaphore(0)
        monkeypatch.setattr(database, "log_event", lambda *_, **__: attempts.release())
        read = sa.text("SELECT count(*) FROM tables")
        async with asyncio.timeout(SECONDS):
            async with one.transaction() as connection:
                await connection.execute(read)
                migrating = asyncio.create_task(other.open())
                await attempts.acquire()  # it has given up once
                async with one.connection() as reader:
                    for _ in range(3):
                        await reader.execute(read)
                assert not migrating.done()
            await migrating
        await one.close()
        await other.close()

    asyncio.run(run())


@NO_DATABASE
def test_a_migration_that_never_gets_its_lock_fails(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        one, other = Database(url), Database(url)
        await one.open()
        pretend(tmp_path, monkeypatch, NULLABLE, oldest="0006")
        monkeypatch.setattr(database, "SECONDS_TO_MIGRATE", 0.0)
        async with one.transaction() as connection:
            await connection.execute(sa.text("SELECT count(*) FROM tables"))
            with pytest.raises(DBAPIError, match="lock timeout"):
                await asyncio.wait_for(other.open(), SECONDS)
        await one.close()
        await other.close()

    asyncio.run(run())


@NO_DATABASE
def test_an_old_process_serves_before_during_and_after_a_migration(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game goes on at a server that runs all the time, and at one of the same version that starts afterwards."""
    settings = replace(settings_for(tmp_path), database=url)
    with running(settings) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        table = ada.open_table("me", "open")
        bo.join(table.id)
        lines = [ada.line(table.id), bo.line(table.id)]
        positions = [line.receive().position for line in lines]

        def play(moves: int) -> None:
            for _ in range(moves):
                seat = next(number for number, position in enumerate(positions) if position.legal)
                seq = positions[seat].seq
                lines[seat].play(seq, eager_move(positions[seat]))
                positions[:] = [line.receive_moved(seq + 1).position for line in lines]

        play(3)
        with monkeypatch.context() as newer:
            pretend(tmp_path / "newer", newer, WITH_DEFAULT, oldest="0006")
            in_database(url, nothing)
        play(3)
        assert ada.open_table("me", "open").status == "waiting"
        with running(settings) as second, Client(second.url) as again:
            again.http.cookies.update(ada.http.cookies)
            lines[0] = again.line(table.id, since=positions[0].seq)
            positions[0] = lines[0].receive().position
            play(3)
            assert again.open_table("me", "open").status == "waiting"
        with monkeypatch.context() as newest:
            newest.setattr(migrations, "FOLDERS", [*migrations.FOLDERS, tmp_path / "newer"])
            pretend(tmp_path / "newest", newest, 'op.drop_column("tables", "mood")', oldest="0008")
            in_database(url, nothing)
        expected = "expected a database of version 0006, got version 0008, which version 0008 or a newer one can use"
        with pytest.raises(CabochonError, match=f"{expected}; upgrade Cabochon"):
            in_database(url, nothing)


def test_the_database_says_which_versions_can_use_it(url: str) -> None:
    async def run() -> None:
        one = Database(url)
        await one.open()
        async with one.connection() as connection:
            stored = (await connection.execute(sa.text("SELECT version_num, oldest FROM alembic_version"))).all()
        newest = migrations.known_migrations().get_revision("head")
        assert [tuple(row) for row in stored] == [(newest.revision, newest.module.oldest)]
        await one.close()

    asyncio.run(run())
