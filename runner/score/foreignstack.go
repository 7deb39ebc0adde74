package score

import "slices"

// Stacks lists the stacks that the results name, sorted; none where they do
// not say.
func (f *Foreign) Stacks() []string {
	var list []string
	for _, item := range f.found {
		if item.stack != "" && !slices.Contains(list, item.stack) {
			list = append(list, item.stack)
		}
	}
	slices.Sort(list)
	return list
}
