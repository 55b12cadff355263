"""Debates run by many processes.

Read in this order: ``worker``, ``lease_runs``, ``leases``, ``jobs``, ``job_queue`` (the dispatcher), ``queue_tables``,
``queue_database``, ``provider_limits``, ``schedules``, ``worker_log``, ``worker_outage``.
"""
