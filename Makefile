# Two commands are all the set-up: `make demo` and `make test`.  Needs python3 (3.11+), make and the package registry.
# POSIX sh and make only: no bash, no GNU extension.

PYTHON = python3
VENV = .venv
BIN = $(VENV)/bin
PORT = 8000
RESET =
ARGS =
PIP = $(BIN)/python -m pip --disable-pip-version-check install --quiet --root-user-action ignore --require-hashes
WITH_SERVICES = $(BIN)/python -m config.devservices test --
UV = $(VENV)/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade

help:
	@echo "make demo    the site with demo data at http://127.0.0.1:$(PORT)/  (PORT=8001 another port, RESET=1 afresh)"
	@echo "make test    all tests  (ARGS='tests/games -k clock' for some)"
	@echo "make check   format, lint, types, layers, templates, migrations, translations"
	@echo "make bench   the figures of docs/performance.md  (ARGS='elo engine' for some)"
	@echo "make docs    bring generated pages of docs/ and the catalogues in line with the sources"
	@echo "make lock    pin the newest versions that requirements*.in allow"
	@echo "make clean   delete what demo and tests left on this machine, and the virtual environment"

demo: $(VENV)/runtime
	@test -z "$(RESET)" || $(BIN)/python -m config.devservices wipe demo
	@$(BIN)/python -m config.catalogues compile
	@PORT=$(PORT) exec $(BIN)/python -m config.devservices demo -- $(BIN)/python -m config.demo

# Cases of tests/reliability kill servers: each has its own, one at a time, after the rest.
test: $(VENV)/dev
	@$(BIN)/python -m config.catalogues compile
	@if test -n "$(ARGS)"; then $(WITH_SERVICES) $(BIN)/python -m pytest $(ARGS); else \
	  $(WITH_SERVICES) $(BIN)/python -m pytest --ignore=tests/reliability && \
	  $(WITH_SERVICES) $(BIN)/python -m pytest -n 0 tests/reliability; fi

check: $(VENV)/dev
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted: ruff format ."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-logo
	@find templates -name '*.html' -exec $(BIN)/djade --check --target-version 5.2 {} +
	@$(BIN)/python -m config.catalogues check
	@$(WITH_SERVICES) $(BIN)/python manage.py makemigrations --check --dry-run -v 1
	@$(WITH_SERVICES) $(BIN)/mypy
	@echo "all checks passed"

bench: $(VENV)/dev
	@$(WITH_SERVICES) $(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/dev
	@$(BIN)/python -m config.catalogues extract

# A stamp is newer than the lock file that it was made for: a second call compares two times and is done.
# `make demo` takes the smaller set; after `make test` it finds all that it needs already there.
$(VENV)/runtime: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing requirements.lock ..."
	@$(PIP) -r requirements.lock
	@touch $@

$(VENV)/dev: $(VENV)/runtime requirements-dev.lock
	@echo "installing requirements-dev.lock ..."
	@$(PIP) -r requirements-dev.lock
	@touch $@

lock: $(VENV)/dev
	@$(PYTHON) -m venv $(VENV)/uv && $(VENV)/uv/bin/python -m pip install --quiet uv
	@$(UV) requirements.in -o requirements.lock
	@$(UV) requirements-dev.in -o requirements-dev.lock
	@$(UV) requirements-arena.in -o requirements-arena.lock

clean:
	@test ! -x $(BIN)/python || $(BIN)/python -m config.devservices wipe
	@rm -rf $(VENV) staticfiles .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.PHONY: help demo test check bench docs lock clean
