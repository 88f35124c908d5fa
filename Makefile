# Parley. `make run` starts the bot (without a token: a chat in this terminal); `make test` runs every check.
# Both create .venv first when it is missing or out of date, and need only Python 3.11+ and make.

.DEFAULT_GOAL := help
.PHONY: help run test soak lint format bench install install-dev lock spec-index env-example clean
SHELL := /bin/sh

# PYTHON=... names the Python that creates .venv; without it the first one that is new enough is taken.
PYTHON ?=
VENV_PYTHON := .venv/bin/python
new_enough := import sys; sys.exit(sys.version_info < (3, 11))
with_python = \
  for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
    if "$$python" -c '$(new_enough)' >/dev/null 2>&1; then exec "$$python" tools/install.py $(1); fi; \
  done; echo "Parley needs Python 3.11 or newer, and $(or $(PYTHON),this machine) has none. Name one: make $@ PYTHON=/path/to/python3" >&2; exit 1

help: ## shows this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

run: ## starts the bot; without DISCORD_TOKEN a chat in this terminal
	@$(call with_python,)
	@exec $(VENV_PYTHON) -m bot

test: ## runs everything that CI runs
	@$(call with_python,--dev)
	@$(MAKE) --no-print-directory lint
	@$(VENV_PYTHON) -m pytest -m "not soak" -n 2 --dist loadgroup $(PYTEST_ARGS)

soak: ## runs the long tests: hundreds of kills, long talks
	@$(call with_python,--dev)
	@$(VENV_PYTHON) -m pytest -m soak --timeout 3600 $(PYTEST_ARGS)

lint: ## ruff, import-linter, pyright
	@$(call with_python,--dev)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --no-cache
	.venv/bin/pyright --warnings

format: ## formats and repairs what ruff can
	@$(call with_python,--dev)
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench: ## runs the benchmarks
	@$(call with_python,--dev)
	$(VENV_PYTHON) -m benchmarks.text_path
	$(VENV_PYTHON) -m benchmarks.history_growth
	$(VENV_PYTHON) -m benchmarks.domain_growth
	$(VENV_PYTHON) -m benchmarks.storage_commits
	$(VENV_PYTHON) -m benchmarks.voice_receive
	$(VENV_PYTHON) -m benchmarks.voice_send
	$(VENV_PYTHON) -m benchmarks.voice_activity
	$(VENV_PYTHON) -m benchmarks.voice_controller
	$(VENV_PYTHON) -m benchmarks.voice_barge_in
	$(VENV_PYTHON) -m benchmarks.voice_to_voice
	$(VENV_PYTHON) -m benchmarks.voice_to_voice --embedded

install: ## creates .venv alone
	@$(call with_python,--again)

install-dev: ## creates .venv with what the tests need
	@$(call with_python,--dev --again)

LOCK := .venv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11
lock: ## writes requirements/*.txt anew from pyproject.toml (names, versions, hashes; no addresses)
	@$(call with_python,--dev)
	$(LOCK) pyproject.toml -o requirements/base.txt
	$(LOCK) pyproject.toml --group dev -o requirements/dev.txt

spec-index: ## writes docs/spec-index.md: which test names which id
	@$(call with_python,--dev)
	$(VENV_PYTHON) -m tests.architecture.spec_index

env-example: ## writes .env.example from bot/settings.py
	@$(call with_python,)
	$(VENV_PYTHON) -m bot.settings_example > .env.example

clean: ## removes .venv and caches; data/ and .env stay
	rm -rf .venv .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
