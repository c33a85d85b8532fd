"""what the build step of a version left behind"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("version", sa.Column("built_sha256", sa.String(), nullable=False, server_default=""))
    op.add_column("version", sa.Column("built_platform", sa.String(), nullable=False, server_default=""))
    op.add_column("version", sa.Column("built_size", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("ix_version_built_sha256", "version", ["built_sha256"])


def downgrade() -> None:
    op.drop_index("ix_version_built_sha256", "version")
    for name in ("built_size", "built_platform", "built_sha256"):
        op.drop_column("version", name)
