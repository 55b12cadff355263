"""Records: entries as lines, the Store port, and the ledger that writes.

Read in this order: ``store`` (the port, and how an entry becomes a line), ``ledger`` (order, hash chain, replay),
``hub`` (who follows), ``mailbox`` (messages to a debate),
``sqlite`` with ``sqlite_faults``, ``postgres`` with ``postgres_connection``.
"""
