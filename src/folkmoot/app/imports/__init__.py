"""Conversations of other programs, made records: they can be read, mapped and forked."""
