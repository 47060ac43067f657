# `make` shows the targets. The two that a newcomer needs are `measure` and `check`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    ?= runs/first

.DEFAULT_GOAL := help
.PHONY: help measure check lint types test docs benchmark drift-study vectors lock clean

help: ## Show the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

measure: $(VENV)/.run ## Measure a real embedded model: about 5 minutes on 2 cores. RUN=folder
	$(BIN)/epc run --evaluator local/smollm2-135m-likelihood --executor local/smollm2-135m \
	  --exhaustive --seeds 0-29 --out $(RUN)
	$(BIN)/epc validate $(RUN)

check: $(VENV)/.dev ## Everything that CI runs: lint, types, tests, docs.
	$(BIN)/epc models fetch
	$(MAKE) --no-print-directory lint types vectors docs test

lint: $(VENV)/.dev ## Style and likely mistakes.
	$(BIN)/ruff format --check epc tests
	$(BIN)/ruff check epc tests

types: $(VENV)/.dev ## Strict types over the package and its tests.
	$(BIN)/mypy

test: $(VENV)/.dev ## The test suite, with branch coverage.
	$(BIN)/pytest --cov --cov-report=term

docs: $(VENV)/.dev ## Build the documents into public/.
	$(BIN)/mkdocs build --quiet --strict --config-file site/mkdocs.yml

benchmark: $(VENV)/.dev ## Measure speed, as ratios in one run.
	$(BIN)/python tests/benchmarks/measure.py
	$(BIN)/python tests/benchmarks/engine.py
	$(BIN)/python tests/benchmarks/judge.py
	$(BIN)/python tests/benchmarks/registry.py
	$(BIN)/python tests/benchmarks/simulate.py

drift-study: $(VENV)/.dev ## Simulate what site/docs/drift.md states: about 2 minutes.
	$(BIN)/python tests/studies/drift.py

vectors: $(VENV)/.dev ## Work the conformance vectors out again; fails if the files differ.
	$(BIN)/python tests/conformance/work_vectors.py --check
	$(BIN)/python tests/conformance/work_judge_vectors.py --check

lock: $(VENV)/.dev ## Write the lock files again from pyproject.toml.
	echo 'pip>=26' | $(BIN)/uv pip compile - $(LOCK_FLAGS) --no-annotate \
	  --output-file requirements/pip.lock
	$(BIN)/uv pip compile pyproject.toml --extra build --extra dev --extra inspect --extra site $(LOCK_FLAGS) \
	  --output-file requirements/dev.lock
	$(BIN)/uv pip compile pyproject.toml --extra build $(LOCK_FLAGS) \
	  --constraint requirements/dev.lock --output-file requirements/run.lock

LOCK_FLAGS := --quiet --universal --python-version 3.11 --generate-hashes --no-header \
  --no-emit-index-url --no-emit-find-links --no-strip-extras

clean: ## Remove the virtual environment and everything that was built. Runs stay.
	rm -rf $(VENV) public .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

$(VENV)/.run: requirements/run.lock
	$(call venv)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.lock
	$(call install,$@)

# The pip that comes with Python 3.11 does not see that a package with extras is pinned already.
$(VENV)/.dev: requirements/dev.lock requirements/pip.lock
	$(call venv)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/pip.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(call install,$@)
	touch $(VENV)/.run

# The package itself: no dependencies, no build environment, nothing that is not in a lock file.
define install
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(1)
endef

define venv
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo 'make: no virtual environment: apt-get install python3-venv' >&2; exit 1; }
endef
