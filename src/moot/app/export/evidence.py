"""What a host needs to measure recorded data with: the functions that learn from records, under one roof."""
