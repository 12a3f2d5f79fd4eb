"""Guests, sessions, device links, tables, seats, and the logs of the games."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
oldest = "0001"
down_revision: str | None = None


def upgrade() -> None:
    op.create_table(
        "guests",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("nickname", sa.String(24), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_guests"),
    )
    for name, moment in (("sessions", "created_at"), ("device_links", "expires_at")):
        op.create_table(
            name,
            sa.Column("digest", sa.String(64), nullable=False),
            sa.Column("guest_id", sa.String(32), nullable=False),
            sa.Column(moment, sa.DateTime(timezone=True), nullable=False),
            sa.PrimaryKeyConstraint("digest", name=f"pk_{name}"),
            sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name=f"fk_{name}_guest_id", ondelete="CASCADE"),
        )
        op.create_index(f"ix_{name}_guest_id", name, ["guest_id"])
    op.create_table(
        "tables",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("host_id", sa.String(32), nullable=False),
        sa.Column("variant", sa.String(16), nullable=False),
        sa.Column("free_take", sa.Boolean, nullable=False),
        sa.Column("payment", sa.String(16), nullable=False),
        sa.Column("seed", sa.LargeBinary(32), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("seat_to_move", sa.SmallInteger, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_id", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tables"),
        sa.ForeignKeyConstraint(["host_id"], ["guests.id"], name="fk_tables_host_id"),
        sa.ForeignKeyConstraint(["next_id"], ["tables.id"], name="fk_tables_next_id"),
        sa.UniqueConstraint("next_id", name="uq_tables_next_id"),
        sa.CheckConstraint("status IN ('waiting', 'playing', 'over', 'closed')", name=op.f("ck_tables_status")),
    )
    op.create_index("ix_tables_host_id", "tables", ["host_id"])
    op.create_index("ix_tables_status", "tables", ["status"])
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=False, autoincrement=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("guest_id", sa.String(32), nullable=True),
        sa.Column("level", sa.String(16), nullable=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_seats_table_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name="fk_seats_guest_id"),
        sa.CheckConstraint(
            "(kind = 'person' AND guest_id IS NOT NULL AND level IS NULL)"
            " OR (kind = 'bot' AND guest_id IS NULL AND level IS NOT NULL)"
            " OR (kind = 'open' AND guest_id IS NULL AND level IS NULL)",
            name=op.f("ck_seats_kind"),
        ),
    )
    op.create_index("ix_seats_guest_id", "seats", ["guest_id"])
    op.create_table(
        "entries",
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("text", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq", name="pk_entries"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_entries_table_id", ondelete="CASCADE"),
    )
