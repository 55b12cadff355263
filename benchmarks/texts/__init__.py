"""Texts beside what a careful reader makes of them: ``python -m benchmarks.texts FILE.jsonl``.

Read ``text_cases``, then ``__main__`` (the command).
"""
