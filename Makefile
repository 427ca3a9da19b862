# `make run` and `make test` do all set-up themselves on a machine that has Python 3.11+, pip and make.

PYTHON ?= python3
SECONDS ?= 600
PY     := .venv/bin/python
UV     := .tools/bin/uv
UV_VERSION := 0.13.9
SYNC   := $(UV) pip sync -q --compile-bytecode --require-hashes -p $(PY) requirements.lock
# Whatever the caller's shell has set up, this project's environment is its own.
export UV_PYTHON_DOWNLOADS := never
export UV_NO_PROGRESS := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONPATH :=
unexport PYTHONDONTWRITEBYTECODE
unexport VIRTUAL_ENV

# An environment knows the path it was made for: after the clone moved, or its Python went, it is made anew.
$(shell test ! -e .venv/.packages || { test -x $(PY) && test "$$(cat .venv/.packages)" = "$(CURDIR)"; } || rm -rf .venv)
$(shell test -e libs/pb/__init__.py || rm -f build/.stubs)

.DEFAULT_GOAL := help
.PHONY: help setup run demo test check lint sanitize fuzz proto lock clean kernel
MAKEFLAGS += --no-print-directory

help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: build/.bytecode kernel ## tools, pinned packages, generated stubs, compiled kernel (run and test do this by themselves)
	@:

run: setup ## start Sparrow: PostgreSQL, NATS, all services; Ctrl-C stops it
	@$(PY) -m services

demo: setup ## start Sparrow with a folder that is thrown away, watch bots play for a while, stop
	@$(PY) -m services --ephemeral --then ".venv/bin/sparrow demo --seconds 20"

test: setup ## all tests: unit, property, integration, end to end
	@$(PY) -m pytest -q -n auto --dist loadfile --no-loadscope-reorder tests

check: lint ## all that takes no server: what lint looks at, unit and property tests
	@echo "· unit and property tests" && $(PY) -m pytest -q -n auto tests/unit tests/property

lint: setup ## format, lint, types, import contracts, contracts on the wire
	@echo "· ruff" && .venv/bin/ruff check -q . && .venv/bin/ruff format -q --check .
	@echo "· mypy --strict" && .venv/bin/mypy --no-error-summary libs services tests
	@echo "· import contracts" && .venv/bin/lint-imports > build/lint-imports.txt || { cat build/lint-imports.txt; exit 1; }
	@echo "· buf lint and breaking"
	@.venv/bin/buf lint build/descriptors.binpb --config protos/buf.yaml
	@.venv/bin/buf breaking build/descriptors.binpb --against protos/released.binpb --config protos/buf.yaml

sanitize: setup ## the kernel under address and undefined-behaviour sanitizers: recorded, random and malformed positions
	@$(PY) -m tests.fuzz.run --executions 20000
	@$(PY) -m tests.fuzz.calls

fuzz: setup ## look for inputs that break the kernel, for SECONDS of processor time
	@$(PY) -m tests.fuzz.run --seconds $(SECONDS)

proto: .venv/.packages ## generate the Python stubs again
	@$(PY) protos/generate.py && touch build/.stubs

lock: $(UV) ## choose package versions again and pin them
	@$(UV) pip compile -q --upgrade --generate-hashes --no-header --python-version 3.11 --extra dev \
		pyproject.toml -o requirements.lock

clean: ## remove all that was made here, except the data in .sparrow
	@rm -rf .venv .tools build libs/pb libs/kernel/_kernel.* *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(UV):
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("Sparrow needs Python 3.11 or newer; $(PYTHON) is %d.%d. Choose one: make PYTHON=/path/to/python3.11 …" % v[:2])'
	@echo "Setting up: tools"
	@rm -rf .tools && $(PYTHON) -m pip install -qq --target .tools uv==$(UV_VERSION)

.venv/.packages: requirements.lock pyproject.toml | $(UV)
	@echo "Setting up: packages (once)"
	@test -x $(PY) || $(UV) venv -q --allow-existing --python "$$($(PYTHON) -c 'import os, sys; print(os.path.realpath(sys.executable))')" .venv
	@$(SYNC) || { echo "Trying again with this machine's certificates"; $(SYNC) --system-certs; } \
		|| { echo "Trying again with pip"; $(PYTHON) -m pip -q --python $(PY) install --require-hashes -r requirements.lock; }
	@$(UV) pip install -q -p $(PY) --no-deps --no-build-isolation -e .
	@echo "$(CURDIR)" > $@

build/.stubs: .venv/.packages protos/generate.py $(shell find protos -name '*.proto')
	@echo "Setting up: stubs from protos/"
	@mkdir -p build && $(PY) protos/generate.py
	@touch $@

# Asks by itself whether there is anything to do: compiler and flags decide too.
kernel: .venv/.packages ## build the compiled solver kernel, where its sources or the compiler changed
	@$(PY) libs/kernel/build.py

# Without bytecode every process would compile for seconds first, where it may not or must not write its own.
build/.bytecode: build/.stubs $(shell find libs services -name '*.py')
	@$(PY) -m compileall -q -j 0 libs services
	@touch $@
