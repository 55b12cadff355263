# Set-up, checks and tests. Needs Python 3.11 or newer, make, and package indexes that pip and npm can reach. The web
# app is built with the system's Node 20.19 or newer, else with the one that pip brings; where npm's index is out of
# reach, all but the app is there, and `make app` builds it later.
# `make demo` runs a first debate; `make test` runs the tests. Each does all the set-up it needs, once.

PYTHON ?= python3
BIN := .venv/bin
UV := uv==0.13.9

APP := $(shell find frontend -type f -not -path '*/node_modules/*')
EXAMPLES := $(filter-out examples/README.md,$(wildcard examples/*.md)) examples/question.txt

# Files for GitHub, Docker and others are held to the schemas that check-jsonschema brings along; nothing is fetched.
SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema

# A few tests of servers and browsers that fail beside others are run once more by themselves; what fails twice has failed.
TESTS := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
ONCE_MORE = { [ $$? -eq 1 ] && echo "== the failed tests once more, alone" && \
  $(BIN)/python -m pytest --last-failed --maxfail 3; }

.PHONY: help demo demo-all app screenshots test test-all test-model test-peers simulate chaos check fmt docs site packages lock bench clean
.DELETE_ON_ERROR:
# A new process of the tests takes twice as long where it compiles every module again.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo "make demo        set up and run a first debate, without any model or key"
	@echo "make demo-all    run every debate of examples/, one after the other, in the same way"
	@echo "make app         rebuild the web app"
	@echo "make screenshots write a picture of each page into build/screenshots; ARGS=--doors: those of the documentation's front page"
	@echo "make test        set up and run the tests that need nothing else: some minutes"
	@echo "make test-all    make test, and then the rest: browser, PostgreSQL, processes, documents, all cases"
	@echo "make test-model  whole debates with a real, very small model on llama.cpp: some minutes"
	@echo "make test-peers  the tests with large model servers that nobody here wrote"
	@echo "make simulate    debates under simulated faults: SEED=N tells one seed, SEEDS=N FROM=M runs many"
	@echo "make chaos       200 debates by four workers that are killed and frozen, with servers away; FOLKMOOT_CHAOS_SEED=N"
	@echo "make check       format, lint, types, generated documents, the web app's checks"
	@echo "make fmt         fix format and imports"
	@echo "make docs        write the generated pages of docs/reference"
	@echo "make site        build the documentation site, with its search, into build/site: it needs no server"
	@echo "make packages    build the sdist and the wheel into build/packages"
	@echo "make lock        resolve the pinned requirements again"
	@echo "make bench       install what the benchmarks compare with, and run them"
	@echo "make clean       remove everything that was made here"

demo: .venv/run.stamp
	$(BIN)/folkmoot run examples/build-or-buy.md -m builtin:quotes

demo-all: .venv/run.stamp
	@# An example in which a person decides ends with 6: it waits, and says how to answer.
	@for brief in $(EXAMPLES); do echo; echo "== $$brief"; $(BIN)/folkmoot run $$brief -m builtin:quotes --quiet || [ $$? -eq 6 ] || exit 1; done

app: .venv/run.stamp
	$(BIN)/python hatch_build.py anew

screenshots: .venv/dev.stamp
	$(BIN)/python scripts/screenshots.py $(ARGS)

test: .venv/dev.stamp
	$(TESTS) -m "not system" || $(ONCE_MORE)

test-all: test .venv/docs.stamp
	export FOLKMOOT_MORE=1; $(TESTS) -m "(system or many) and not alone" || $(ONCE_MORE)
	@# Heartbeats and kills go by the clock, so little is run beside them.
	$(TESTS) --numprocesses 3 -m alone || $(ONCE_MORE)

test-model: .venv/dev.stamp
	export FOLKMOOT_PEERS=1; $(TESTS) --numprocesses 2 tests/peers/test_real_model.py || $(ONCE_MORE)

test-peers: .venv/dev.stamp
	FOLKMOOT_PEERS=1 $(BIN)/python -m pytest tests/peers

SEEDS ?= 500
FROM ?= 0

simulate: .venv/dev.stamp
	$(BIN)/python -m tests.simulator $(if $(SEED),--seed $(SEED),--seeds $(SEEDS) --from $(FROM))

chaos: .venv/dev.stamp
	FOLKMOOT_CHAOS=long $(BIN)/python -m pytest tests/workers/test_chaos.py tests/workers/test_workers_temporal.py

check: .venv/dev.stamp
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright
	$(BIN)/python scripts/generate_docs.py --check
	$(SCHEMA) vendor.github-workflows .github/workflows/*.yml
	$(SCHEMA) vendor.github-actions action.yml
	$(SCHEMA) vendor.dependabot .github/dependabot.yml
	$(SCHEMA) vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(SCHEMA) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA) vendor.compose-spec deploy/*/compose.yaml
	$(SCHEMA) vendor.citation-file-format CITATION.cff --default-filetype yaml
	$(BIN)/zizmor --offline --quiet --strict-collection .github action.yml
	$(BIN)/hadolint Dockerfile
	$(BIN)/python hatch_build.py check

fmt: .venv/dev.stamp
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

docs: .venv/dev.stamp
	$(BIN)/python scripts/generate_docs.py

site: .venv/docs.stamp
	$(BIN)/python scripts/build_site.py

packages: .venv/run.stamp
	rm -rf build/packages
	$(BIN)/python -m hatchling build --directory build/packages

bench: .venv/bench.stamp
	@for script in $(filter-out benchmarks/__init__.py,$(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

clean:
	rm -rf frontend/node_modules src/folkmoot/web/dist .venv .cache .hypothesis .pytest_cache .ruff_cache build dist
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- set-up: a stamp is as new as the requirements that are installed -----------------------------------------------
# The files pin all that is needed, so pip looks up no dependency: where one asks for an extra, it would take the newest.

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Folkmoot needs Python 3.11 or newer, and $(PYTHON) is `$(PYTHON) --version 2>/dev/null || echo missing`. Say which to use: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/run.stamp: requirements/run.txt pyproject.toml hatch_build.py $(APP) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/run.txt
	$(BIN)/python hatch_build.py set-up
	@# pip shows nothing of a build, so the app was built before.
	FOLKMOOT_APP=done $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/dev.txt
	@# Without them the tests of the pages say what they leave out, and under FOLKMOOT_CI they fail.
	$(BIN)/python hatch_build.py tools || [ -z "$$FOLKMOOT_CI" ]
	@touch $@

.venv/bench.stamp: requirements/bench.txt .venv/dev.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/bench.txt
	@touch $@

.venv/docs.stamp: requirements/docs.txt .venv/dev.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/docs.txt
	@touch $@

# ---- pinned requirements: every version and hash, and no address ----------------------------------------------------

COMPILE = .cache/lock/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
  --generate-hashes --no-annotate --no-header --upgrade

lock: .cache/lock/bin/uv
	$(COMPILE) --group build --extra server --extra eval --output-file requirements/run.txt
	$(COMPILE) --group dev --extra server --extra eval --constraints requirements/run.txt --output-file requirements/dev.txt
	$(COMPILE) --group docs --constraints requirements/dev.txt --output-file requirements/docs.txt
	$(COMPILE) --extra bench --constraints requirements/dev.txt --output-file requirements/bench.txt
	.cache/lock/bin/uv pip compile --group release --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-header --upgrade --output-file requirements/release.txt
	$(BIN)/python hatch_build.py lock

.cache/lock/bin/uv: | .venv/bin/python
	$(BIN)/python -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check $(UV)
