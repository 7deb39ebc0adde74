// Package plan expands an experiment into a static graph of nodes, each of
// which makes at most one call, and prices it. The plan is data: executing it
// adds no decisions, and planning and running evaluate nodes with the same
// pure functions. It opens no file and sends nothing; cached answers come in
// through a function. Start at Build, then Walk.
package plan

import (
	"encoding/hex"
	"iter"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/protocol"
)

// Plan is everything an experiment will do, in an order in which every node
// stands after its inputs.
type Plan struct {
	Experiment *experiment.Experiment
	Sets       []*CaseSet // in order of declaration
	Models     []*Model
	Stacks     []*Stack // that some run uses; the first is native
	Nodes      []Node
	Constants  []protocol.Value
	Cells      []Cell
	Items      []Item
	Slots      []SlotCount
	Families   []FamilyCount
	Root       ID // over all nodes and items
	Digests    Digests

	inputs []Ref // arena of all nodes' inputs
}

// ID is a node's plan id: the first 16 bytes of the SHA-256 over its kind,
// parameters, model, draw and, per input, the value's digest where it is
// known, else the input's id. Equal work has equal ids.
type ID [16]byte

// String is the id in lower-case hex.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Ref is an input: a node where it is at least 0, else the constant at ^ref.
type Ref = protocol.Ref

// Node makes no call or one. Its inputs stand before it.
type Node struct {
	ID          ID
	Step        protocol.Step
	Model       int32 // index into Plan.Models
	Run         int32 // index into Experiment.Runs of the run that pays: the first that needs the node
	first       int32 // inputs: Plan.inputs[first : first+count]
	count       uint16
	Draw        uint16
	Height      uint16 // calls on the longest chain that starts here, this one included
	Stack       uint8  // index into Plan.Stacks
	Conditional bool   // may turn out to need no call
	Silent      bool   // never calls: code between calls, counted as no node in tables
}

// Inputs are the node's inputs in order.
func (p *Plan) Inputs(i int) []Ref {
	n := &p.Nodes[i]
	return p.inputs[n.first : n.first+int32(n.count)]
}

// CaseSet is a cases block with its loaded file.
type CaseSet struct {
	Spec     *experiment.Cases
	Set      *cases.Set
	Selected []*cases.Case // sampled families, selected interfaces, in file order
}

// Cell is one row of settings: everything that is not the case, the task or
// the condition. Updater is "" except for P5.
type Cell struct {
	Run     int // index into Experiment.Runs
	Stack   string
	Model   int // index into Plan.Models
	Defense string
	Updater string
}

// Item is a cell × case × task: a row of the results.
type Item struct {
	Cell        int
	Set         int // index into Plan.Sets
	Case        *cases.Case
	Task        int
	Shown       *protocol.ShownTask
	Predictions []Prediction
	Alignments  []Alignment // undefended and judged only
	Screens     []Screened  // of a write-time defense, by condition
}

// Results are the nodes whose values stand in the item's row: those of its
// predictions, then those of its alignments.
func (item *Item) Results() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, p := range item.Predictions {
			if !yield(p.Node) {
				return
			}
		}
		for _, a := range item.Alignments {
			if !yield(a.Node) {
				return
			}
		}
	}
}

// Alignment is the judgement of what the memory behind a condition recommends
// for the item's task.
type Alignment struct {
	Condition string
	Node      int32
}

// Screened is what a write-time defense made of the records behind a
// condition: known where no call is needed (Node is then -1), else what Node comes to.
type Screened struct {
	Condition string
	Index     int // k of an order, else 0
	Known     *protocol.Screen
	Node      int32
}

// Prediction is one condition of an item and the node that decides it.
type Prediction struct {
	Condition string // protocol condition name
	Index     int    // k of an order, draw of a replicate, else 0
	Replicate bool   // a further draw of Condition
	Node      int32
}

// SlotCount counts calls if every prediction ran alone, per model and kind.
type SlotCount struct {
	Model int
	Kind  protocol.Kind
	Slots int
}

// FamilyCount says how many families a cases block samples and how many of
// those have a case at a selected interface.
type FamilyCount struct {
	Cases   string `json:"cases"`
	InFile  int    `json:"in_file"`
	Sampled int    `json:"sampled"`
	Within  int    `json:"within"`
}

// Digests name what a plan was made from, in the order in which staleness is
// reported: the first that differs is named.
type Digests struct {
	Variables  string `json:"variables"`
	Values     string `json:"values"`
	Identities string `json:"identities"`
	Prompts    string `json:"prompts"`
	Cases      string `json:"cases"`
}
