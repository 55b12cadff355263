"""The report of a debate, as data and as Markdown.

Read in this order: ``report`` (the data), ``markdown`` (its look), then the chapters: ``turn_text`` and ``dialogue``,
``conclusion`` (how a debate stands, and warnings about its decision), ``course``, ``metrics``, ``lookups``,
``findings_chapter`` (of a review);
``memo_page`` (the decision on one page);
``logs``, ``compare``, ``receipt``, ``flowchart``; ``markdown_text`` makes any text safe in Markdown.
"""
