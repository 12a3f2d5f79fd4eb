"""The result of every seat, for the history of the players."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
oldest = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    op.add_column("seats", sa.Column("place", sa.SmallInteger, nullable=True))
    op.add_column("seats", sa.Column("points", sa.SmallInteger, nullable=True))
    op.add_column("seats", sa.Column("has_won", sa.Boolean, nullable=True))
    op.add_column("seats", sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True))
    op.drop_index("ix_seats_guest_id", "seats")
    op.create_index("ix_seats_guest_id_finished_at", "seats", ["guest_id", "finished_at"])
