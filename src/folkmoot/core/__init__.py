"""The values of a debate; the standard library only.

Read in this order: ``brief``, ``ask`` (form, ask, reply), ``event``, ``transcript`` (a record, folded), ``agent``
(the Agent port and what an agent is shown), ``decision``, ``errors``; then ``text`` (one cleaner for all), ``control_tokens``,
``labels`` (names of places and acts), ``families`` (of models), ``roles`` (what helpers and boards say),
``extensions`` (what other packages add), ``packages`` (how to install a library).
"""
