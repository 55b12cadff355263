"""What the Python interfaces (council, pattern, board) share.

Read in this order: ``program_agents`` (agents of a program become participants), ``program_plans`` (phase trees for
them), ``program_calls`` (arguments, events, retries), ``in_place`` (people asked by the program itself).
"""
