"""Many debates from one command.

Read in this order: ``batch_plan`` (which), ``run_batch`` (run them), ``batch_rounds`` (those that wait for providers'
batches), ``provider_jobs`` (list and cancel these), ``summary`` (what came of them).
"""
