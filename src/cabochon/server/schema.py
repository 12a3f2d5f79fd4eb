"""The schema of the database: the one place that defines its tables.

The modules in `migrations/` lead from older versions to this one; a test compares the result with this file.
"""

from datetime import UTC, datetime

import sqlalchemy as sa


class Moment(sa.types.TypeDecorator[datetime]):
    """A time in UTC, also in databases that do not store time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Convert to UTC."""
        return value if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Add the time zone where the database dropped it."""
        return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

guests = sa.Table(
    "guests",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("nickname", sa.String(24), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("banned_at", Moment, nullable=True),
)
_is_banned = guests.c.banned_at.is_not(None)
sa.Index("ix_guests_banned_at", guests.c.banned_at, sqlite_where=_is_banned, postgresql_where=_is_banned)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("guest_id", sa.ForeignKey("guests.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created_at", Moment, nullable=False),
)

device_links = sa.Table(
    "device_links",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("guest_id", sa.ForeignKey("guests.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("expires_at", Moment, nullable=False),
)

bot_tokens = sa.Table(
    "bot_tokens",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
    sa.Column("guest_id", sa.ForeignKey("guests.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
)

# The processes that serve or think at this database. A process that has not renewed `alive_until` in time counts as
# dead: others take over its leases.
processes = sa.Table(
    "processes",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("thinks", sa.Boolean, nullable=False),  # whether it has threads for bots
    sa.Column("host", sa.String(64), nullable=False),
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("alive_until", Moment, nullable=False, index=True),
    sa.CheckConstraint("role IN ('server', 'thinker')", name="role"),
)

# What an operator has changed while the server runs, in place of its flags.
settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.String(64), nullable=False),
)

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("host_id", sa.ForeignKey("guests.id"), nullable=False, index=True),
    sa.Column("variant", sa.String(16), nullable=False),
    sa.Column("free_take", sa.Boolean, nullable=False),
    sa.Column("payment", sa.String(16), nullable=False),
    sa.Column("seed", sa.LargeBinary(32), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("seat_to_move", sa.SmallInteger, nullable=False),  # from the log, to find the tables where a bot moves
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("next_id", sa.ForeignKey("tables.id"), nullable=True, unique=True),
    sa.Column("visibility", sa.String(8), nullable=False, server_default="private"),
    sa.Column("clock", sa.String(32), nullable=True),
    sa.Column("started_at", Moment, nullable=True),  # when the last seat was taken
    sa.Column("seen_at", Moment, nullable=True),  # when somebody last looked at it while it waited
    sa.Column("is_practice", sa.Boolean, nullable=False, server_default=sa.false()),  # from the log, for statistics
    sa.Column("opened_from", sa.String(64), nullable=True),  # a keyed hash of the host's address, to take turns by
    # The next thing that a process has to do here, and by when: let a bot move, or check the clock.
    sa.Column("waits_for", sa.String(8), nullable=True),  # "bot" or "clock"
    sa.Column("due_at", Moment, nullable=True, index=True),
    sa.Column("leased_to", sa.String(32), nullable=True),  # the process that does it, while that is alive
    sa.CheckConstraint("status IN ('waiting', 'playing', 'over', 'closed')", name="status"),
    sa.Index("ix_tables_status", "status"),
)

seats = sa.Table(
    "seats",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("guest_id", sa.ForeignKey("guests.id"), nullable=True),
    sa.Column("level", sa.String(16), nullable=True),
    sa.Column("name", sa.String(24), nullable=False),
    # How and when the game ended for the seat; written with the last entry of the log.
    sa.Column("place", sa.SmallInteger, nullable=True),
    sa.Column("points", sa.SmallInteger, nullable=True),
    sa.Column("has_won", sa.Boolean, nullable=True),
    sa.Column("finished_at", Moment, nullable=True),
    sa.Column("left_at", Moment, nullable=True),  # when its person left; written with that entry of the log
    sa.Column("kept_for", sa.String(32), nullable=True),  # an open seat: the only guest who may take it
    sa.Index("ix_seats_guest_id_finished_at", "guest_id", "finished_at"),
    sa.CheckConstraint(
        "(kind = 'person' AND guest_id IS NOT NULL AND level IS NULL)"
        " OR (kind = 'bot' AND guest_id IS NULL AND level IS NOT NULL)"
        " OR (kind = 'open' AND guest_id IS NULL AND level IS NULL)",
        name="kind",
    ),
)

# The log of every game. The primary key decides which of two entries for one place is accepted.
entries = sa.Table(
    "entries",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("text", sa.String(64), nullable=False),
    sa.Column("at", Moment, nullable=False),
)

# Who looks at which table through which process.
presence = sa.Table(
    "presence",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("process_id", sa.ForeignKey("processes.id", ondelete="CASCADE"), primary_key=True, index=True),
    sa.Column("guests", sa.Text, nullable=False),  # their ids, separated by spaces
    sa.Column("spectators", sa.Integer, nullable=False),
)

# Analyses of finished games, by a hash of the game: requested, under way or complete.
analyses = sa.Table(
    "analyses",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("client", sa.String(64), nullable=False),  # a keyed hash of the address that asked first
    sa.Column("record", sa.Text, nullable=True),  # of the game; dropped when the analysis is complete
    sa.Column("message", sa.LargeBinary, nullable=False),  # the analysis so far, as clients receive it: gzipped JSON
    sa.Column("is_complete", sa.Boolean, nullable=False),
    sa.Column("requested_at", Moment, nullable=False, index=True),
    sa.Column("leased_to", sa.String(32), nullable=True),  # the process that computes it, while that is alive
)
