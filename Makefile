# Everything happens in .venv inside this folder. `make demo` and `make test` need only Python 3.11+, make and PyPI.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-test
BENCH_READY := $(VENV)/.ready-bench
DATA := $(or $(BOCHNER_DATA),$(wildcard ../shared/data))

.PHONY: help demo test test-slow test-page test-machines test-mutations lint bench bench-defaults bench-auto clean

help:
	@echo "make demo | test | test-slow | test-page | test-machines | test-mutations | lint | bench | bench-defaults | bench-auto | clean"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready-demo: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(READY): pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,test]'
	@touch $@ $(VENV)/.ready-demo

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,test,bench]'
	@touch $@

demo: $(VENV)/.ready-demo
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest -n 2 -m 'not slow'

test-slow: $(READY)
	BOCHNER_DATA='$(DATA)' $(BIN)/python -m pytest -m slow

# In a browser: Debian's chromium where apt can bring it, else what is there; without one those tests are skipped.
test-page: $(READY)
	@command -v chromium > /dev/null || timeout 300 apt-get install -qq -y chromium > /dev/null 2>&1 || echo "No browser could be installed."
	$(BIN)/python -m pytest -n 2 tests/report/test_page.py -rs

test-machines: $(READY)
	$(BIN)/python -m tests.machines

test-mutations: $(READY)
	$(BIN)/python -m tests.mutations

lint: $(READY)
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(BENCH_READY)
	BOCHNER_DATA='$(DATA)' $(BIN)/python -m benchmarks

bench-defaults: $(BENCH_READY)
	BOCHNER_DATA='$(DATA)' WHOLE=1 $(BIN)/python -m benchmarks defaults

bench-auto: $(BENCH_READY)
	BOCHNER_DATA='$(DATA)' $(BIN)/python -m benchmarks auto

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
