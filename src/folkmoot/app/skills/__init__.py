"""Skills for coding agents: three short guides in the open format (a folder with SKILL.md), and how they are installed.

Read in this order: ``skill_files`` (what an installed skill is, and whether somebody has changed it); the texts are
``decide.md``, ``review.md`` and ``red-team.md``.
"""
