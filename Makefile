# Two commands do everything on a machine with Python 3.11: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp for each set of extras, renewed when the dependencies change.
STAMP = $(VENV)/.installed-$(1)

# Versions and hashes for all systems and versions of Python, and nothing about where they were found.
PIN = $(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

# Python may keep what it compiled: with pytest's rewritten asserts, that is half of the time that collecting tests takes.
export PYTHONDONTWRITEBYTECODE :=

# Kernels are compiled anew when one of these changes.
KERNELS := $(shell grep -rlE --include='*.py' '^@(kernel|subroutine)|= Intrinsic' src)
# Translations are compiled when peerorder is installed.
CATALOGUES := $(shell find src -name '*.po')
# Two more than there are cores: many tests wait for processes that they started.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
QUICK := not browser and not processes and not slow
# Linters beside the tests; both go on where the other fails.
LINT_AND_TEST = $(MAKE) --no-print-directory --jobs=2 --keep-going lint pytest

.PHONY: run test check pytest coverage statistics lint fuzz docs bench bench-peers bench-rush bench-hostile bench-start bench-scale results format messages pins pinned clean

run: $(call STAMP,web)  ## the web app with a sample course, on this machine alone; CHECK=yes tries it and stops
ifeq ($(CHECK),yes)
	$(BIN)/python .ci/check-run $(BIN)/peerorder
else
	$(BIN)/peerorder serve --sample
endif

test: $(call STAMP,dev)  ## everything: linters, types, layers, tests
	+$(LINT_AND_TEST) OPTIONS='--numprocesses=$(WORKERS)'

check: $(call STAMP,dev)  ## for daily work: linters, types, layers and the quick tests, without browsers and processes
	+$(LINT_AND_TEST) OPTIONS='--numprocesses=auto -m "$(QUICK)"'

# Threads of NumPy's algebra help no test, and starting them is a tenth of the start of every process.
pytest: export OPENBLAS_NUM_THREADS := 1
pytest: $(call STAMP,dev) $(VENV)/.kernels
	$(BIN)/pytest $(OPTIONS)

coverage: $(call STAMP,dev) $(VENV)/.kernels  ## which lines the quick tests reach; tracing doubles their time
	$(BIN)/pytest --numprocesses=auto -m '$(QUICK)' --cov --cov-report=term-missing:skip-covered

statistics: $(call STAMP,dev) $(VENV)/.kernels  ## the tests of statistics at full size, which `make test` runs small
	$(BIN)/pytest --numprocesses=auto -m full

lint: $(call STAMP,dev)  ## style, types and the layers of the design
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/check-pins pyproject.toml requirements/production.txt=web requirements/development.txt=dev,docs

fuzz: $(call STAMP,dev)  ## ten thousand mutated files through the readers and the commands: minutes
	PEERORDER_FUZZ=$${PEERORDER_FUZZ:-10000} $(BIN)/pytest --numprocesses=auto tests/files/test_fuzz.py tests/cli/test_fuzz.py

pins: $(BIN)/python  ## pin all dependencies anew, with hashes: for production, and for development
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade uv
	$(PIN) --extra web --output-file requirements/production.txt
	$(PIN) --extra dev --extra docs --output-file requirements/development.txt

pinned: $(BIN)/python  ## try `peerorder serve` with exactly the pinned versions, in an environment of its own
	$(PYTHON) -m venv --clear $(VENV)/pinned
	$(VENV)/pinned/bin/pip install --quiet --disable-pip-version-check --upgrade pip
	$(VENV)/pinned/bin/pip install --quiet --require-hashes --requirement requirements/production.txt
	$(VENV)/pinned/bin/pip install --quiet --no-deps --editable .
	$(VENV)/pinned/bin/pip check
	$(VENV)/pinned/bin/python .ci/check-run $(VENV)/pinned/bin/peerorder

format: $(call STAMP,dev)  ## put the code in the one format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

messages: $(call STAMP,dev)  ## collect the texts for translators; LOCALE=de makes the German catalogues, or brings them up to date
	$(BIN)/python -m translations $(LOCALE)

docs: $(call STAMP,docs)  ## the documentation, in docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

results: $(call STAMP,base)  ## all experiments at full size, as the documentation shows them; DATA=folder also runs them on real people
	$(BIN)/peerorder reproduce all robustness $(if $(DATA),real --data $(DATA)) --out docs/extra/results
	$(BIN)/python docs/fill.py

bench: $(call STAMP,bench)  ## speed and memory, as ratios to peers and floors
	$(BIN)/python -m benchmarks

bench-peers: $(call STAMP,bench)  ## accuracy, time and memory beside other libraries and peerorder 0.8.0, up to a million papers: half an hour
	$(BIN)/python -m benchmarks --only peers --only peers_large --only scaling --json benchmarks/results-peers.json

bench-rush: $(call STAMP,dev)  ## a deadline rush of 2,000 students on PostgreSQL, beside a bare view: three minutes
	$(BIN)/python -m benchmarks --only rush --json benchmarks/results-rush.json

bench-start: $(call STAMP,bench)  ## the first command of a fresh installation, and warm ones beside bare imports: three minutes
	$(BIN)/python -m benchmarks --only start --json benchmarks/results-start.json

bench-scale: $(call STAMP,bench)  ## ten million students, a thousand courses, two engines, beside floors and peers: an hour
	$(BIN)/python -m benchmarks --only scale --json benchmarks/results-scale.json

bench-hostile: $(call STAMP,dev)  ## one hostile student behind nginx, and what everybody else notices: two minutes
	$(BIN)/python -m benchmarks --only hostile --json benchmarks/results-hostile.json

clean:  ## remove what the other targets made
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage benchmarks/.environments
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "peerorder needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Give one by: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip setuptools

$(call STAMP,base): $(BIN)/python pyproject.toml $(CATALOGUES)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.kernels: $(call STAMP,dev) $(KERNELS) src/peerorder/cli/first_use.py
	$(BIN)/peerorder prepare
	@touch $@

$(VENV)/.installed-%: $(BIN)/python pyproject.toml $(CATALOGUES)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@ $(call STAMP,base)
