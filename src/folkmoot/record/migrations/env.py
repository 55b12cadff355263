"""Alembic environment: changes a database in the transaction of the caller."""

from alembic import context

from folkmoot.record.migrations import TABLE

context.configure(connection=context.config.attributes["connection"], version_table=TABLE)
with context.begin_transaction():
    context.run_migrations()
