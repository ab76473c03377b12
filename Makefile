# make demo         the main job on a fresh machine, with nothing but Python 3.11 and pip
# make check        every test, on a fresh machine (PASS=bare: without the oracles; PASS=oracles: the tests that need one)
# make check-fast   ruff, types, the rules of the house, tests of changed modules and their importers (SINCE=REVISION)
# make site         docs/ as a site, in build/site
# make fix          format, and what else can be put right by machine
#
# PYTHON names another interpreter for the virtual environment; VENV an environment that exists.

PYTHON ?= $(shell for python in python3 python3.11 python3.12 python3.13 python3.14; do \
  $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo check check-fast site fix install install-dev clean
.DELETE_ON_ERROR:

demo: install
	$(BIN)/xetile-demo

check: install-dev
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tools.check$(if $(PASS), --pass $(PASS))$(if $(JOBS), --jobs $(JOBS))

check-fast: install-dev
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tools.check --fast$(if $(SINCE), --since $(SINCE))$(if $(JOBS), --jobs $(JOBS))

site: install-dev
	$(BIN)/mkdocs build --strict

fix: install-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

install: $(BIN)/.installed
install-dev: $(BIN)/.installed-dev

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "xetile needs Python 3.11 or newer with venv; name one: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(BIN)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(BIN)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(BIN)/.installed

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
