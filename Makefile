# `make help` lists what can be made. Each target sets up what it needs first; a second call does no set-up work.
# To add a target: a .PHONY rule whose line ends in "## what it does".

PRESET ?= release
BUILD := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
# In CI a warning is an error, but not in sanitized builds, where GCC warns of what cannot happen.
CONFIGURE := cmake --preset $(PRESET) $(if $(CI),$(if $(filter release,$(PRESET)),-DLACP_WERROR=ON))
# GCC 12's thread sanitizer cannot handle the addresses that newer kernels hand out at random.
FIXED_ADDRESSES := $(if $(filter tsan,$(PRESET)),$(shell setarch -R true 2>/dev/null && echo setarch -R))
TEST := $(FIXED_ADDRESSES) ctest --parallel $(JOBS) --preset

.DEFAULT_GOAL := all
.NOTPARALLEL: # ninja and ctest use the cores; two set-ups at once would disturb each other
.PHONY: all
all: $(BUILD)/build.ninja ## build the program (build/lacp)
	cmake --build $(BUILD) --target lacp

.PHONY: test
test: setup-tests $(BUILD)/build.ninja ## build and run the tests; what a contributor needs
	cmake --build $(BUILD)
	$(TEST) $(PRESET)

.PHONY: test-all
test-all: test test-extended test-sanitize ## all that there is: other compilers, the other architecture, Slurm, browser, sanitizers

EXTENDED ?= .
.PHONY: test-extended
test-extended: setup-all $(BUILD)/build.ninja ## the tests that take minutes or rare tools (EXTENDED='clang_O3|browser': those alone)
	cmake --build $(BUILD)
	$(TEST) extended --tests-regex '$(EXTENDED)'

.PHONY: test-sanitize
test-sanitize: setup-tests $(BUILD)/build.ninja ## the program, the library's tests and the fuzz inputs under the address, undefined-behaviour and thread sanitizers
	cmake --build $(BUILD)
	$(MAKE) PRESET=asan sanitized
	$(MAKE) PRESET=tsan sanitized

# The part of it that CI waits for.
.PHONY: test-address
test-address: setup-tests $(BUILD)/build.ninja ## of that, the program and the fuzz inputs under the address and undefined-behaviour sanitizers
	cmake --build $(BUILD)
	$(MAKE) PRESET=asan sanitized-program

.PHONY: sanitized-program
sanitized-program: $(BUILD)/build.ninja
	cmake --build $(BUILD) --target lacp experiments/test/fuzz/all
	$(TEST) $(PRESET) --tests-regex '^fuzz'
	$(TEST) driver-$(PRESET) --label-regex 'commands|data|faults|runs'

# The driver's tests of the release build start the sanitized program.
.PHONY: sanitized
sanitized: $(BUILD)/build.ninja
	cmake --build $(BUILD)
	$(TEST) $(PRESET)
	$(TEST) driver-$(PRESET)

FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: setup-fuzz ## feed made-up bytes to the readers of csv, xlsx and models, a minute each (FUZZ_SECONDS=60)
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

.PHONY: coverage
coverage: setup-coverage ## which lines of lib/ the tests reach, and which they do not
	scripts/coverage.sh

.PHONY: reproduce
reproduce: all datasets-if-possible ## compute the paper's experiments again, compare every cell, and write tables, figures and the report
	LACP=$(BUILD)/lacp scripts/reproduce.sh

.PHONY: reproduce-all
reproduce-all: all datasets-if-possible ## the same with full, the experiment on all points (about half an hour)
	LACP=$(BUILD)/lacp scripts/reproduce.sh --all

# How many are drawn from each folder. On one core of a Xeon with AVX-512 the first three take 10 s together, frontier's 1 to 10 s each,
# 70 s of blog_data: the prediction is made for that draw alone.
SAMPLES := paper:6 release:6 full:6 frontier:2
SEED ?= $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
.PHONY: verify
verify: SEED := $(SEED)
verify: all ## compute 25 cells and failures of results/ again, drawn at random (SEED=N: as before), and compare (half a minute, or three)
	-$(BUILD)/lacp datasets fetch
	@echo "The same draw again: make verify SEED=$(SEED)"
	@status=0; for sample in $(SAMPLES); do \
	  $(BUILD)/lacp verify results/$${sample%:*} --sample $${sample#*:} --seed $(SEED) || status=$$?; done; exit $$status

.PHONY: verdict
verdict: all datasets-if-possible ## compare with Table 1 over fifty runs (results/verdict)
	LACP=$(BUILD)/lacp scripts/studies.sh verdict

.PHONY: frontier
frontier: all ## which intervals to use: eight methods, 16 data sets (an hour of one core, or more; results/frontier)
	LACP=$(BUILD)/lacp scripts/studies.sh frontier

.PHONY: datasets
datasets: all ## fetch the data sets that are missing
	$(BUILD)/lacp datasets fetch

# Without a network the experiments run on the data sets that are here and say what was left out.
.PHONY: datasets-if-possible
datasets-if-possible: all
	-$(BUILD)/lacp datasets fetch --for experiments/paper.yaml --for experiments/full.yaml

.PHONY: bench
bench: all ## measure the speed of the parts that matter
	cmake --build $(BUILD) --target lacp_bench
	$(BUILD)/lacp_bench

# Debian's Python modules belong to Debian's own Python, whatever else is on the PATH.
PYTHON ?= $(if $(wildcard /etc/debian_version),/usr/bin/python3,python3)
.PHONY: bench-peers
bench-peers: setup-peers all ## the same beside PyTorch and scikit-learn; writes results/bench.md
	-$(BUILD)/lacp datasets fetch CASP homes
	cmake --build $(BUILD) --target lacp_bench
	$(PYTHON) scripts/bench_peers.py $(BUILD) --output results/bench.md

PACKAGES ?=
.PHONY: peers
peers: setup-peers all ## intervals of scikit-learn, and of packages that are installed or in PACKAGES=checkout:checkout; writes results/frontier/peers.csv
	-$(BUILD)/lacp datasets fetch --for experiments/frontier.yaml
	PYTHONPATH=$(PACKAGES) $(PYTHON) scripts/peers.py $(BUILD)/lacp

.PHONY: static
static: setup-static ## the program as one file for any Linux of this architecture, as a tar.xz with all it ships, and as a wheel for Python (build/dist)
	cmake --preset static
	cmake --build build-static --target lacp lacp_python
	scripts/package/dist.sh build-static build/dist

.PHONY: wheel
wheel: static ## the same: the wheel, and the source archive that pip builds it from, are among it

.PHONY: clean
clean: ## remove everything that was built (data sets and packages stay)
	rm -rf build build-static build-debug build-asan build-tsan build-fuzz build-coverage

.PHONY: setup setup-tests setup-all setup-peers setup-fuzz setup-coverage setup-static
setup: ## install the packages that the build needs
	@scripts/setup.sh
setup-tests:
	@scripts/setup.sh --tests
setup-all:
	@scripts/setup.sh --all
setup-peers:
	@scripts/setup.sh --peers
setup-fuzz:
	@scripts/setup.sh --fuzz
setup-coverage: setup-tests
	@scripts/setup.sh --coverage

setup-static:
	@scripts/setup.sh --static

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Ninja configures again by itself when a CMake file changes; in CI the flags may have changed too.
$(BUILD)/build.ninja: CMakePresets.json $(if $(CI),always) | setup
	$(CONFIGURE)
	@touch $@

.PHONY: always
