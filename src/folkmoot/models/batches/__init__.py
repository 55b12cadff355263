"""Providers' batches: requests that are answered within a day, at half the price.

Read in this order: ``batch_api`` (what a provider's interface does), ``openai_batches``, ``anthropic_batches``,
``batch_jobs`` (what the log says of each batch), ``batch_tray`` (gathers requests, sends them, looks for the answers)
and ``batched_model`` (the layer that puts a model's calls there).
"""
