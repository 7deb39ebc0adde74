package score

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// complete refuses a file that lacks what a join needs.
func (r *foreignReader) complete() error {
	var lacks []string
	need := func(ok bool, what string, names []string) {
		if !ok {
			lacks = append(lacks, fmt.Sprintf("%s (%s)", what, strings.Join(names, ", ")))
		}
	}
	has := func(condition string) bool {
		return slices.ContainsFunc(r.found, func(f *found) bool {
			return f.row != nil && f.row.Predictions[condition] != nil || f.answers[condition] != nil
		})
	}
	if r.own == 0 {
		for _, s := range synonyms {
			switch s.role {
			case roleCase:
				need(r.roles[roleCase] || r.roles[roleDigest], "case", s.names)
			case roleTask:
				need(r.roles[roleTask] || r.roles[roleProbe], "task", s.names)
			case roleModel:
				need(r.roles[roleModel], "model", s.names)
			}
		}
	}
	for _, c := range conditionNames[:2] {
		need(has(c.condition), "undefended answer of "+c.condition, c.names)
	}
	if len(lacks) == 0 {
		return r.consistent()
	}
	if r.own > 0 {
		return fmt.Errorf("%s holds no %s", r.name, strings.Join(lacks, "; no "))
	}
	return fmt.Errorf("%s cannot be read as undefended results: there is no %s. Its fields are: %s", r.name, strings.Join(lacks, "; no "), r.list())
}

// consistent refuses a file that says two things of one item.
func (r *foreignReader) consistent() error {
	errs := r.conflicts
	switch {
	case len(errs) == 0:
		return r.countsFromZero()
	case len(errs) > maxMistakes:
		errs = errs[:maxMistakes]
	}
	if !r.roles[roleUpdater] {
		errs = append(errs, fmt.Errorf("%s: no line says under which updater; its fields are: %s", r.name, r.list()))
	}
	return errors.Join(errs...)
}

// countsFromZero refuses indexes of tasks that no case's first task has.
func (r *foreignReader) countsFromZero() error {
	indexes := false
	for _, f := range r.found {
		n, err := strconv.Atoi(f.task)
		if err == nil && n == 0 {
			return nil
		}
		indexes = indexes || err == nil
	}
	if !indexes {
		return nil
	}
	return fmt.Errorf("%s: no line is about task 0: tasks are counted from 0", r.name)
}

// list names the fields of the file.
func (f *Foreign) list() string {
	const most = 60
	names := f.fields
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
