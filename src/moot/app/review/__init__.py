"""Reviews of changes: what git, files or a plan give to be reviewed, and the debate that reviews it.

Read in this order: ``git_change`` (git, called so that a repository can start nothing), ``subject`` (what is reviewed),
``review_start`` (the brief of a review, and its exit code).
"""
