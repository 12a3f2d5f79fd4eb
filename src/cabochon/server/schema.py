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
)

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
