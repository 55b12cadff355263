"""What the user's own providers send, for files.

Read ``frame_recorder``.
"""
