"""The migrations of the database: one module per version of the schema, in Alembic's format.

`server/schema.py` defines the newest version; a test compares it with where the migrations lead.
"""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import RevisionStep
from alembic.script import ScriptDirectory


def upgrade(connection: sa.Connection, metadata: sa.MetaData) -> None:
    """Migrate a database to the newest version of the schema, in one transaction."""
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
