"""Serves a model by llama.cpp until it is ended: ``python llama_server.py MODEL PORT [CONTEXT]``, with one slot.

It runs in its own environment.
"""

# pyright: basic, reportMissingImports=false

import sys
import threading

import xllamacpp

settings = xllamacpp.CommonParams()
settings.model.path, settings.port = sys.argv[1], int(sys.argv[2])
settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = int((sys.argv[3:] or ["32768"])[0]), 1, 1
settings.warmup = False
server = xllamacpp.Server(settings)
threading.Event().wait()
