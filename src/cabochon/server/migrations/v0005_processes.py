"""Several processes on one database: who is alive, who does what, who is present; analyses; what operators need."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
oldest = "0005"
down_revision: str | None = "0004"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "processes",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("thinks", sa.Boolean, nullable=False),
        sa.Column("host", sa.String(64), nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("alive_until", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_processes"),
        sa.CheckConstraint("role IN ('server', 'thinker')", name=op.f("ck_processes_role")),
    )
    op.create_index("ix_processes_alive_until", "processes", ["alive_until"])
    op.create_table(
        "settings",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.add_column("guests", sa.Column("banned_at", moment, nullable=True))
    is_banned = sa.text("banned_at IS NOT NULL")
    op.create_index("ix_guests_banned_at", "guests", ["banned_at"], sqlite_where=is_banned, postgresql_where=is_banned)
    op.add_column("tables", sa.Column("opened_from", sa.String(64), nullable=True))
    op.add_column("tables", sa.Column("waits_for", sa.String(8), nullable=True))
    op.add_column("tables", sa.Column("due_at", moment, nullable=True))
    op.add_column("tables", sa.Column("leased_to", sa.String(32), nullable=True))
    op.create_index("ix_tables_due_at", "tables", ["due_at"])
    op.create_table(
        "presence",
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("process_id", sa.String(32), nullable=False),
        sa.Column("guests", sa.Text, nullable=False),
        sa.Column("spectators", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "process_id", name="pk_presence"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_presence_table_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["process_id"], ["processes.id"], name="fk_presence_process_id", ondelete="CASCADE"),
    )
    op.create_index("ix_presence_process_id", "presence", ["process_id"])
    op.create_table(
        "analyses",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("client", sa.String(64), nullable=False),
        sa.Column("record", sa.Text, nullable=True),
        sa.Column("message", sa.LargeBinary, nullable=False),
        sa.Column("is_complete", sa.Boolean, nullable=False),
        sa.Column("requested_at", moment, nullable=False),
        sa.Column("leased_to", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("key", name="pk_analyses"),
    )
    op.create_index("ix_analyses_requested_at", "analyses", ["requested_at"])
