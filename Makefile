# Everything runs from .venv, which any target makes by itself: Python 3.11+ and make are all that is needed.
# What is installed stands in requirements/ with its version and hashes, the same every day; `make lock` renews it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --build-constraints requirements/build.txt
LOCK = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command 'make lock'
LATEST := .venv-latest
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
# COVERAGE=1 make test: counts lines too, with the monitoring that Python has since 3.12: it costs next to nothing.
COUNTED = $(if $(COVERAGE),--cov --cov-report=term)
ifdef COVERAGE
export COVERAGE_CORE ?= $(shell $(PYTHON) -c 'import sys; print("sysmon" if hasattr(sys, "monitoring") else "ctrace")')
endif
# Compiled files make every later start quicker: model libraries take seconds to compile.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test processes guides coverage check bench eval faults realmodel golden docs lock latest clean

$(VENV)/.base: pyproject.toml requirements/uv.txt requirements/build.txt requirements/base.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@$(INSTALL) --require-hashes -r requirements/base.txt
	@$(INSTALL) --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base requirements/dev.txt
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	@$(BIN)/python -m tests.browser.install
	@touch $@

demo: $(VENV)/.base  ## the main job on bundled samples: no key, no service
	@$(BIN)/burnish demo

test: $(VENV)/.browser  ## everything that guards behaviour, in under five minutes on two cores
	$(PYTEST) --ignore tests/bench $(COUNTED)

processes: $(VENV)/.browser  ## servers, runs and books in real processes that are killed, stopped or starved
	$(PYTEST) -m process

guides: $(VENV)/.browser  ## every command of the guides and the README, axe over every page, the tests of the benchmarks
	$(PYTEST) -m guide tests/docs tests/api tests/browser
	$(PYTEST) tests/bench

coverage:  ## the same as `make test`, counting lines: at least 95 %
	$(MAKE) test COVERAGE=1

check: $(VENV)/.dev  ## lint, format, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev  ## speed and memory, as ratios against a limit or a peer
	$(BIN)/python -m bench

eval: $(VENV)/.dev  ## rules against real data in ../shared/data
	$(BIN)/python -m bench.eval

faults: $(VENV)/.browser  ## the promises of docs/design/reliability.md, random cases and a long queue, at full length
	$(BIN)/python -m tests.faults
	HYPOTHESIS_CASES=500 $(PYTEST) -m hypothesis
	QUEUE_OF=46 AXE_LOOKS=all $(BIN)/python -m pytest -m "guide or not guide or process" tests/browser -k "by_keyboard or axe"

realmodel: $(VENV)/.dev  ## a small real model in every role (130 MB once, or BURNISH_REALMODEL): plumbing, not judgement
	$(BIN)/python -m tests.realmodel

golden: $(VENV)/.dev  ## record the golden files again after a change that was meant; read the diff
	$(BIN)/python -m tests.golden.check.cases
	$(BIN)/python -m tests.golden.legos.course
	$(BIN)/python -m tests.golden.prove.reports
	WRITE_GOLDEN=1 $(BIN)/python -m pytest -n 0 tests/app/test_demo.py tests/web/test_report.py tests/text tests/core \
		-k "leaves_behind or exactly_this or record"
	$(BIN)/python -m tests.golden.runs --write

docs: $(VENV)/.dev  ## write the generated pages (rules, commands, schemas) again
	$(BIN)/python -m tests.docs.pages docs

lock: $(VENV)/.base  ## write requirements/*.txt anew: the newest versions that pyproject.toml allows, with their hashes
	$(LOCK) requirements/uv.in -o requirements/uv.txt
	$(LOCK) requirements/build.in -o requirements/build.txt
	$(LOCK) pyproject.toml --extra dev -o requirements/dev.txt
	$(LOCK) pyproject.toml -c requirements/dev.txt -o requirements/base.txt

latest:  ## the tests with the newest versions of everything, in an environment of their own; no part of CI
	$(PYTHON) -m venv --clear $(LATEST)
	$(LATEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LATEST)/bin/uv pip install --quiet --python $(LATEST)/bin/python --upgrade -e '.[dev]'
	$(LATEST)/bin/python -m tests.browser.install
	$(LATEST)/bin/python -m tests.docs.listed_models
	$(LATEST)/bin/python -m pytest -n 2 --dist worksteal --ignore tests/bench

clean:
	rm -rf $(VENV) $(LATEST) runs .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* bench/results
