"""Models against real servers that nobody here wrote, each in an environment of its own that is built once."""
