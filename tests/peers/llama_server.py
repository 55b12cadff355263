"""Serves a model by llama.cpp until it is ended: ``python llama_server.py MODEL PORT``. It runs in its environment."""

# pyright: basic, reportMissingImports=false

import sys
import threading

import xllamacpp

settings = xllamacpp.CommonParams()
settings.model.path, settings.port = sys.argv[1], int(sys.argv[2])
settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = 32_768, 1, 1
settings.warmup = False
server = xllamacpp.Server(settings)
threading.Event().wait()
