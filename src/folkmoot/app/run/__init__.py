"""The life of a debate, from a plan to an outcome.

Read in this order: ``api`` (``folkmoot.run`` and ``folkmoot.debate``), ``prepare`` (brief and overrides become a plan),
``workspace`` (settings, store and models in one place; runs a plan), ``start`` (participants are generated first),
``outcome``, ``people`` (questions to people and their answers),
``fork``, ``again`` (the same brief once more),
``record_reader`` (names, entries and lists of debates; it runs nothing), ``removal`` (delete a debate), then many at
once: ``runner``, ``dispatcher``, ``queue_runner``, ``liveness``, ``claims``, ``access``.
"""
