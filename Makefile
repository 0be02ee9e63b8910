# Everything runs from .venv, which any target makes by itself: Python 3.11+ and make are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled files make every later start quicker: model libraries take seconds to compile.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test processes guides coverage check bench eval faults realmodel golden docs clean

$(VENV)/.base: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import uv' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@$(BIN)/uv pip install --quiet --python $(BIN)/python -e '.[dev]'
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	@$(BIN)/python -m tests.browser.install
	@touch $@

demo: $(VENV)/.base  ## the main job on bundled samples: no key, no service
	@$(BIN)/burnish demo

test: $(VENV)/.browser  ## everything that guards behaviour, in under five minutes on two cores
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/bench

processes: $(VENV)/.browser  ## servers, runs and books in real processes that are killed, stopped or starved
	$(BIN)/python -m pytest -n 2 --dist worksteal -m process

guides: $(VENV)/.browser  ## every command of the guides and the README, axe over every page, the tests of the benchmarks
	$(BIN)/python -m pytest -n 2 --dist worksteal -m guide tests/docs tests/api tests/browser
	$(BIN)/python -m pytest -n 2 --dist worksteal tests/bench

coverage: $(VENV)/.browser  ## the tests once more, counting lines: at least 95 %
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/bench --cov --cov-report=term

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
	HYPOTHESIS_CASES=500 $(BIN)/python -m pytest -n 2 --dist worksteal -m hypothesis
	QUEUE_OF=46 AXE_LOOKS=all $(BIN)/python -m pytest -m "guide or not guide or process" tests/browser -k "by_keyboard or axe"

realmodel: $(VENV)/.dev  ## a small real model in every role (130 MB once, or BURNISH_REALMODEL): plumbing, not judgement
	$(BIN)/python -m tests.realmodel

golden: $(VENV)/.dev  ## record the golden files again after a change that was meant; read the diff
	$(BIN)/python -m tests.golden.check.cases
	$(BIN)/python -m tests.golden.legos.course
	$(BIN)/python -m tests.golden.prove.reports
	WRITE_GOLDEN=1 $(BIN)/python -m pytest -n 0 tests/app/test_demo.py -k leaves_behind
	$(BIN)/python -m tests.golden.runs --write

docs: $(VENV)/.dev  ## write the generated pages (rules, commands, schemas) again
	$(BIN)/python -m tests.docs.pages docs

clean:
	rm -rf $(VENV) runs .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* bench/results
