"""Language models behind one port.

Read in this order: ``base`` (the port), ``names`` (``provider:name``), ``pool`` (a name becomes a model with its
layers), ``layers`` (retry, limits, record, breaker), ``stream``, ``wires`` (the formats), ``transport`` (the way to a
provider) with ``http_port`` and ``http_client``, ``provider_errors``, ``prices``, ``attached_files`` (pictures, PDFs),
``discover``, ``batches`` (half the price, within a day); ``custom`` with ``custom_pydantic_ai`` and
``custom_langchain`` (agents of other programs).
"""
