package stack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// check says what is wrong with a hello, "" for nothing.
func (h *Hello) check(cfg *Config) string {
	switch {
	case h.Protocol != Protocol:
		return fmt.Sprintf("its adapter speaks protocol %d, this memform speaks %d: bring both up to date", h.Protocol, Protocol)
	case h.Stack.Name != cfg.Stack:
		return fmt.Sprintf("its adapter says it is %q", h.Stack.Name)
	case h.MaxOps < 1 || h.MaxOps > mostOps:
		return fmt.Sprintf("its adapter gives max_ops %d; 1 to %d can be used", h.MaxOps, mostOps)
	case !h.can("complete") && !h.can("form"):
		return "its adapter offers neither complete nor form"
	}
	return h.strangers(cfg.Packages)
}

// mostOps bounds the operations that an adapter may want at once.
const mostOps = 4096

func (h *Hello) can(what string) bool { return slices.Contains(h.Capabilities, what) }

// strangers names the packages that are not those of the lock.
func (h *Hello) strangers(lock map[string]string) string {
	if lock == nil {
		return ""
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(h.Packages)) {
		got := h.Packages[name]
		switch locked, ok := lock[packageName(name)]; {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s %s is not in the lock", name, got))
		case locked != got:
			wrong = append(wrong, fmt.Sprintf("%s is %s, the lock says %s", name, got, locked))
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return "what is installed is not what its lock says (" + strings.Join(wrong, "; ") + "): install it again"
}
