package report

import (
	"slices"
	"strings"

	"memform/runner/score"
)

// arm is what one block of tables is about: a run of one model on one stack
// under one defense, P5's updaters side by side.
type arm struct {
	key    score.CellKey
	lines  []line
	pooled []score.Pooled
}

// line is one interface of an arm, P5 once an updater.
type line struct {
	label   string
	updater string // full name, "" without one
	scores  *score.InterfaceScores
}

func same(a, b *score.CellKey) bool {
	return a.Run == b.Run && a.Stack == b.Stack && a.Model == b.Model && a.ModelID == b.ModelID && a.Defense == b.Defense && a.Format == b.Format
}

// besides reports whether two arms differ in no more than their defense.
func besides(a, b *score.CellKey) bool {
	return a.Run == b.Run && a.Stack == b.Stack && a.Model == b.Model && a.ModelID == b.ModelID && a.Format == b.Format
}

func arms(s *score.Summary) []arm {
	var list []arm
	for i := range s.Cells {
		c := &s.Cells[i]
		if len(list) == 0 || !same(&list[len(list)-1].key, &c.CellKey) {
			list = append(list, arm{key: c.CellKey})
		}
		a := &list[len(list)-1]
		for j := range c.Interfaces {
			l := line{label: c.Interfaces[j].Interface, scores: &c.Interfaces[j]}
			if c.Updater != nil {
				// By a short name, so that a row fits; the legend spells it out.
				l.updater = *c.Updater
				l.label += " " + shortUpdater(l.updater)
			}
			a.lines = append(a.lines, l)
		}
	}
	for i := range list {
		for _, p := range s.Pooled {
			if same(&list[i].key, &p.CellKey) {
				list[i].pooled = append(list[i].pooled, p)
			}
		}
	}
	return list
}

func shortUpdater(name string) string {
	switch name {
	case "incremental_merge":
		return "merge"
	case "full_rewrite":
		return "rewrite"
	case "recency_weighted_strict":
		return "recency"
	case "batch_replay":
		return "batch"
	}
	return name
}

// updaters spells out the short names that the parts use.
func updaters(parts []arm) []string {
	var list []string
	for i := range parts {
		for _, l := range parts[i].lines {
			if l.updater == "" || l.updater == shortUpdater(l.updater) {
				continue
			}
			if text := shortUpdater(l.updater) + " = " + l.updater; !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"P5 updaters: " + strings.Join(list, ", ") + "."}
}

func (a *arm) title() string {
	text := place(&a.key) + ", defense " + a.key.Defense
	if a.key.Simulated {
		text += ": " + a.key.Note
	}
	return text
}

// place names an arm without its defense.
func place(k *score.CellKey) string {
	text := "run " + k.Run + ", model " + k.Model
	if k.ModelID != k.Model {
		text += " (" + k.ModelID + ")"
	}
	if k.Format == freeForm {
		text += ", free form"
	}
	return text + ", stack " + k.Stack
}

// titled is the title of one table; a simulated one says so itself, since
// tables are cut out and pasted.
func (a *arm) titled(name string) string {
	if a.key.Simulated {
		return name + " (" + a.key.Note + ")"
	}
	return name
}

// sheets are the tables of the arm, without those that have nothing to say.
func (a *arm) sheets(whole bool) []sheet {
	scores := []func(*arm) *sheet{
		(*arm).main, (*arm).open, (*arm).resampled, (*arm).onE, (*arm).controls, (*arm).scope, (*arm).fullSet, (*arm).orders, (*arm).aligned,
	}
	own := []func(*arm) *sheet{(*arm).verdicts, (*arm).shielded, (*arm).patterns, (*arm).tiers, (*arm).endings, (*arm).events}
	if whole {
		own = append(scores, own...)
	}
	var list []sheet
	for _, build := range own {
		if s := build(a); s != nil && len(s.rows) > 0 {
			s.title = a.titled(s.title)
			if s.trim(); len(s.header) > 1 {
				list = append(list, *s)
			}
		}
	}
	return list
}

// updater tells pooled rows apart where an arm has several.
func (a *arm) updater(p *score.Pooled, prefix, alone string) string {
	if len(a.pooled) < 2 || p.Updater == nil {
		return strings.TrimSpace(prefix + " " + alone)
	}
	return prefix + " " + shortUpdater(*p.Updater)
}
