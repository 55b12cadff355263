# Set-up, checks and tests. Needs Python 3.11 or newer, make, and a package index that pip can reach; nothing else.
# `make demo` runs a first debate; `make test` runs the suite. Each does all the set-up it needs, once.

PYTHON ?= python3
BIN := .venv/bin
UV := uv==0.13.9
PEERS ?=

EXAMPLES := $(filter-out examples/README.md,$(wildcard examples/*.md)) examples/question.txt

.PHONY: help demo demo-all test test-peers check fmt docs lock bench clean
.DELETE_ON_ERROR:

help:
	@echo "make demo        set up and run a first debate, without any model or key"
	@echo "make demo-all    hold every debate of examples/, one after the other, in the same way"
	@echo "make test        set up and run the whole suite, with the coverage floors"
	@echo "make test-peers  the suite with real model servers that nobody here wrote"
	@echo "make check       format, lint, types, house rules, generated documents"
	@echo "make fmt         mend format and imports"
	@echo "make docs        write the generated pages of docs/reference"
	@echo "make lock        choose the pinned requirements anew"
	@echo "make bench       run the benchmarks"
	@echo "make clean       remove everything that was made here"

demo: .venv/run.stamp
	$(BIN)/moot run examples/build-or-buy.md -m builtin:quotes

demo-all: .venv/run.stamp
	@# An example in which a person decides ends with 6: it waits, and says how to answer.
	@for each in $(EXAMPLES); do echo; echo "== $$each"; $(BIN)/moot run $$each -m builtin:quotes --quiet || [ $$? -eq 6 ] || exit 1; done

test: .venv/dev.stamp
	MOOT_PEERS=$(PEERS) $(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report=
	$(BIN)/python scripts/coverage_floors.py

test-peers:
	$(MAKE) test PEERS=1

check: .venv/dev.stamp
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright
	$(BIN)/python scripts/generate_docs.py --check
	$(BIN)/python -m pytest tests/test_house.py

fmt: .venv/dev.stamp
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

docs: .venv/dev.stamp
	$(BIN)/python scripts/generate_docs.py

bench: .venv/dev.stamp
	@for each in benchmarks/*.py; do echo "== $$each"; $(BIN)/python "$$each" || exit 1; done

clean:
	rm -rf .venv .cache .coverage .hypothesis .pytest_cache .ruff_cache build dist
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- set-up: a stamp is as new as the requirements that are installed -----------------------------------------------

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Moot needs Python 3.11 or newer, and $(PYTHON) is `$(PYTHON) --version 2>/dev/null || echo missing`. Say which to use: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/run.stamp: requirements/run.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

# ---- pinned requirements: every version and hash, and no address ----------------------------------------------------

COMPILE = .cache/lock/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
  --generate-hashes --no-annotate --no-header --upgrade

lock: .cache/lock/bin/uv
	$(COMPILE) --group build --output-file requirements/run.txt
	$(COMPILE) --group dev --constraints requirements/run.txt --output-file requirements/dev.txt

.cache/lock/bin/uv: | .venv/bin/python
	$(BIN)/python -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check $(UV)
