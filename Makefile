# Two commands for a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DELETE_ON_ERROR:
.PHONY: demo test test-literature test-slow lint benchmarks gallery docs studies clean

# A stamp per set of extras: the environment is rebuilt when pyproject.toml changes.
$(VENV)/.stamp-%: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	touch $@

demo: $(VENV)/.stamp-frames,plots
	$(BIN)/subsel demo --out demo-output

# Two workers with a thread each: libraries that start one per core would get in each other's way.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal
LITERATURE := tests/literature src/subsel/literature

# Where tests fail (status 1) those of the literature run all the same: pytest adds their failures to those it
# remembers, and `--last-failed` then finds the failures of both runs.
test: $(VENV)/.stamp-test lint
	$(PYTEST) $(LITERATURE:%=--ignore=%); status=$$?; \
	test $$status -le 1 && $(MAKE) --no-print-directory test-literature && exit $$status

test-literature: $(VENV)/.stamp-test
	$(PYTEST) $(LITERATURE)

test-slow: $(VENV)/.stamp-test,ray
	$(PYTEST) -m slow

lint: $(VENV)/.stamp-test
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

benchmarks: $(VENV)/.stamp-benchmarks
	$(BIN)/python -m benchmarks

gallery: $(VENV)/.stamp-test
	$(BIN)/python docs/gallery/build.py

docs: $(VENV)/.stamp-docs
	$(BIN)/python docs/site/build.py

studies: $(VENV)/.stamp-test
	for study in docs/studies/*.py; do $(BIN)/python $$study || exit 1; done

clean:
	rm -rf $(VENV) demo-output dist build .pytest_cache .mypy_cache .ruff_cache
