"""Public test doubles and checks.

Read in this order: ``scripted`` (agents and models that say what a script says), ``replay`` (cut a record anywhere,
resume, compare), ``conformance`` (checks for agents and models), ``extension_checks`` (for rules and phases),
``provider_checks`` (for providers of models), ``tool_checks`` (for tools and report formats), ``store_checks`` (for
stores), servers with faults on demand: ``wires`` with ``wire_formats`` (models), ``small_web`` (pages and a search
engine).
"""
