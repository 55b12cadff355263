"""What must be settled before a debate can run.

Read in this order: ``settings`` with ``settings_tables`` (the owner's, and the store of records), ``assignment``
(which agent answers for whom), ``own_agents`` (functions and agents of a program), ``toolbox`` (which tools it gets,
and the packages of others), ``estimate`` with ``simulation`` (what it would cost, and costs at least
and at most), ``checks`` (what the owner should know before),
``model_check`` (whether a model answers now), ``starter_presets`` (presets for a start), ``learning``
(what is learned at the end), ``gate_threshold`` (the threshold that past debates teach), ``next_steps`` (what may
decide what nobody won).
"""
