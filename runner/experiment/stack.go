package experiment

import "fmt"

// Stack is a stack that a run may name, beside native.
type Stack struct {
	Name   string
	Memory bool // a memory system: it has one updater of its own
}

// nativeStack is the client and the prompts of memform itself.
const nativeStack = "native"

// shippedStacks are those that come with the program.
var shippedStacks = []Stack{
	{"langchain", false}, {"llamaindex", false}, {"langmem", true}, {"llamaindex-facts", true}, {"example", false}, {"example-notes", true},
}

func stackNames(stacks []Stack) []string {
	names := []string{nativeStack}
	for _, s := range stacks {
		names = append(names, s.Name)
	}
	return names
}

// ownUpdater is the one updater of a memory system.
const ownUpdater = "own"

// allowed are the names that an attribute may have: stacks are known by what
// the caller found.
func (l *loader) allowed(row *attribute) []string {
	if row.name == "stack" && l.opt.Stacks != nil {
		return stackNames(l.opt.Stacks)
	}
	return row.allowed
}

// stack puts a memory system's own updater in place.
func (l *loader) stack(v *values, r *Run) {
	known := l.opt.Stacks
	if known == nil {
		known = shippedStacks
	}
	for _, s := range known {
		r.Memory = r.Memory || s.Name == r.Stack && s.Memory
	}
	if !r.Memory {
		return
	}
	if v.has("p5_updaters") {
		l.fail(v.place("p5_updaters"), fmt.Sprintf("stack %q has an updater of its own", r.Stack),
			"A memory system consolidates in its own way. Remove p5_updaters, or give native or a carrier a run of its own.")
	}
	r.P5Updaters = []string{ownUpdater}
}
