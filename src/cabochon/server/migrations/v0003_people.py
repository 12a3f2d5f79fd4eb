"""The lobby, clocks, seats that were left or are kept for somebody, and bot tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
oldest = "0003"
down_revision: str | None = "0002"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.add_column("tables", sa.Column("visibility", sa.String(8), nullable=False, server_default="private"))
    op.add_column("tables", sa.Column("clock", sa.String(32), nullable=True))
    op.add_column("tables", sa.Column("started_at", moment, nullable=True))
    op.add_column("tables", sa.Column("seen_at", moment, nullable=True))
    op.execute("UPDATE tables SET started_at = created_at WHERE status <> 'waiting'")
    op.add_column("seats", sa.Column("left_at", moment, nullable=True))
    op.add_column("seats", sa.Column("kept_for", sa.String(32), nullable=True))
    op.create_table(
        "bot_tokens",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("guest_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name="fk_bot_tokens_guest_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_bot_tokens"),
        sa.UniqueConstraint("digest", name="uq_bot_tokens_digest"),
    )
    op.create_index("ix_bot_tokens_guest_id", "bot_tokens", ["guest_id"])
