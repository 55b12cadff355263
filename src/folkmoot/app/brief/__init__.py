"""Briefs as people write them.

Read in this order: ``reader`` (a text becomes a brief), ``yaml_header`` and ``sections`` (its two parts), ``types``
(the keys of the header and of participants), ``json_schema`` (the same for editors and the API), ``values`` (what stands
behind a key), ``names``, ``participants``, ``files`` (background beside the brief),
``document_states`` (whether such files have changed since), ``default_participants``, ``presets`` (named settings that
briefs take), ``writer`` (a brief becomes a text again), ``changes`` (a brief on record gets other settings),
``program_values`` (briefs that a Python program makes, and their check).
"""
