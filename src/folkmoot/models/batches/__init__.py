"""Providers' batches: requests that are answered within a day, at half the price.

Read in this order: ``providers`` (what a provider's interface does), ``batch_tray`` (gathers requests, sends them, looks
for the answers; the log of batches) and ``batched_model`` (the layer that puts a model's calls there).
"""
