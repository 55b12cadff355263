"""The lines of debates, as SQLite has them. ``id`` tells which debate began last."""

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Add the table. Ids are compared byte by byte, whatever the language of the database."""
    op.execute("""
        CREATE TABLE folkmoot_line (
            id bigint GENERATED ALWAYS AS IDENTITY,
            debate text COLLATE "C" NOT NULL,
            seq bigint NOT NULL,
            text text NOT NULL,
            PRIMARY KEY (debate, seq)
        )
    """)
