"""Providers' batches: requests that are answered within a day, at half the price.

``batch_tray`` gathers requests, sends them and looks for the answers; ``providers`` speaks the providers' interfaces.
"""
