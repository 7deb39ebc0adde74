// Package protocol is the benchmark's procedure as pure functions: which
// conditions there are, what each step of a chain asks and how its answer is
// read, in which order choices and records are shown. A Step is the
// definition of one plan node; evaluating it touches no file, clock or
// network. Start at Step.
package protocol

// Phases of a run (docs/protocol.md, "Phases, conditions, calls").
const (
	PhaseOracle  = "oracle"
	PhaseLearned = "learned"
	PhaseRaw     = "raw"
)

// Conditions: what memory the agent sees when it decides.
const (
	NoMemory        = "no_memory"
	OracleClean     = "oracle_clean"
	OraclePoisoned  = "oracle_poisoned"
	LearnedClean    = "learned_clean"
	LearnedPoisoned = "learned_poisoned"
	LearnedFull     = "learned_full"  // P4: the whole pool
	LearnedOrder    = "learned_order" // P5: the k-th seeded permutation
	RawClean        = "raw_clean"
	RawPoisoned     = "raw_poisoned"
)

// Updaters of P5, and BatchReplay as the one call of P2–P4.
const (
	IncrementalMerge = "incremental_merge"
	FullRewrite      = "full_rewrite"
	RecencyStrict    = "recency_weighted_strict"
	BatchReplay      = "batch_replay"
)

// Updaters lists the four in the order of the documentation.
func Updaters() []string {
	return []string{IncrementalMerge, FullRewrite, RecencyStrict, BatchReplay}
}

// Choice orders.
const (
	ChoicesFrozen   = "frozen"
	ChoicesShuffled = "shuffled"
)

// P1 writes: the text is the memory, or goes through one batch call.
const (
	WriteDirect       = "direct"
	WriteConsolidated = "consolidated"
)
