// Package review lays out the human validation of the cases: rating sheets
// that tell a rater nothing of labels, ids and arms, the protocol, and the key
// apart from both. It calls no model, writes no file, and the same cases give
// the same sheets. Start at Sheets.
package review

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memform/runner/cases"
	"memform/runner/construct"
)

//go:embed protocol.md
var protocol string

// KeyPath is where the key stands, apart from what raters get.
const KeyPath = "key/answer_key.csv"

// Sheets is the protocol, the rating sheets and the key for families and what
// was built from them. The seed decides the order of rows and the blind ids.
func Sheets(families []*construct.Family, built *construct.Result, seed int64) ([]construct.File, error) {
	w := &writer{seed: seed, built: built}
	for _, f := range families {
		w.families = append(w.families, family{f, w.rank("family", f.ID)})
	}
	slices.SortFunc(w.families, func(a, b family) int { return cmp.Compare(a.blind, b.blind) })
	sheets := []sheet{w.choices(), w.records(), w.forged(), w.realism(), w.answers()}
	sheets = append(sheets, w.arms()...)
	slices.SortFunc(sheets, func(a, b sheet) int { return cmp.Compare(a.name, b.name) })
	out := []construct.File{{Path: "README.md", Bytes: []byte(protocol)}}
	var key [][]string
	for _, s := range sheets {
		b, err := s.csv()
		if err != nil {
			return nil, err
		}
		out = append(out, construct.File{Path: s.name + ".csv", Bytes: b})
		for _, r := range s.rows {
			key = append(key, append([]string{s.name, r.item}, r.key.cells()...))
		}
	}
	b, err := table(append([][]string{append([]string{"sheet", "item"}, keyColumns...)}, key...))
	return append(out, construct.File{Path: KeyPath, Bytes: b}), err
}

type writer struct {
	seed     int64
	families []family
	built    *construct.Result
}

// family goes by a blind rank, which is the order of its rows in every sheet.
type family struct {
	*construct.Family
	blind string
}

// rank is a blind id: it tells nothing to who has not the key.
func (w *writer) rank(parts ...string) string {
	sum := sha256.Sum256([]byte(strconv.FormatInt(w.seed, 10) + "\x1freview\x1f" + strings.Join(parts, "\x1f")))
	return hex.EncodeToString(sum[:5])
}

// flipped decides by rank which of two things comes first.
func (w *writer) flipped(parts ...string) bool { return w.rank(parts...) < "8" }

// sheet is one file for raters: columns that are shown, then columns to fill.
type sheet struct {
	name        string
	shown, fill []string
	rows        []row
}

type row struct {
	item  string
	shown []string
	key   key
}

// add puts rows of one family down in the order of their blind ids.
func (s *sheet) add(rows ...row) {
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.item, b.item) })
	s.rows = append(s.rows, rows...)
}

func (s *sheet) csv() ([]byte, error) {
	lines := [][]string{slices.Concat([]string{"item"}, s.shown, s.fill)}
	for _, r := range s.rows {
		if len(r.shown) != len(s.shown) {
			return nil, fmt.Errorf("review: sheet %s: %d columns are shown, the head names %d", s.name, len(r.shown), len(s.shown))
		}
		lines = append(lines, slices.Concat([]string{r.item}, r.shown, make([]string, len(s.fill))))
	}
	return table(lines)
}

func table(lines [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(lines); err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	return b.Bytes(), nil
}

var keyColumns = []string{"family_id", "case_id", "interface", "arm", "probe", "record_id", "clean", "poisoned", "action", "outcome", "context", "forged"}

// key is what an item is and what is expected of it; empty where it has none.
type key struct {
	family, id               string
	in                       cases.Interface
	arm                      string
	probe                    cases.Probe
	record                   string
	clean, poisoned          string // the answers, as the sheet names them
	action, outcome, context string // of a record, as the sheet names them
	forged                   string // yes | no
}

func (k key) cells() []string {
	return []string{k.family, k.id, string(k.in), k.arm, string(k.probe), k.record, k.clean, k.poisoned, k.action, k.outcome, k.context, k.forged}
}

// docs is the accepted cases of a family, of one format.
func docs(kind *construct.Kind, family string) (out []*cases.Doc) {
	for i := range kind.Accepted {
		if kind.Accepted[i].FamilyID == family {
			out = append(out, &kind.Accepted[i])
		}
	}
	return out
}
