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
test-all: test test-extended test-sanitize mutations ## all that there is: other compilers, the other architecture, Slurm, browser, sanitizers, mutants

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
fuzz: setup-fuzz ## feed made-up bytes to the readers of csv, xlsx, models and cells, a minute each (FUZZ_SECONDS=60)
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

.PHONY: coverage
coverage: setup-coverage ## which lines of lib/ the tests reach, and which they do not
	scripts/coverage.sh

.PHONY: mutations
mutations: setup ## break one formula after another and see that a test notices
	scripts/mutations.sh

.PHONY: reproduce
reproduce: all datasets-if-possible ## compute the paper's experiments again, compare every cell, and write tables, figures and the report
	LACP=$(BUILD)/lacp scripts/reproduce.sh

.PHONY: reproduce-all
reproduce-all: all datasets-if-possible ## the same with all protocols of the paper: full and single_level_* (about half an hour)
	LACP=$(BUILD)/lacp scripts/reproduce.sh --all

# How many are drawn from each folder. On one core of a Xeon with AVX-512 the first five take 15 s together, and one of the others 1 to 3 s;
# 5 to 10 s where it is of CASP or facebook_1 in ibug or frontier, 70 s of blog_data in frontier: the prediction is made for that draw alone.
SAMPLES := paper:6 release:6 full:6 verdict/paper:6 verdict/release:6 uacqr:2 foundation:2 frontier:2 ibug:1
SEED ?= $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
.PHONY: verify
verify: SEED := $(SEED)
verify: all ## compute 37 cells and failures of results/ again, drawn at random (SEED=N: as before), and compare (half a minute, or three)
	-$(BUILD)/lacp datasets fetch
	@echo "The same draw again: make verify SEED=$(SEED)"
	@status=0; for sample in $(SAMPLES); do \
	  $(BUILD)/lacp verify results/$${sample%:*} --sample $${sample#*:} --seed $(SEED) || status=$$?; done; exit $$status

# Ten minutes at most on two cores, by the seconds that cells took; MINUTES=2 or SHARE=0.02 for less.
.PHONY: check-claims
check-claims: all ## compute a random tenth of the cells behind each claim again (SEED=N: as before), judge the claims, and say what agreed
	-$(BUILD)/lacp datasets fetch --for experiments/paper.yaml --for experiments/full.yaml
	$(PYTHON) scripts/check_claims.py $(BUILD)/lacp --jobs $(JOBS) $(if $(filter command line environment,$(origin SEED)),--seed $(SEED)) $(if $(SHARE),--share $(SHARE)) $(if $(MINUTES),--minutes $(MINUTES))

.PHONY: ablation
ablation: all datasets-if-possible ## change one setting at a time (results/ablation)
	LACP=$(BUILD)/lacp scripts/studies.sh ablation

.PHONY: verdict
verdict: all datasets-if-possible ## compare with Table 1 over fifty runs (results/verdict)
	LACP=$(BUILD)/lacp scripts/studies.sh verdict

.PHONY: frontier
frontier: all ## which intervals to use: eight methods, 16 data sets (1.3 hours of one core, or more: scripts/studies.sh; results/frontier, uacqr, foundation and ibug)
	LACP=$(BUILD)/lacp scripts/studies.sh frontier

# The pdf is not kept in the repository: versions of TeX and cairo write different bytes. A missing reference, of which TeX only warns, is an error here.
# Its dates are that of the commit.
ARTICLE := $(BUILD)/article
article: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
article: export FORCE_SOURCE_DATE = 1
PDFLATEX := TEXINPUTS=$(ARTICLE): pdflatex -halt-on-error -interaction=batchmode -output-directory=$(ARTICLE) experiments/article/article.tex
.PHONY: article
article: setup-article all ## the replication as an article, every number from the results (results/article.pdf; article.bib, metadata.yaml)
	$(BUILD)/lacp report results --article experiments/article/article.tex --quiet
	@mkdir -p $(ARTICLE)
	for figure in paper/figures/figure1 full/figures/sizes frontier/figures/ranks; do \
	  rsvg-convert --format pdf --output $(ARTICLE)/$${figure##*/}.pdf results/$$figure.svg || exit 1; done
	$(PDFLATEX) || { tail -n 20 $(ARTICLE)/article.log; exit 1; }
	cat experiments/article/article.bib results/article_data.bib > results/article.bib
	BIBINPUTS=results: bibtex -terse $(ARTICLE)/article
	$(PDFLATEX) && $(PDFLATEX)
	@! grep 'There were undefined' $(ARTICLE)/article.log
	cp $(ARTICLE)/article.pdf results/
	cat experiments/article/metadata.yaml $(ARTICLE)/abstract.yaml > results/metadata.yaml

.PHONY: datasets
datasets: all ## fetch the data sets that are missing
	$(BUILD)/lacp datasets fetch

# Without a network the experiments run on the data sets that are here and say what was left out.
.PHONY: datasets-if-possible
datasets-if-possible: all
	-$(BUILD)/lacp datasets fetch --for experiments/paper.yaml --for experiments/full.yaml

.PHONY: bench
bench: all ## measure the speed of the parts that matter (BENCH='training load': those alone)
	cmake --build $(BUILD) --target lacp_bench
	$(BUILD)/lacp_bench $(BENCH)

# Debian's Python modules belong to Debian's own Python, whatever else is on the PATH.
PYTHON ?= $(if $(wildcard /etc/debian_version),/usr/bin/python3,python3)
.PHONY: bench-peers
bench-peers: setup-peers all ## the same beside PyTorch and scikit-learn, and its intervals; writes results/bench.md and results/frontier/peers.csv
	-$(BUILD)/lacp datasets fetch --for experiments/frontier.yaml
	cmake --build $(BUILD) --target lacp_bench
	$(PYTHON) scripts/bench_peers.py $(BUILD)/lacp_bench --output results/bench.md
	$(PYTHON) scripts/peer_intervals.py $(BUILD)/lacp

PACKAGES ?=
.PHONY: bench-intervals
bench-intervals: setup-peers all ## intervals of crepes, MAPIE, ranger and others, if installed or in PACKAGES=checkout:checkout, beside lacp; writes results/frontier/peers_packages.csv and packages.md
	-$(BUILD)/lacp datasets fetch --for experiments/frontier.yaml
	PYTHONPATH=$(PACKAGES) $(PYTHON) scripts/package_intervals.py $(BUILD)/lacp

.PHONY: package
package: setup-package all ## Debian packages of program, library and Python module, for this release of Debian (build/packages)
	cmake --build $(BUILD) --target lacp_table
	rm -rf $(BUILD)/packages
	SOURCE_DATE_EPOCH=$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md) cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)/packages
	rm -rf $(BUILD)/packages/_CPack_Packages

.PHONY: static
static: setup-static ## the program as one file for any Linux of this architecture, as a tar.xz with all it ships, and as a wheel for Python (build/dist)
	cmake --preset static
	cmake --build build-static --target lacp
	scripts/package/dist.sh build-static build/dist

.PHONY: wheel
wheel: static ## the same: the wheel, and the source archive that pip builds it from, are among it

# ARCHIVE_WITH= leaves out what takes long to make. Files that differ from the commit would be in the article and the program, and not in the sources.
ARCHIVE_WITH ?= article static
.PHONY: archive
archive: $(ARCHIVE_WITH) ## one file to deposit: sources and results of this commit, article, wheel, static program, checksums (build/archive)
	@git diff --quiet HEAD || { echo "make archive: commit first: tracked files differ from the commit" && exit 1; }
	rm -rf $(BUILD)/archive
	scripts/package/archive.sh $(BUILD)/archive \
	  $(if $(filter article,$(ARCHIVE_WITH)),results/article.pdf) $(if $(filter static,$(ARCHIVE_WITH)),build/dist/*)

.PHONY: version
version: ## write the version that CMakeLists.txt says into the files that cite it
	scripts/package/version.sh

.PHONY: clean
clean: ## remove everything that was built (data sets and packages stay)
	rm -rf build build-static build-debug build-asan build-tsan build-fuzz build-coverage

.PHONY: setup setup-tests setup-all setup-article setup-peers setup-fuzz setup-coverage setup-package setup-static
setup: ## install the packages that the build needs
	@scripts/setup.sh
setup-tests:
	@scripts/setup.sh --tests
setup-all:
	@scripts/setup.sh --all
setup-article:
	@scripts/setup.sh --article
setup-peers:
	@scripts/setup.sh --peers
setup-fuzz:
	@scripts/setup.sh --fuzz
setup-coverage: setup-tests
	@scripts/setup.sh --coverage

setup-package:
	@scripts/setup.sh --package
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
