"""Records: entries as lines, the Store port, and the ledger that writes.

Read in this order: ``store`` (the port, and how an entry becomes a line), ``summary_fold`` and ``listing`` (what a list shows of a debate), ``ledger`` (order, hash chain, replay), ``hub`` (who follows),
``mailbox`` (messages to a debate, and side events),
``in_memory``, ``sqlite`` with ``sqlite_schema`` and ``sqlite_faults``, ``postgres`` with
``postgres_summaries`` and ``postgres_connection``.
"""
