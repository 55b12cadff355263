"""Reviews of changes: what git, files or a plan give to be reviewed, and the debate that reviews it.

Read in this order: ``git_change`` (git, called so that a repository can start nothing), ``subject`` (what is reviewed),
``github`` and ``pull_request`` (what a pull request changes, and the comment on it), ``review_start`` (the brief of a
review, and its exit code), ``author_dispute`` (a judge on one finding), ``resolutions`` (what turned out to be true).
"""
