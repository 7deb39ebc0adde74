package cases

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Diff is how the cases of two files differ, by case id. The ids of Added
// stand in the order of the second file, all others in that of the first.
type Diff struct {
	Added, Removed []string
	Changed        []Change // the digest differs: the case asks or shows something else
	Relabelled     []Change // the digest is the same; ids, labels or metadata differ
	Same           int      // nothing differs
}

// Change is one case that stands in both files, and the fields that differ.
type Change struct {
	ID     string
	Fields []string // paths, as trigger_tasks[0].choices.A; sorted
}

// Compare finds what differs from set a to set b. Both must be loaded with
// Options.KeepRaw; lines that are equal byte for byte are not looked into.
func Compare(a, b *Set) Diff {
	var d Diff
	first, second := byID(a), byID(b)
	for _, c := range a.Cases {
		other := second[c.ID]
		switch {
		case other == nil:
			d.Removed = append(d.Removed, c.ID)
		case bytes.Equal(c.Raw, other.Raw):
			d.Same++
		default:
			d.pair(c, other)
		}
	}
	for _, c := range b.Cases {
		if first[c.ID] == nil {
			d.Added = append(d.Added, c.ID)
		}
	}
	return d
}

func (d *Diff) pair(a, b *Case) {
	change := Change{ID: a.ID, Fields: differing(a.Raw, b.Raw)}
	switch {
	case a.Digest != b.Digest:
		d.Changed = append(d.Changed, change)
	case len(change.Fields) > 0:
		d.Relabelled = append(d.Relabelled, change)
	default:
		d.Same++ // spacing, or the order of members
	}
}

func byID(s *Set) map[string]*Case {
	out := make(map[string]*Case, len(s.Cases))
	for _, c := range s.Cases {
		out[c.ID] = c
	}
	return out
}

// differing lists the paths at which two JSON objects differ.
func differing(a, b []byte) []string {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return []string{"(line)"} // never: both were loaded
	}
	var out []string
	walk("", x, y, &out)
	slices.Sort(out)
	return out
}

// walk descends while both sides have the shape in common; lists of other
// lengths differ as a whole.
func walk(path string, a, b any, out *[]string) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			names := map[string]bool{}
			for _, m := range [...]map[string]any{x, y} {
				for name := range m {
					names[name] = true
				}
			}
			for _, name := range slices.Sorted(maps.Keys(names)) {
				walk(below(path, name), x[name], y[name], out)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				walk(path+"["+strconv.Itoa(i)+"]", x[i], y[i], out)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*out = append(*out, path)
	}
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
