"""The schema, and the migrations that lead to it."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.dialects import postgresql

from cabochon.server.migrations import upgrade
from cabochon.server.schema import metadata


def schema_differences(connection: sa.Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_the_migrations_lead_to_the_schema_that_the_code_expects(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    with engine.connect() as connection:
        upgrade(connection, metadata)
        assert schema_differences(connection) == []
        upgrade(connection, metadata)  # nothing is left to do
    inspector = sa.inspect(engine)
    for table in metadata.tables.values():
        names = {check["name"] for check in inspector.get_check_constraints(table.name)}
        assert names == {check.name for check in table.constraints if isinstance(check, sa.CheckConstraint)}
    engine.dispose()


def test_a_schema_that_lacks_something_is_noticed(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    with engine.connect() as connection:
        upgrade(connection, metadata)
        connection.execute(sa.text("DROP INDEX ix_tables_host_id"))
        assert len(schema_differences(connection)) == 1
    engine.dispose()


def test_the_schema_can_be_written_for_postgresql() -> None:
    for table in metadata.sorted_tables:
        text = str(sa.schema.CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
        assert "SERIAL" not in text
        if table.name == "entries":
            assert "at TIMESTAMP WITH TIME ZONE NOT NULL" in text
            assert "PRIMARY KEY (table_id, seq)" in text
