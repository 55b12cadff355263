"""What is measured and is no part of the package.

Each script stands for itself and says in its first lines how it is run; ``make bench`` runs them all. Four packages are
run by name, at the root of the repository: ``python -m benchmarks.replays`` (data that others recorded, beside their
figures), ``python -m benchmarks.simulated`` (evaluations of known truth), ``python -m benchmarks.texts``
(texts beside what a careful reader makes of them) and ``python -m benchmarks.frames`` (what a provider sends).
"""
