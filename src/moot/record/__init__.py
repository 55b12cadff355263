"""Records: entries as lines, the Store port, and the ledger that writes.

Read in this order: ``codec`` (an entry becomes a line), ``store`` (the port), ``ledger`` (order, hash chain, replay),
``hub`` (who follows), ``mailbox`` (messages to a debate), ``run_lock`` (who runs a debate),
``sqlite`` with ``sqlite_faults``, ``postgres`` with ``postgres_connection``.
"""
