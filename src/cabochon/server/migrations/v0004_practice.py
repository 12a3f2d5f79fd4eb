"""Games that are practice, which do not count in the statistics."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
oldest = "0004"
down_revision: str | None = "0003"


def upgrade() -> None:
    op.add_column("tables", sa.Column("is_practice", sa.Boolean, nullable=False, server_default=sa.false()))
