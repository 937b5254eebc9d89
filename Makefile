.PHONY: help dev demo test test-all test-long lower test-lower test-clients docs lint types proto proto-lint proto-check wheel-check clean
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

help: ## show these lines
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/fairdeal: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(BIN)/fairdeal
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

dev: $(VENV)/.dev ## make .venv, with all that the tests need

demo: $(BIN)/fairdeal ## play a round robin of every game with five bots
	$(BIN)/fairdeal demo

# Neighbours in a file share what they play, so each worker takes a stretch of tests, and helps others at the end.
PYTEST = $(BIN)/python -m pytest -q
PARALLEL := -n auto --dist worksteal
# Tests with processes wait for half of their time: twice as many workers as cores keep the cores busy.
CORES := $(shell nproc)
CROWDED := -n $(shell expr 2 '*' $(CORES)) --dist worksteal

# Tests start many programs, and each worker reads all test files: compiled modules save both a good part.
export PYTHONDONTWRITEBYTECODE :=

# Some only: make test T=tests/games, or with those that start processes T="tests/e2e -m process"
T ?= tests

test: $(VENV)/.dev ## run the tests without processes, and a smoke test of each command (minutes)
	$(PYTEST) $(PARALLEL) -m "not process or smoke" $(T)

# What measures time runs by itself.
test-all: $(VENV)/.dev ## run all tests
	$(PYTEST) $(CROWDED) --ignore tests/stress
	$(PYTEST) tests/stress

LONG := tests/tournaments tests/noninterference/test_positions.py tests/noninterference/test_planted_leaks.py tests/properties \
	tests/openspiel tests/referee/verify/test_mutations.py tests/simulation tests/fuzz tests/e2e/test_torture.py tests/e2e/test_torture_serve.py tests/e2e/test_ray_cluster.py \
	tests/e2e/test_rulings.py tests/e2e/test_open_files.py tests/e2e/test_slow_machine.py tests/server/test_crowd.py tests/server/test_lasting_server.py

test-long: $(VENV)/.dev ## run the long tests: hidden cards, simulation, kills, frames, clocks, a soak
	FAIRDEAL_LONG=1 $(BIN)/python -m pytest -q -n auto $(LONG)
	FAIRDEAL_LONG=1 $(BIN)/python -m pytest -q tests/stress

# The oldest versions that pyproject.toml allows, so that its lower bounds stay true.
LOWER_VENV := .venv-lower

$(LOWER_VENV)/.ready: pyproject.toml tests/packaging/lower.txt
	$(PYTHON) -m venv $(LOWER_VENV)
	$(LOWER_VENV)/bin/pip install --quiet --disable-pip-version-check -c tests/packaging/lower.txt -e '.[dev]'
	@touch $@

# Only what can tell versions apart: the tests of what imports a package, a smoke of each program, both databases;
# not how much time and memory something takes, how true the statistics are, nor how the house bots play.
# The rulings and examples of the command line come down to its options and to the store, whose tests are here.
LOWER := tests/adapters tests/clients tests/llm tests/mcp tests/stdio tests/referee/codec tests/server \
	tests/fuzz/test_calls.py tests/fuzz/test_corpus.py tests/fuzz/test_decoder.py tests/fuzz/test_socket.py \
	tests/tournaments/cli tests/tournaments/report tests/tournaments/service tests/tournaments/standings \
	tests/tournaments/store tests/tournaments/tournament_file tests/tournaments/web tests/tournaments/test_ratings.py \
	tests/tournaments/schedule/test_swiss.py tests/check tests/e2e/test_serve.py tests/e2e/test_tournament.py \
	$(addprefix --ignore tests/, clients/test_bots.py clients/test_greedy.py server/test_lasting_server.py \
	server/test_permissions.py tournaments/standings/test_standings_scale.py tournaments/store/test_scale.py \
	tournaments/standings/test_certainty.py tournaments/cli/test_cli_entry_rulings.py \
	tournaments/cli/test_cli_rulings.py tournaments/cli/test_cli_examples.py)

lower: $(LOWER_VENV)/.ready

test-lower: $(LOWER_VENV)/.ready ## run the tests that depend on packages, on the oldest versions allowed
	$(LOWER_VENV)/bin/python -m pytest -q $(CROWDED) -m "not process or smoke or postgres" $(LOWER)
	$(LOWER_VENV)/bin/python -m pytest -q tests/stress/test_floods.py tests/stress/test_reconnects.py

# Some only: make test-clients KITS="go rust"
KITS ?= all
# Their tests wait for three quarters of their time.
KITS_CROWD := -n $(shell expr 3 '*' $(CORES))

# What a README has built again must not be played with meanwhile. Rust is quicker built than it plays.
test-clients: export CARGO_PROFILE_RELEASE_OPT_LEVEL := 0
test-clients: $(VENV)/.dev ## build and test the kits in clients/, each with its own toolchain
	$(BIN)/python -m tests.kits.build $(or $(KITS),all)
	FAIRDEAL_KITS="$(or $(KITS),all)" $(BIN)/python -m pytest -q $(KITS_CROWD) tests/kits --ignore tests/kits/test_readmes.py
	FAIRDEAL_KITS="$(or $(KITS),all)" $(PYTEST) $(CROWDED) tests/kits/test_readmes.py

lint: $(VENV)/.dev ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## check types
	$(BIN)/mypy

# The compiler lives in an environment of its own, so that everything else runs on what users get.
PROTO_VENV := .venv-proto
GENERATED := clients/python/fairdeal/v1

$(PROTO_VENV)/.ready:
	$(PYTHON) -m venv $(PROTO_VENV)
	$(PROTO_VENV)/bin/pip install --quiet --disable-pip-version-check grpcio-tools==1.76.0
	@touch $@

proto: $(PROTO_VENV)/.ready ## generate the Python code of proto/
	rm -f $(GENERATED)/*_pb2*.py*
	$(PROTO_VENV)/bin/python -m grpc_tools.protoc -Iproto \
		--python_out=clients/python --pyi_out=clients/python --grpc_python_out=clients/python \
		proto/fairdeal/v1/*.proto

docs: $(VENV)/.dev ## write the generated parts of docs/: the protocol and the list of games
	$(BIN)/python -m tests.docs.protocol_pages

proto-check: proto ## check that the committed code is what proto/ generates
	git diff --exit-code -- $(GENERATED)
	@test -z "$$(git status --porcelain -- $(GENERATED))" || \
		{ echo "generated code is not committed: run 'make proto' and commit $(GENERATED)"; exit 1; }

# buf comes from npm, which only those who change proto/ need
proto-lint: ## check the style of proto/
	npx --yes @bufbuild/buf@1.75.0 lint
	npx --yes @bufbuild/buf@1.75.0 format --diff --exit-code

wheel-check: ## build the wheel and use it in a clean environment, outside the checkout
	$(PYTHON) tests/packaging/check_wheel.py

clean: ## remove environments and the folder of the demo
	rm -rf $(VENV) $(PROTO_VENV) $(LOWER_VENV) fairdeal-demo build dist
