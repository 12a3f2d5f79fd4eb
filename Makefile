PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: play test check format bench docs clean

play: $(VENV)/installed
	$(BIN)/cabochon play

test: $(VENV)/installed check
	$(BIN)/pytest -q -n auto

check: $(VENV)/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/installed
	$(BIN)/cabochon bench

docs: $(VENV)/installed
	$(BIN)/python tools/rules_page.py

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
