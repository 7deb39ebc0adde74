package experiment

// The names an experiment file may use. Each list is in the order in which
// docs/reference.md shows it and in which resolved values are sorted.
var (
	interfaceNames = []string{"P1", "P2", "P3", "P4", "P5"}
	halfNames      = []string{"development", "test"}
	phaseNames     = []string{"oracle", "learned", "raw", "all"}
	updaterNames   = []string{"incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"}

	choiceOrderNames    = []string{"frozen", "shuffled"}
	p1WriteNames        = []string{"direct", "consolidated"}
	tokenFieldNames     = []string{"max_tokens", "max_completion_tokens"}
	replicableNames     = []string{"learned_clean", "learned_poisoned", "learned_full"}
	defenseNames        = []string{"keyword_filter", "llm_judge", "memory_sanitization", "a_memguard", "task_shield", "all"}
	defendableNames     = []string{"learned_full", "learned_order", "raw_clean", "raw_poisoned"}
	endpointKindNames   = []string{"openai", "azure"}
	metricNames         = []string{"asr", "acc"}
	comparisonOverNames = []string{"defense", "model", "updater", "stack"}
)

// noDefense is what cells without a defense are called; no defense may be.
const noDefense = "none"

// allMethods is what the method "all" stands for.
var allMethods = defenseNames[:len(defenseNames)-1]

// methodAttributes are the attributes of a defense that only some methods
// use, and which those are.
var methodAttributes = []struct {
	name    string
	methods []string
}{
	{"model", []string{"llm_judge", "memory_sanitization", "a_memguard", "task_shield", "all"}},
	{"keep_from", []string{"memory_sanitization", "all"}},
	{"reject_below", []string{"memory_sanitization", "all"}},
	{"epsilon", []string{"task_shield", "all"}},
}

// allPhases is what the phase "all" stands for.
var allPhases = []string{"oracle", "learned"}

// reservedBody are request fields that memform itself owns: extra_body may
// never hold them.
var reservedBody = []string{"messages", "model", "n", "stream", "stream_options"}

// ownedBody are request fields with an attribute of their own that memform
// must see: extra_body may not hold them, the attribute does.
var ownedBody = map[string]string{
	"max_tokens":            "max_tokens",
	"max_completion_tokens": "max_tokens with max_tokens_field",
	"seed":                  "seed",
}

// twiceBody are request fields that extra_body may hold only while the
// attribute of the same name is unset.
var twiceBody = []string{"temperature", "top_p", "reasoning_effort", "stop"}
