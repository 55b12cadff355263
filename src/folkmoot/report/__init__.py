"""The report of a debate, as data and as Markdown.

Read in this order: ``report`` (the data) with ``turn_text``, ``conclusion`` (how a debate stands, and warnings about its
decision), ``course``, ``metrics`` and ``lookups``; ``markdown`` and ``report.md.jinja`` (the page), ``phrases`` (what its
templates say); ``templates`` and ``markdown_text`` (any text made safe in Markdown);
``memo_page`` (the decision on one page);
``logs``, ``compare``, ``receipt``, ``flowchart``.
"""
