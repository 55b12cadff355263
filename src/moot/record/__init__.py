"""Records: entries as lines, the Store port, and the ledger that writes.

Read in this order: ``codec`` (an entry becomes a line), ``store`` (the port), ``ledger`` (order, hash chain, replay),
``hub`` (who follows), ``mailbox`` (messages to a debate), ``sqlite``, ``postgres`` with ``postgres_connection``.
"""
