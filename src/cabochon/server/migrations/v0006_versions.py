"""Beside the version of the schema, the oldest version whose processes can use it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
oldest = "0005"
down_revision: str | None = "0005"


def upgrade() -> None:
    op.add_column("alembic_version", sa.Column("oldest", sa.String(32), nullable=True))
