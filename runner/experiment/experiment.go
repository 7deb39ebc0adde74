// Package experiment is the experiment language: it reads HCL files with
// positions, checks them whole and yields a resolved Experiment, or every
// mistake at once. It expands nothing, opens no case file and touches no
// network; the environment comes in as a function. Start at Load.
package experiment

import "time"

// Experiment is a whole load: one experiment block and everything declared
// beside it, resolved. Order is the order of declaration.
type Experiment struct {
	Name        string
	Description string
	Seed        int64

	Endpoints []*Endpoint
	Models    []*Model
	Cases     []*Cases
	Defenses  []*Defense
	Runs      []*Run

	Comparisons []*Comparison

	Variables map[string]string // name → canonical JSON of the value in force
	Files     []File            // every file read, in reading order
}

// File is a source file and the digest of its bytes (hex SHA-256).
type File struct{ Path, Digest string }

// Position is where something was declared.
type Position struct {
	File         string
	Line, Column int
}

// Endpoint is a server that speaks Chat Completions. Limits of 0 mean none.
type Endpoint struct {
	Name              string
	BaseURL           string // normalised: no trailing slash, no query, no userinfo
	Kind              string // "openai" (default) or "azure"
	APIVersion        string // of an Azure endpoint
	Identity          string // what the cache key holds: as declared, else the base URL; then Azure's API version, then with KeyHeaders the headers as JSON
	IdentityIsURL     bool
	APIKeyEnv         string // name of the variable, "" = no key
	RequestsPerMinute int
	TokensPerMinute   int
	RequestsPerDay    int
	MaxInFlight       int // default 64
	Timeout           time.Duration
	Headers           map[string]string // sent; keyed only with KeyHeaders
	KeyHeaders        bool
	Pos               Position
}

// Model is one model block. Pointers are nil where the attribute is unset: an
// unset parameter is absent from the request.
type Model struct {
	Name              string
	Endpoint          *Endpoint  // nil for a simulated model
	Simulated         *Simulated // nil for a real one
	ID                string     // as sent; "simulated" for a simulated model
	Temperature       *Number
	TopP              *Number
	MaxTokens         *int
	MaxTokensField    string // "max_tokens" (default) or "max_completion_tokens"
	Seed              *int64
	ReasoningEffort   *string
	Stop              []string
	ExtraBody         []byte // canonical JSON object, nil if unset
	Price             *Price // nil = unknown; zero for a simulated model unless declared
	RequestsPerMinute int    // the model's own limits beside its endpoint's; 0 = none
	TokensPerMinute   int
	Pos               Position
}

// Number is a JSON number in its shortest exact form: 0.7 stays 0.7.
type Number string

// Price is in USD per million tokens. CachedInput is Input unless declared.
type Price struct{ Input, Output, CachedInput float64 }

// Simulated holds the parameters of the embedded model, each in [0, 1].
type Simulated struct {
	Competence     float64 // knows y_c unaided
	Susceptibility float64 // follows what the memory recommends
	Detection      float64 // guards: share of forged records found
	FalseAlarm     float64 // guards: share of authentic records accused
}

// Cases names a file of cases and what of it is used.
type Cases struct {
	Name       string
	Path       string   // as resolved from the declaring file
	Interfaces []string // in P1…P5 order; all five unless declared
	Families   int      // size of the seeded sample of whole families; 0 = all
	Half       string   // of the families to sample from: development or test; "" = both
	Pos        Position
}

// Defense is a guard under test. Its Name is the defense column of results.
type Defense struct {
	Name   string
	Method string // keyword_filter, llm_judge, memory_sanitization, a_memguard or task_shield
	Model  *Model // that the guard asks; nil for keyword_filter
	// KeepFrom and RejectBelow are memory_sanitization's thresholds of trust:
	// at least KeepFrom is kept, below RejectBelow rejected, between sanitized.
	KeepFrom, RejectBelow float64
	Epsilon               float64 // task_shield: a directive passes above this sum
	Pos                   Position
}

// Comparison declares a family of paired comparisons, corrected together
// after Holm.
type Comparison struct {
	Name     string
	Metric   string // asr or acc
	Baseline string // value of what varies that the others are compared with
	Over     string // defense, model, updater or stack
	Pos      Position
}

// FreeForm says which models read free-form answers that no canonical phrase
// matches; nil is none.
type FreeForm struct{ Parser, Judge *Model }

// Run crosses models with cases under one set of conditions.
type Run struct {
	Name                string
	Models              []*Model
	Cases               []*Cases
	Phases              []string // oracle, learned, raw; "all" is resolved
	P5Updaters          []string // in declared order, default incremental_merge
	P5RandomOrders      int
	Replicates          int               // default 1
	ReplicateConditions []string          // default learned_clean
	ChoiceOrder         string            // frozen | shuffled
	P1Write             string            // direct | consolidated
	Prompts             map[string]string // prompt name → path of the replacing template
	MaxCost             *float64          // USD
	Stack               string            // native, or the name of another
	Memory              bool              // the stack is a memory system
	Defenses            []*Defense        // beside none, which is always included
	DefensesPos         Position          // of the attribute's value; zero without defenses
	DefenseConditions   []string          // beside learned_clean and learned_poisoned
	Undefended          string            // path of another run's case_results.jsonl, "" = this run's own
	FreeForm            FreeForm
	TargetAlignment     *Model // judges what memories recommend; nil = not asked
	Pos                 Position
}
