"""The versions of the database's schema, and the way from one to the next.

Each is a module of this package, with a `revision` and the `down_revision` before it, as Alembic has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import RevisionStep
from alembic.script import ScriptDirectory


def upgrade(connection: sa.Connection, metadata: sa.MetaData) -> None:
    """Bring the schema of a database to the newest version, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("version_locations", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)

    def steps(revision: Any, _: Any) -> list[RevisionStep]:
        return scripts._upgrade_revs("head", revision)

    with EnvironmentContext(config, scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        with environment.begin_transaction():
            environment.run_migrations()
