"""What Alembic runs to change a database: in the transaction of whoever asks."""

from alembic import context

from moot.record.migrations import TABLE

context.configure(connection=context.config.attributes["connection"], version_table=TABLE)
with context.begin_transaction():
    context.run_migrations()
