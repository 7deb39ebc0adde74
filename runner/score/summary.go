package score

import (
	"cmp"
	"slices"
	"strings"

	"memform/runner/cases"
	"memform/runner/stats"
)

// SummarySchema names the form of summary.json.
const SummarySchema = "memform/summary/1"

// The two sentences that no number may travel without.
const (
	Independent = "an independent implementation with its own data"
	NotAFinding = "simulated, not a finding"
)

// Info is what a Summary says beside its rates.
type Info struct {
	Experiment string
	DataSets   []DataSet // in declared order
	Simulated  []string  // labels of the simulated models
	Notes      []string

	Seed        int64        // of the experiment; resamples and sampled signs depend on it
	Comparisons []Comparison // declared ones
}

// DataSet names the cases behind the numbers.
type DataSet struct {
	Name           string `json:"name"`
	Digest         string `json:"digest"`  // hex SHA-256 of the file
	Version        string `json:"version"` // "" where the cases state none
	Cases          int    `json:"cases"`   // cases used
	AuthorLabelled bool   `json:"author_labelled"`
	Half           string `json:"half,omitempty"` // of its families, where the cases are of one: development or test
}

// Summary is summary.json: a function of rows and Info alone, without clock
// or cost, the same bytes for the same results.
type Summary struct {
	Schema     string    `json:"schema"`
	Experiment string    `json:"experiment"`
	Statement  string    `json:"statement"`
	DataSets   []DataSet `json:"data_sets"`
	Simulated  bool      `json:"simulated"` // some cell is simulated
	Confidence float64   `json:"confidence"`
	Notes      []string  `json:"notes"`
	Cells      []Cell    `json:"cells"`
	Pooled     []Pooled  `json:"pooled"`

	Defenses       []DefenseTable   `json:"defenses"` // of runs that have any
	PooledDefenses []PooledDefenses `json:"pooled_defenses"`

	Comparisons []Compared `json:"comparisons"`
	Resampling  Resampling `json:"resampling"`
}

// CellKey names a cell: what was tested, and how.
type CellKey struct {
	Run       string  `json:"run"`
	Stack     string  `json:"stack"`
	Model     string  `json:"model"`
	ModelID   string  `json:"model_id"`
	Defense   string  `json:"defense"`
	Updater   *string `json:"updater"`          // null except for P5
	Format    string  `json:"format,omitempty"` // free_form; absent for multiple choice
	Simulated bool    `json:"simulated"`
	Note      string  `json:"note,omitempty"` // NotAFinding where simulated
}

// Cell holds the scores of one cell, an interface each.
type Cell struct {
	CellKey
	Interfaces []InterfaceScores `json:"interfaces"`
}

// InterfaceScores are the scores of one interface in one cell.
type InterfaceScores struct {
	Interface   string        `json:"interface"`
	Cases       int           `json:"cases"`
	Families    int           `json:"families"`
	Tasks       int           `json:"tasks"` // rows
	Separable   int           `json:"separable"`
	Provisional int           `json:"provisional"` // separable tasks whose place in E is unknown
	Predictions int           `json:"predictions"` // all columns, orders and replicates
	Missing     int           `json:"missing"`     // of these, lost to infrastructure
	Rates       []Rate        `json:"rates"`
	Means       []Mean        `json:"means"`
	Probes      []ProbeScores `json:"probes"` // where the tasks have more than one probe
	Answers     []Answers     `json:"answers"`
	Memory      []Memory      `json:"memory"`
	Guard       *GuardScores  `json:"guard,omitempty"` // with a defense
}

// ProbeScores are the rates over the tasks of one probe.
type ProbeScores struct {
	Probe string `json:"probe"`
	Tasks int    `json:"tasks"`
	Rates []Rate `json:"rates"`
}

// Rate finds a rate by name, the first one whatever its condition.
func (s *InterfaceScores) Rate(name string) (*Rate, bool) { return Find(s.Rates, name) }

// Find returns the first rate with the name.
func Find(rates []Rate, name string) (*Rate, bool) {
	for i := range rates {
		if rates[i].Name == name {
			return &rates[i], true
		}
	}
	return nil, false
}

// Summarise turns rows into rates. The order of the rows does not matter; the
// rows are not changed. A rate whose predictions no row of its group has
// (a phase not run) is absent.
func Summarise(rows []Row, info Info) *Summary {
	s := &Summary{
		Schema: SummarySchema, Experiment: info.Experiment, Statement: Independent,
		DataSets: append([]DataSet{}, info.DataSets...), Notes: append([]string{}, info.Notes...),
		Confidence: stats.Confidence, Cells: []Cell{},
	}
	sorted := make([]*Row, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortStableFunc(sorted, compareRows)
	var tallies [][]tallied
	var groups []group
	resampled := newResampling(info.Seed)
	withDefenses := defendedRuns(sorted)
	for part := range runs(sorted, compareCells) {
		cell := Cell{CellKey: keyOf(part[0], info.Simulated), Interfaces: []InterfaceScores{}}
		s.Simulated = s.Simulated || cell.Simulated
		var ofCell []tallied
		for rows := range runs(part, compareInterfaces) {
			f := familiesOf(rows)
			scores, counts := scoreInterface(rows, f, resampled, withDefenses[rows[0].Run])
			cell.Interfaces = append(cell.Interfaces, scores)
			ofCell = append(ofCell, tallied{scores.Interface, counts, f})
			groups = append(groups, group{rows, f})
		}
		s.Cells = append(s.Cells, cell)
		tallies = append(tallies, ofCell)
	}
	s.Pooled = pool(s.Cells, tallies, resampled)
	onShared := shared(groups, info, resampled)
	s.Comparisons = compare(groups, info, resampled)
	s.Resampling = resamplingOf(info.Seed)
	resampled.run()
	correct(s.Comparisons)
	s.Defenses = append(tables(entries(s.Cells), ScopeOwn), tables(onShared, ScopeShared)...)
	slices.SortStableFunc(s.Defenses, compareTables)
	s.PooledDefenses = pooledDefenses(s.Pooled, withDefenses)
	return s
}

// scoreInterface scores one interface of one cell; defended says that its run
// has defenses.
func scoreInterface(rows []*Row, f *families, resampled *resampling, defended bool) (InterfaceScores, []counted) {
	conditions := conditionsOf(rows)
	rules := append(metrics(conditions), alignmentsOf(rows)...)
	if defended {
		rules = append(rules, guardMetrics()...)
	}
	counts := count(rules, rows, f)
	s := InterfaceScores{
		Interface: rows[0].Interface, Tasks: len(rows),
		Rates: resampled.rates(counts), Means: orderMeans(rows, f, resampled), Probes: probes(rules, rows, f, resampled),
		Answers: answers(conditions, rows), Memory: memory(conditions, rows), Guard: guardScores(rows),
	}
	for i, r := range rows {
		if i == 0 || !sameCase(r, rows[i-1]) {
			s.Cases++
		}
		if r.Separable {
			s.Separable++
		}
		if r.Eligible == nil && knowsE(r) {
			s.Provisional++
		}
	}
	s.Families = len(f.ids)
	for _, a := range s.Answers {
		s.Predictions += a.Predictions
		s.Missing += a.Missing
	}
	return s, counts
}

// counted is the tally of one metric that was planned.
type counted struct {
	rule *metric
	tally
}

func count(rules []metric, rows []*Row, f *families) []counted {
	list := make([]counted, 0, len(rules))
	for i := range rules {
		c := counted{rule: &rules[i]}
		if c.add(c.rule, rows, f) {
			list = append(list, c)
		}
	}
	return list
}

// probes splits rows that ask more than one kind of question.
func probes(rules []metric, rows []*Row, f *families, resampled *resampling) []ProbeScores {
	var names []string
	for _, r := range rows {
		if !slices.Contains(names, r.Probe) {
			names = append(names, r.Probe)
		}
	}
	list := []ProbeScores{}
	if len(names) < 2 {
		return list
	}
	slices.SortFunc(names, func(a, b string) int { return byRank(probeOrder[:], a, b) })
	rules = slices.DeleteFunc(slices.Clone(rules), func(m metric) bool { return m.perCase })
	for _, name := range names {
		part, less := f.only(rows, func(r *Row) bool { return r.Probe == name })
		list = append(list, ProbeScores{name, len(part), resampled.rates(count(rules, part, less))})
	}
	return list
}

func keyOf(r *Row, simulated []string) CellKey {
	k := CellKey{Run: r.Run, Stack: r.Stack, Model: r.Model, ModelID: r.ModelID, Defense: r.Defense, Updater: r.Updater}
	if r.Format == string(cases.FreeForm) {
		k.Format = r.Format
	}
	if slices.Contains(simulated, r.Model) {
		k.Simulated, k.Note = true, NotAFinding
	}
	return k
}

// NoDefense is the defense column of an undefended row.
const NoDefense = "none"

func compareCells(a, b *Row) int {
	return cmp.Or(compareArms(a, b), compareUpdaters(a.Updater, b.Updater))
}

// compareArms orders by all of a cell but its updater; undefended first.
func compareArms(a, b *Row) int {
	if c := cmp.Or(strings.Compare(a.Run, b.Run), strings.Compare(a.Stack, b.Stack),
		strings.Compare(a.Model, b.Model), strings.Compare(a.ModelID, b.ModelID)); c != 0 {
		return c
	}
	none, choice := []string{NoDefense}, []string{string(cases.MultipleChoice)}
	return cmp.Or(byRank(none, a.Defense, b.Defense), byRank(choice, a.Format, b.Format))
}

func compareUpdaters(a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return strings.Compare(*a, *b)
}

func compareInterfaces(a, b *Row) int { return strings.Compare(a.Interface, b.Interface) }

func compareRows(a, b *Row) int {
	if c := compareCells(a, b); c != 0 {
		return c
	}
	return cmp.Or(compareInterfaces(a, b), compareItems(a, b))
}

func sameCase(a, b *Row) bool { return a.CaseID == b.CaseID && a.CaseDigest == b.CaseDigest }

// runs yields the maximal stretches of equal rows of a sorted slice.
func runs(rows []*Row, compare func(a, b *Row) int) func(func([]*Row) bool) {
	return func(yield func([]*Row) bool) {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && compare(rows[0], rows[n]) == 0 {
				n++
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// byRank orders names as listed, unlisted ones after them by name.
func byRank(listed []string, a, b string) int {
	ra, rb := slices.Index(listed, a), slices.Index(listed, b)
	if ra < 0 {
		ra = len(listed)
	}
	if rb < 0 {
		rb = len(listed)
	}
	return cmp.Or(cmp.Compare(ra, rb), strings.Compare(a, b))
}

var probeOrder = [...]string{"general", "in_scope", "near_out", "out_of_scope", "same_context"}
