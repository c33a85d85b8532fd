# Everything the project needs is installed into the checkout: for `make run`, `make demo` and `make dist` what
# an arena needs, for everything else the tools for work on the project too. deploy/install.py does it.
PYTHON ?= python3
ifeq ($(origin PYTHON),file)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
BIN := $(VENV)/bin
UV := .uv/bin/uv
LOCKS := .
unexport PYTHONDONTWRITEBYTECODE  # a test run starts hundreds of programs: what one compiles the next ones find
TEST ?= tests
RETRY ?=
PART ?=
PYTEST := -m $(if $(RETRY),tests.retry,pytest)

# for tests: source or kept (compiled, if there is a build of these sources)
ENGINE ?= source
TESTED := MAUMAU_ENGINE=$(ENGINE)

.PHONY: compiled run demo platform setup style compiles test test-compiled test-long play-deals check lowest format proto rules words lengths lock bench bench-core bench-webhooks bench-env bench-idle bench-page bench-players bench-scale bench-ranking bench-fields bench-restart bench-charge bench-time dist install image templates fuzz clean docs attack soak soak-demo soak-start fuzz-verify containers metrics dashboards setup-browser

run: platform  ## start the arena and a demonstration
	@exec $(BIN)/maumau up --demo --data .maumau

demo: platform  ## one finite tournament without a terminal; FORMAT=groups: of that format
	@exec $(BIN)/maumau demo $(if $(FORMAT),--format $(FORMAT))

platform:  ## what an arena and every command need
	@$(PYTHON) deploy/install.py platform $(VENV)

setup:  ## the tools for work on the project too
	@$(PYTHON) deploy/install.py dev $(VENV)

compiled: platform  ## now what happens by itself behind a demonstration: compile the engine; needs a C compiler
	$(BIN)/python -m maumau.engine.build --wait

$(UV):
	@$(PYTHON) deploy/install.py uv

test: setup  ## all that a change can break, from a clean checkout, with no service running; RETRY=yes: what fails once more
	$(TESTED) $(BIN)/python $(PYTEST) $(TEST)

test-compiled: compiled setup  ## what is compiled, compiled: the rules, questions, seatings
	MAUMAU_ENGINE=kept $(BIN)/python -m pytest tests/game tests/bot tests/contest

# exec: a SIGTERM to make reaches the tests, which end what they started, instead of a shell
test-long: setup  ## the rest, in parts: every disturbance, both databases everywhere, every attack twice; PART=NAME: one
	$(TESTED) MAUMAU_ATTACK=long exec $(BIN)/python -m tests.parts $(PART)

play-deals: setup  ## 50 random deals of each variant through a browser's own scripts
	MAUMAU_PLAY_DEALS=50 $(BIN)/python -m pytest tests/play/test_browser_deals.py -m long -n 2

check: style compiles  ## style, types, arrows, contract, lock; that the engine can be compiled

compiles: setup
	@$(BIN)/python -m tests.check_compiled

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd proto && ../$(BIN)/buf lint
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github
	@$(BIN)/python -m deploy.pin_images --check
	@$(BIN)/python -m tests.check_generated
	@$(BIN)/python -m deploy.site
	@! grep -n '://' requirements*.lock
	@rm -rf .lock.new && mkdir .lock.new && cp requirements*.lock .lock.new && \
	  $(MAKE) --no-print-directory lock LOCKS=.lock.new && \
	  for lock in requirements*.lock; do diff -q $$lock .lock.new/$$lock || exit 1; done && \
	  rm -r .lock.new

LOWEST := .venv-lowest
lowest: platform $(UV)  ## the commands with the lowest versions that pyproject.toml promises
	@$(UV) venv --quiet --clear --python $(BIN)/python $(LOWEST)
	@$(UV) pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct '.[arena,train]'
	$(LOWEST)/bin/python deploy/lowest.py

format: setup
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

proto: setup  ## generated code, committed
	$(BIN)/python -m grpc_tools.protoc -Iproto --python_out=. --pyi_out=. --grpc_python_out=. proto/maumau/v1/*.proto

rules: setup  ## docs/reference/rules.md and the tables in docs/reference/variant.md and docs/reference/contest.md, committed
	$(BIN)/python -m maumau.rulebook > docs/reference/rules.md
	$(BIN)/python -m maumau.rulebook.reference
	$(BIN)/python -m maumau.data.schema

docs: setup  ## the documentation as a site, in build/site/site; SERVE=yes: shown on 127.0.0.1:8000
	$(BIN)/python -m deploy.site $(if $(SERVE),--serve)

words: setup  ## catalogues of the pages' words in maumau/page/locale, updated and compiled, committed
	$(BIN)/python -m deploy.catalogues

lengths: setup  ## bounds of a deal's length in new contests, committed
	$(BIN)/python -m bench.play.lengths

metrics: setup  ## docs/reference/metrics.md and the alerts of k8s/, committed
	$(BIN)/python -m deploy.metrics
	$(BIN)/python -m deploy.alerts

dashboards: setup  ## Grafana's dashboards in deploy/monitoring/grafana, committed
	$(BIN)/python -m deploy.dashboards

COMPILE_LOCK := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate pyproject.toml
lock: $(UV)  ## the lock files; the smaller ones have the pins of the largest
	@$(COMPILE_LOCK) --all-extras -o $(LOCKS)/requirements-dev.lock
	@$(COMPILE_LOCK) --extra platform --extra checkout -c $(LOCKS)/requirements-dev.lock -o $(LOCKS)/requirements.lock
	@$(COMPILE_LOCK) --extra platform --extra s3 --extra otel -c $(LOCKS)/requirements-dev.lock -o $(LOCKS)/requirements-image.lock
	@$(COMPILE_LOCK) --extra checkout --extra compile -c $(LOCKS)/requirements-dev.lock -o $(LOCKS)/requirements-build.lock

bench: setup  ## ratios against peers in one run, a table
	$(BIN)/python -m bench

bench-page: setup  ## what a page weighs and takes, 1,000 watchers of a match, 10,000 idle streams
	$(BIN)/python -m bench page

bench-players: setup  ## 200 tables in browsers' streams
	$(BIN)/python -m bench players

bench-env: setup  ## environments for learners against the engine alone, RLCard and PettingZoo's own
	$(BIN)/python -m bench env

bench-idle: setup  ## the share of a core that an arena at rest uses, and how soon a ladder wakes
	$(BIN)/python -m bench idle

bench-restart: setup  ## how long a restart takes until the page answers, and how much of a core it needs
	$(BIN)/python -m bench restart

bench-core: setup  ## what the services carry: booking, long queues, big tournaments, watchers
	$(BIN)/python -m bench core

bench-webhooks: setup  ## how soon 1,000 webhooks are told of an event, beside some that hang
	$(BIN)/python -m bench webhooks

bench-scale: setup  ## what replicas carry on one PostgreSQL, 10^2 to 10^5 blocks queued: docs/explanation/scale.md
	$(BIN)/python -m bench.services.scale --write

bench-ranking: setup  ## how many games the ladder needs until its order is right, beside other ways of ranking
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m bench ranking

bench-fields: setup  ## the same on fields drawn at random, beside tuned peers
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m bench fields

bench-charge: setup  ## what an innocent program is charged beside each attack, and beside a harmless program
	MAUMAU_ATTACK=long $(BIN)/python -m pytest tests/attack/bench_charge.py -m "" -n 0 --timeout 1800

bench-time: setup  ## how far banks used differ beside other work: docs/explanation/time.md
	$(BIN)/python -m bench time

soak-start: setup  ## 200 starts of whole arenas, several at once, beside two busy loops: none may fail
	$(BIN)/python -m bench.endurance.soak start 200

soak: MINUTES = 240
soak: setup  ## an arena at work for four hours (MINUTES): memory, files, rows and keys, and what of them grows
	$(BIN)/python -m bench.endurance.soak run $(MINUTES)

fuzz: setup  ## long runs of the properties, and a million deals counted
	$(BIN)/python -m pytest tests/game/test_property.py tests/game/test_option.py tests/game/fuzz_chance.py \
	  --hypothesis-profile=fuzz -m "" --dist load --timeout 7200

MINUTES ?= 60
fuzz-verify: setup  ## exports made to break `maumau verify`; what does is kept in fuzz-failures/
	$(BIN)/python -m tests.contest.fuzz_verify $(MINUTES) fuzz-failures

containers: setup  ## the commands of deploy/README.md, played while everything is killed; starts an engine where none answers
	MAUMAU_CONTAINERS=start $(BIN)/python -m pytest tests/containers -m long -n 0 --timeout 3600

BROWSER := chromium prometheus prometheus-alertmanager
setup-browser: setup  ## what the pages and alerts are tested with; from Debian where it is missing
	@if command -v chromium && command -v promtool && command -v amtool; then :; \
	  elif test "$$(id -u)" != 0; then echo "Not installed, for only root can: $(BROWSER)"; \
	  else apt-get update -qq && apt-get install -y -qq --no-install-recommends $(BROWSER); fi

TOOLCHAINS := bash g++ golang-go rustc nodejs default-jdk-headless
templates: setup  ## the bots of `maumau new` in all seven languages; missing toolchains come from Debian
	@for tool in bash g++ go rustc node javac; do test -x /usr/bin/$$tool || missing=yes; done; \
	  test -z "$$missing" || { apt-get update -qq && apt-get install -y --no-install-recommends $(TOOLCHAINS); }
	MAUMAU_TEMPLATES=all $(BIN)/python -m pytest -m "" tests/home/test_templates.py

attack: setup  ## every attack on the sandbox in its long form, in all tiers, as root and as a user without rights
	MAUMAU_ATTACK=long $(BIN)/python -m pytest tests/attack -m "" --timeout 1800

dist: platform  ## the sources and a wheel; one with the engine compiled, too, where there is a C compiler
	$(BIN)/python deploy/dist.py

install: export MAUMAU_ENGINE := $(or $(MAUMAU_ENGINE),kept)
install: TAG = $(shell $(PYTHON) -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
install: dist $(UV)  ## the command `maumau` for this user, in ~/.local/bin
	@set -- dist/maumau_arena-*-none-any.whl; test $$# = 1 || { echo "error: dist/ has several wheels; remove the old ones"; exit 1; }; \
	  for wheel in dist/maumau_arena-*-$(TAG)-linux_*.whl; do test ! -e "$$wheel" || set -- "$$wheel"; done; \
	  $(UV) tool install --force --python $(PYTHON) "$$1[arena]" || { code=$$?; \
	  echo 'Behind a proxy that opens TLS, type `UV_SYSTEM_CERTS=1 make install`.' >&2; exit $$code; }

IMAGE ?= maumau-arena
image: setup  ## build the labelled image; the list of its packages goes to dist/
	$(BIN)/python -m deploy.image $(IMAGE)

N ?= 20
soak-demo:  ## make demo and maumau verify in N empty clones with empty homes: N of N, with the seconds of each
	$(PYTHON) deploy/soak.py $(N)

clean:
	rm -rf maumau__mypyc*.so maumau/*/*.so maumau/*/*/*.so .venv .venv-* .uv .venv*.new .venv*.old .uv.new .install.lock .lock.new .containers dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
