"""What a provider sends, recorded into files and compared with earlier files: ``python -m benchmarks.frames MODEL``.

Read ``recorded_frames``, then ``__main__`` (the command).
"""
