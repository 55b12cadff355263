"""Tools that an agent may use.

Read in this order: ``web_search``, ``fetch`` (a page, safely), ``documents`` (HTML and PDF to text) with
``charsets``, ``html_text``, ``attachments`` (pictures and PDFs of a brief),
``rag``, ``embeddings``, ``mcp_client`` with ``mcp_servers``, ``condense``.
"""
