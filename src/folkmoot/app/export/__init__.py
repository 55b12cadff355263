"""What leaves Folkmoot as a file or a page.

Read in this order: ``reports``, ``report_formats`` with ``plugins``, ``paper`` (HTML and PDF),
``analyses`` with ``plots``, ``recount``,
``signed_receipts``, ``learned`` (memory, ratings, calibration) with ``truths``, ``copy_debates``, ``telemetry``,
``proofs`` with ``solver_process``.
"""
