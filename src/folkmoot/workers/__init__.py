"""Debates run by many processes, to which Temporal brings them.

Read in this order: ``wanted``, ``job_queue`` (the dispatcher), ``connection``, ``workflow``, ``fence``, ``worker``,
``worker_notes``, ``provider_limits``, ``schedules``.
"""
