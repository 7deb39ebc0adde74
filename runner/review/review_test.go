package review

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/construct"
)

func families(t *testing.T) []*construct.Family {
	t.Helper()
	var out []*construct.Family
	for _, name := range []string{"cold_chain", "incident_response", "accounts_payable"} {
		list, _, diags := construct.Read("../audit/testdata/" + name + ".hcl")
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		out = append(out, list...)
	}
	return out
}

// sheets are the rows of every sheet by name, the head first.
func sheets(t *testing.T, list []*construct.Family, seed int64) (map[string][][]string, []construct.File, construct.Result) {
	t.Helper()
	built := construct.Build(list, construct.Options{Seed: 1, Version: "t"})
	files, err := Sheets(list, &built, seed)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][][]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".csv") {
			continue
		}
		rows, err := csv.NewReader(bytes.NewReader(f.Bytes)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		out[strings.TrimSuffix(f.Path, ".csv")] = rows
	}
	return out, files, built
}

func TestSheetsHoldEveryItemOnce(t *testing.T) {
	list := families(t)
	got, files, _ := sheets(t, list, 1)
	if len(files) != 17 || files[0].Path != "README.md" {
		t.Errorf("%d files", len(files))
	}
	if n := len(got["A_choices"]) - 1; n != 6 {
		t.Errorf("A: %d tasks, want target and near of three families", n)
	}
	records := 0
	for _, f := range list {
		records += len(f.Records) + len(f.Forged)
	}
	if n := len(got["C_records"]) - 1; n != records {
		t.Errorf("C: %d records of %d", n, records)
	}
	if n := len(got["E_realism"]) - 1; n != 3 {
		t.Errorf("E: %d families", n)
	}
	if n := len(got["F_answers"]) - 1; n != 36 {
		t.Errorf("F: %d rows, want twelve a family", n)
	}
	arms := 0
	for name, rows := range got {
		if strings.HasPrefix(name, "B_") {
			arms += len(rows) - 1
		}
	}
	if want := 3 * 2 * 6; arms != want { // P3 asks twice
		t.Errorf("B: %d rows, want %d", arms, want)
	}
}

// No family stands on a sheet B with two memories, and no arm on two sheets.
func TestNoRaterSeesTwoArmsOfAFamily(t *testing.T) {
	got, _, _ := sheets(t, families(t), 1)
	type cell struct{ sheet, family string }
	on, where := map[cell]string{}, map[string]string{}
	for _, r := range got["key/answer_key"][1:] {
		sheet, family, arm := r[0], r[2], r[3]+" "+r[5]
		if !strings.HasPrefix(sheet, "B_") {
			continue
		}
		if before := on[cell{sheet, family}]; before != "" && before != arm {
			t.Errorf("%s: %s stands with %s and %s", sheet, family, before, arm)
		}
		on[cell{sheet, family}] = arm
		if before := where[arm]; before != "" && before != sheet {
			t.Errorf("%s is on %s and %s", arm, before, sheet)
		}
		where[arm] = sheet
	}
	if len(where) != 3*5*2 {
		t.Errorf("%d arms of 30", len(where))
	}
}

// What raters see names no id, label, interface or arm.
func TestSheetsTellNothing(t *testing.T) {
	list := families(t)
	got, _, built := sheets(t, list, 1)
	secret := []string{"poisoned", "forged", "authentic", "clean", "P1", "P2", "P3", "P4", "P5", "mfo."}
	for _, f := range list {
		secret = append(secret, f.ID)
		for _, r := range every(f) {
			secret = append(secret, r.ID)
		}
	}
	for name, rows := range got {
		if name == "key/answer_key" {
			continue
		}
		for _, row := range rows {
			for _, c := range row {
				for _, s := range secret {
					if strings.Contains(c, s) {
						t.Errorf("%s shows %q in %.80q", name, s, c)
					}
				}
			}
		}
	}
	if len(built.Accepted) == 0 {
		t.Error("nothing was built")
	}
}

func TestKeySaysWhatTheSheetShows(t *testing.T) {
	list := families(t)
	got, _, built := sheets(t, list, 1)
	rows := map[string][]string{}
	for name, sheet := range got {
		if name == "key/answer_key" {
			continue
		}
		for _, r := range sheet[1:] {
			rows[name+" "+r[0]] = r
		}
	}
	at := func(k []string, column string) string { return k[2+slices.Index(keyColumns, column)] }
	known := 0
	for _, k := range got["key/answer_key"][1:] {
		row := rows[k[0]+" "+k[1]]
		if row == nil {
			t.Fatalf("the key names %s %s, which no sheet has", k[0], k[1])
		}
		known++
		f := list[slices.IndexFunc(list, func(f *construct.Family) bool { return f.ID == at(k, "family_id") })]
		column := map[string]int{"A": 0, "B": 1, "C": 2, "D": 3}
		switch {
		case k[0] == "A_choices" || k[0] == "E_realism":
			if row[2+column[at(k, "clean")]] != f.Clean.Choice.Value || row[2+column[at(k, "poisoned")]] != f.Poisoned.Choice.Value {
				t.Errorf("%s: the key names other choices", k[1])
			}
		case strings.HasPrefix(k[0], "B_"):
			d := built.Accepted[slices.IndexFunc(built.Accepted, func(d cases.Doc) bool { return d.CaseID == at(k, "case_id") })]
			arm := &d.Memory.Clean
			if at(k, "arm") == "poisoned" {
				arm = &d.Memory.Poisoned
			}
			if row[1] != told(&d, arm) || row[3+column[at(k, "clean")]] != f.Clean.Choice.Value {
				t.Errorf("%s: the key names another arm", k[1])
			}
		case k[0] == "C_records":
			rec := every(f)[slices.IndexFunc(every(f), func(r *construct.Record) bool { return r.ID == at(k, "record_id") })]
			x := map[string]int{"X": 2, "Y": 3}[at(k, "action")]
			kind := map[string]int{"K1": 4, "K2": 5, "K3": 6}[at(k, "context")]
			if row[1] != rec.Text.Value || row[x] != choiceOf(f, rec.Action) || row[kind] != is(f, rec.Context) || outcomes[rec.Outcome] != at(k, "outcome") || yes(rec.Forged) != at(k, "forged") {
				t.Errorf("%s: the key says something else of the record", k[1])
			}
		case k[0] == "F_answers":
			one := map[string]int{"one": 2, "two": 3}
			if row[one[at(k, "clean")]] != f.Clean.Signature.Value || row[one[at(k, "poisoned")]] != f.Poisoned.Signature.Value {
				t.Errorf("%s: the key exchanges the signatures", k[1])
			}
		}
	}
	if known != len(rows) {
		t.Errorf("the key has %d items, the sheets %d", known, len(rows))
	}
}

// Neither side, letter nor number stands for one policy, context or outcome:
// over many seeds each comes at each place.
func TestPlacesTellNothing(t *testing.T) {
	list := families(t)
	at := map[string]int{}
	for seed := range int64(20) {
		got, _, _ := sheets(t, list, seed)
		for _, k := range got["key/answer_key"][1:] {
			cell := func(column string) string { return k[2+slices.Index(keyColumns, column)] }
			family := list[slices.IndexFunc(list, func(f *construct.Family) bool { return f.ID == cell("family_id") })]
			switch k[0] {
			case "C_records":
				rec := every(family)[slices.IndexFunc(every(family), func(r *construct.Record) bool { return r.ID == cell("record_id") })]
				at["C "+rec.Action+" "+cell("action")]++
				at["C "+rec.Context+" "+cell("context")]++
			case "F_answers":
				at["F "+cell("clean")]++
			}
		}
	}
	for _, want := range []string{
		"C clean X", "C clean Y", "C poisoned X", "C poisoned Y", "F one", "F two", "C general K1", "C general K2", "C general K3",
		"C near K1", "C near K2", "C near K3", "C local K1", "C local K2", "C local K3",
	} {
		if at[want] == 0 {
			t.Errorf("never %s: %v", want, at)
		}
	}
}

func TestSheetsAreDeterministic(t *testing.T) {
	list := families(t)
	_, a, _ := sheets(t, list, 1)
	slices.Reverse(list)
	_, b, _ := sheets(t, list, 1)
	_, c, _ := sheets(t, list, 2)
	for i := range a {
		if !bytes.Equal(a[i].Bytes, b[i].Bytes) {
			t.Errorf("%s depends on the order of the families", a[i].Path)
		}
		if i > 0 && bytes.Equal(a[i].Bytes, c[i].Bytes) {
			t.Errorf("%s: another seed, the same sheet", a[i].Path)
		}
	}
}
