"""The commands of ``moot``, a module for each group of them; ``run`` is the first to read."""
