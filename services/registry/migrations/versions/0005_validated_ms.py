"""how long the validation of a version took"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("version", sa.Column("validated_ms", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("version", "validated_ms")
