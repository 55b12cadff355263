"""What debates teach: lessons, memory, ratings, calibration, vote weights; computed from records alone.

Read in this order: ``lessons`` (a debate becomes lessons), ``model_matches`` (which of its results count for ratings),
``memory`` (the values), ``memory_store`` over ``tables`` (``sqlite_tables``, ``postgres_tables``), ``retriever`` and
``vote_weights`` (agents that use it), ``ratings``, ``calibration``, ``personas``, ``panels``.
"""
