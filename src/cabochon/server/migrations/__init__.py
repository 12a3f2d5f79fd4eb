"""The migrations of the database: one module per version of the schema, in Alembic's format.

`server/schema.py` defines the newest version; a test compares it with where the migrations lead.

While a new version of Cabochon replaces an old one, process by process, both serve side by side on the new schema. So
a migration only adds, and what it adds has a default or is nullable: the old processes do not write it. What nobody
uses any more is removed one release later. A test enforces this.

Each module has a constant `oldest`: after the migration, processes of this version of the schema and of all later ones
can use the database. A migration that only adds repeats the `oldest` of the one before it; one that removes or changes
something names a later version. The database stores the constant of its newest migration, and a process whose own
version is older refuses to start.
"""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory

from cabochon.errors import CabochonError

FOLDERS = [Path(__file__).parent]  # with the modules

_STORED = sa.table("alembic_version", sa.column("version_num"), sa.column("oldest"))


def known_migrations() -> ScriptDirectory:
    """Return the migrations that this version of Cabochon knows."""
    config = Config()
    config.set_main_option("script_location", str(FOLDERS[0]))
    config.set_main_option("version_locations", "\n".join(map(str, FOLDERS)))
    config.set_main_option("path_separator", "newline")
    return ScriptDirectory.from_config(config)


def needs_upgrade(connection: sa.Connection) -> bool:
    """Whether a database is older than this version; raise an error if it is so new that this version cannot use it."""
    scripts = known_migrations()
    found, own = MigrationContext.configure(connection).get_current_revision(), scripts.get_current_head()
    if found is None or found in {script.revision for script in scripts.walk_revisions()}:
        return found != own
    oldest = connection.scalar(sa.select(_STORED.c.oldest))
    if oldest is None or own is None or oldest > own:
        usable = "" if oldest is None else f", which version {oldest} or a newer one can use"
        raise CabochonError(f"expected a database of version {own}, got version {found}{usable}; upgrade Cabochon")
    return False


def upgrade(connection: sa.Connection, metadata: sa.MetaData) -> None:
    """Migrate a database to the newest version of the schema, within the transaction of the connection."""
    if not needs_upgrade(connection):
        return
    scripts = known_migrations()

    def steps(revision: Any, _: Any) -> list[RevisionStep]:
        return scripts._upgrade_revs("head", revision)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        with environment.begin_transaction():
            environment.run_migrations()
    newest = scripts.get_revision("head")
    connection.execute(sa.update(_STORED).values(oldest=newest.module.oldest))
