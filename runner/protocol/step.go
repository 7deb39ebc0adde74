package protocol

import (
	"memform/runner/llm"
	"memform/runner/prompts"
)

// Kind groups nodes in plans and tables.
type Kind string

// The kinds of this version.
const (
	KindConsolidate Kind = "consolidate"
	KindDecide      Kind = "decide"
	KindParse       Kind = "parse" // which course a free-form answer recommends
	KindJudge       Kind = "judge" // the same, asked in both orders
	KindAlign       Kind = "align" // which course a memory recommends
)

// Step is the pure definition of a node. A node makes no call or one: Ask
// says which, Read turns the answer into the node's value.
type Step interface {
	// Kind is what the node is counted as.
	Kind() Kind
	// AppendSpec appends an unambiguous form of the step's parameters: all
	// that decides what Ask and Read do beside the inputs.
	AppendSpec(b []byte) []byte
	// Ask evaluates the step on its inputs, none of them missing. With
	// call true the prompt is to be sent; else v is the node's value.
	Ask(in []Value) (p prompts.Prompt, v Value, call bool)
	// Read is the node's value once its call was answered. r is never an
	// error: the evaluator turns those into missing values.
	Read(in []Value, r *llm.Response) Value
	// Texts calls yield for every text of the prompt that is known before
	// the inputs are; the planner counts their tokens.
	Texts(yield func(string))
	// Frame names the fixed text around those, for one count per frame.
	Frame() Frame
}

// Ref names a value that a step takes: at least 0 the node whose value it is,
// below 0 a value that is known before anything is sent.
type Ref int32

// Constant reports whether the value is known before anything is sent.
func (r Ref) Constant() bool { return r < 0 }

// Add adds a step to a plan and names its value. Equal work is added once.
type Add func(step Step, inputs ...Ref) Ref

// Folder is implemented by steps whose value may be known without a call
// once their inputs are.
type Folder interface {
	Fold(in []Value) (Value, bool)
}

// Conditional is implemented by steps that any outcome could make needless.
type Conditional interface{ Conditional() bool }

// Silent is implemented by steps that never call: code between calls. They
// are no nodes in tables.
type Silent interface{ Silent() bool }

// Quoting is implemented by steps whose prompt may hold other than one
// earlier answer: Answers is the most it may hold, each as long as its model
// may answer.
type Quoting interface{ Answers() int }

// Frame identifies the fixed part of a step's prompts: the template set, the
// step's kind and the updater whose rule it states.
type Frame struct {
	Prompts *prompts.Set
	Kind    Kind
	Updater string
	Batch   bool
	Open    bool // a decision without choices

	Question string // name of a prompts.Question, where the step asks one
}

// Failed is the value of a step whose prompt cannot be rendered.
func Failed(err error) Value {
	return Value{Missing: &Missing{Node: -1, Failure: llm.Failure{Class: llm.ClassNode, Code: "prompt", Message: err.Error()}}}
}

// Blank is the frame's prompt around empty texts and the given memory.
func (f Frame) Blank(memory prompts.Memory) (prompts.Prompt, error) {
	switch {
	case f.Question != "":
		return f.Prompts.Blank(f.Question)
	case f.Open:
		return f.Prompts.Recommend(memory, "")
	case f.Kind == KindDecide:
		return f.Prompts.Decide(memory, prompts.Task{})
	case f.Batch:
		return f.Prompts.Batch(f.Updater, nil)
	}
	return f.Prompts.Step(f.Updater, memory, prompts.Record{}, 0)
}
