# Everything the project needs is installed into the checkout; `make setup` is called by the others.
PYTHON ?= python3
ifeq ($(origin PYTHON),file)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
BIN := $(VENV)/bin
UV := .uv/bin/uv
READY := $(VENV)/.ready
LOCK := requirements.lock
TEST ?= tests

COMPILED := maumau__mypyc*.so maumau/*/*.so
STALE := $(shell find maumau/game maumau/bot -name '*.py' -newer "$(firstword $(wildcard maumau__mypyc*.so))" 2>/dev/null)

.PHONY: compiled pure run demo setup test check format proto rules lock bench dist templates fuzz clean attack

run: setup  ## start the arena and a demonstration
	@exec $(BIN)/maumau up --demo --data .maumau

demo: setup  ## one finite tournament without a terminal
	@exec $(BIN)/maumau demo

setup: $(READY)
	@$(if $(strip $(STALE)),echo "the compiled engine is older than its source: removed" && rm -f $(COMPILED))

compiled: setup  ## the same source compiled, two to three times as fast; needs a C compiler
	$(BIN)/python deploy/compiled.py

pure:  ## without the compiled modules
	rm -f $(COMPILED)

.uv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "maumau needs Python 3.11 or newer")'
	@echo "fetching uv, which installs the rest"
	@$(PYTHON) -m venv .uv && .uv/bin/pip install --quiet --disable-pip-version-check uv==0.13.9

$(READY): $(LOCK) pyproject.toml | $(UV)
	@echo "installing into $(VENV), this once"
	@test -x $(BIN)/python || $(UV) venv --quiet --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode $(LOCK)
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q maumau services
	@touch $@

test: setup  ## everything, from a clean checkout, with no service running
	$(BIN)/python -m pytest $(TEST)

check: setup  ## style, types, arrows, contract, lock
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd proto && ../$(BIN)/buf lint
	@$(BIN)/python -m tests.check_generated
	@cp $(LOCK) .lock.new && $(MAKE) --no-print-directory lock LOCK=.lock.new && \
	  diff -q $(LOCK) .lock.new && rm .lock.new

format: setup
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

proto: setup  ## generated code, committed
	$(BIN)/python -m grpc_tools.protoc -Iproto --python_out=. --pyi_out=. --grpc_python_out=. proto/maumau/v1/*.proto

rules: setup  ## docs/rules.md, committed
	$(BIN)/python -m maumau.rulebook > docs/rules.md

lock: $(UV)
	@$(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --all-extras \
	  pyproject.toml -o $(LOCK)

bench: setup  ## ratios against peers in one run, a table
	$(BIN)/python -m bench

fuzz: setup  ## long runs of the properties, and a million deals counted
	$(BIN)/python -m pytest tests/game/test_property.py tests/game/test_option.py tests/game/fuzz_chance.py \
	  --hypothesis-profile=fuzz --dist load --timeout 7200

TOOLCHAINS := bash g++ golang-go rustc nodejs default-jdk-headless
templates: setup  ## the bots of `maumau new` in all seven languages; missing toolchains come from Debian
	@for tool in bash g++ go rustc node javac; do test -x /usr/bin/$$tool || missing=yes; done; \
	  test -z "$$missing" || { apt-get update -qq && apt-get install -y --no-install-recommends $(TOOLCHAINS); }
	MAUMAU_TEMPLATES=all $(BIN)/python -m pytest tests/home/test_templates.py

attack: setup  ## every attack on the sandbox in its long form, in all tiers, as root and as a user without rights
	MAUMAU_ATTACK=long $(BIN)/python -m pytest tests/attack --timeout 600

dist: setup
	$(BIN)/python -m hatchling build

clean:
	rm -rf $(COMPILED) .venv .venv-* .uv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
