"""Summaries of debates, kept with every append; those of the debates that are there are made here, once."""

from alembic import op
from sqlalchemy import Connection

from folkmoot.record.postgres_summaries import INSERT, TABLE
from folkmoot.record.summary_fold import columns, summarize

revision = "0002"
down_revision = "0001"


def upgrade() -> None:  # pragma: no cover - it runs in a greenlet, which coverage does not follow
    """Add the table. Nobody adds lines meanwhile; whoever reads goes on."""
    link: Connection = op.get_bind()
    link.exec_driver_sql("LOCK TABLE folkmoot_line IN SHARE ROW EXCLUSIVE MODE")
    for statement in TABLE:
        link.exec_driver_sql(statement)
    opened = link.exec_driver_sql("SELECT debate, id FROM folkmoot_line WHERE seq = 1").all()
    for debate, began in opened:
        lines = link.exec_driver_sql(
            "SELECT text FROM folkmoot_line WHERE debate = $1 ORDER BY seq", (debate,)
        ).scalars()
        link.exec_driver_sql(INSERT, (began, *columns(summarize(debate, lines.all()))))
