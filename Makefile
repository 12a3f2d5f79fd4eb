PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
NPM = $(BIN)/python tools/npm.py
NODE_PACKAGES = web/node_modules/installed
PAGE = src/cabochon/server/static/index.html
PAGE_SOURCES = web/index.html web/vite.config.ts web/svelte.config.js web/tsconfig.json \
	$(shell find web/src web/plugins web/worker web/public -type f ! -name '*.test.ts')

.PHONY: play page test check test-page compile format bench docs clean

play: $(VENV)/playing $(PAGE)
	$(BIN)/cabochon serve --open

page: $(PAGE)

# The first step uses one core for compiling and another for the rest.
test: $(VENV)/installed $(NODE_PACKAGES) $(PAGE)
	$(BIN)/python tools/chromium.py
	$(BIN)/python tools/nginx.py
	$(MAKE) --jobs=2 compile check test-page
	$(BIN)/pytest -q -n auto --dist worksteal

test-page: $(NODE_PACKAGES)
	$(NPM) test

# Compiles what the processes of the tests then load: none of them does it again, or waits for it.
compile: $(VENV)/installed
	$(BIN)/python tools/compile.py

check: $(VENV)/installed $(NODE_PACKAGES)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(NPM) run check

format: $(VENV)/installed $(NODE_PACKAGES)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(NPM) run format

bench: $(VENV)/installed
	$(BIN)/cabochon bench

docs: $(VENV)/installed
	$(BIN)/python tools/rules_page.py
	$(BIN)/python tools/observation_page.py

# Playing needs far less than developing does: no PyTorch, no browser, no checkers.
$(VENV)/playing: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[server,page]'
	touch $@

$(VENV)/installed: $(VENV)/playing
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

$(NODE_PACKAGES): web/package.json web/package-lock.json web/.npmrc | $(VENV)/playing
	$(NPM) ci
	touch $@

$(PAGE): $(NODE_PACKAGES) $(PAGE_SOURCES)
	$(NPM) run build

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache web/node_modules src/cabochon/server/static
