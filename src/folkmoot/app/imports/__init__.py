"""Conversations and debates of other programs, made records: they can be read, mapped, recounted and forked.

Read in this order: ``conversations`` (what is taken over), ``json_conversations`` and ``named_transcripts`` (from which
files), ``imported_record`` (the record that it becomes).
"""
