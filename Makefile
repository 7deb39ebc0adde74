# The tasks of this repository. `make` alone builds; `make check` is what CI asks.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

BIN        := bin/memform
EXPERIMENT := experiments/quickstart.hcl
LINT       := go tool -modfile=tools/go.mod golangci-lint
FUZZTIME   ?= 10s
BENCH      ?= .
BENCHTIME  ?= 1s

.PHONY: build run test race lint fmt fmt-check bench fuzz chaos real cases cases-check croissant tidy-check golden check clean

build: ## the program, at bin/memform
	go build -trimpath -o $(BIN) .

run: build ## the main job: plan, run and score the quickstart; offline, simulated model
	$(BIN) plan $(EXPERIMENT)
	$(BIN) run $(EXPERIMENT)

test: ## every test
	go test ./...

race: ## every test under the race detector
	go test -race ./...

lint: ## go vet and golangci-lint (built from tools/go.mod on the first use)
	go vet ./...
	$(LINT) run ./...

fmt: ## format the Go code
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')

fmt-check:
	@bad=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$bad" ]; then echo "not gofmt-ed (make fmt mends it):"; echo "$$bad"; exit 1; fi

bench: ## every benchmark; BENCH=regexp and BENCHTIME=5s narrow and lengthen it
	go test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

fuzz: ## each fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' runner | sort | while read -r file; do \
	  for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/p' $$file); do \
	    echo "== $$target ($$(dirname $$file))"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$file); \
	  done; \
	done

chaos: ## 20,000 calls, three processes, ten kills, three attempts in ten failing; minutes
	go test ./runner/cli -run '^TestChaos$$' -count=1 -timeout 40m -v -args -chaos

real: ## the whole path on llama.cpp and a tiny model; the first time builds the server, 8 minutes
	scripts/real.sh

cases: build ## rebuild the frozen cases from families/
	$(BIN) cases build

cases-check: build ## the frozen cases are what families/ gives, byte for byte
	@new=$$(mktemp -d); trap 'rm -rf "$$new"' EXIT; \
	$(BIN) cases build --output-dir "$$new"; \
	diff -r "$$new" outputs && echo "outputs/: identical bytes" || { \
	  echo "outputs/ is not what families/ gives: make cases, look at the diff, commit both"; exit 1; }

croissant: ## outputs/croissant.json against the format's own validator (Python, package index)
	scripts/croissant.sh

golden: ## rewrite golden files and the generated reference; review the diff
	@for pkg in $$(grep -rlE 'flag\.Bool\("update"' --include='*_test.go' runner | xargs -rn1 dirname | sort -u); do \
	  go test ./$$pkg -update; \
	done

tidy-check:
	go mod tidy -diff
	go mod verify

check: fmt-check tidy-check lint test race cases-check ## everything a change must pass
	@echo "check: all good"

clean: ## what a build and runs leave behind; the cache stays, it was paid for
	rm -rf bin results
