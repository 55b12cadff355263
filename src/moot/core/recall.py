"""What is recalled before a debate. This file owns the words that the phase, the seat and memory share."""

RECALL = "recall"
"""The act of a turn that recalls earlier debates."""

HISTORY = "HISTORY"
"""The field with past outcomes on like topics; its greatest number says how many are wanted."""

PATTERNS = "PATTERNS"
"""The field with critiques that changed an answer; its greatest number says how many are wanted."""

PULSE = "PULSE"
"""The field with news of feeds; its choices name the feeds."""

ORIGINS = "ORIGINS"
"""The field with the ids of the debates from which something was recalled: their uses are counted by it."""
