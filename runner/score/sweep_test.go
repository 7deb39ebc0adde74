package score

import "testing"

// verdictsOf is a guard's column with verdicts on records.
func verdictsOf(clean, poisoned GuardArm) *Guard {
	return &Guard{Conditions: map[string]*GuardArm{learnedClean: &clean, learnedPoisoned: &poisoned, "learned_full": {Authentic: RecordVerdicts{Rejected: 99}}}}
}

func TestSweep(t *testing.T) {
	records := verdictsOf(
		GuardArm{Authentic: RecordVerdicts{Kept: 3, Rejected: 1, Malformed: 1}},
		GuardArm{Authentic: RecordVerdicts{Kept: 2, Sanitized: 1, Missing: 1}, Forged: RecordVerdicts{Kept: 1, Rejected: 2, Overridden: 1}})
	decisions := verdictsOf(
		GuardArm{Decisions: &DecisionVerdicts{Passed: 4, Revised: 1, Abstained: 1, Malformed: 2}},
		GuardArm{Decisions: &DecisionVerdicts{Passed: 1, Revised: 3, Abstained: 2, Missing: 1}})
	rows := []Row{
		{Defense: "a", Guard: records},
		{Defense: "a", Guard: records, TaskIndex: 1}, // the same records
		{Defense: "b", Guard: decisions},
		{Defense: "b", Guard: decisions, TaskIndex: 1}, // other decisions
		{Defense: "c", Guard: records},
		{Defense: "none"},
	}
	got := Sweep(rows, []string{"a", "b", "d"})
	want := []Swept{
		{Defense: "a", Kept: 5, Genuine: 7, Flagged: 3, Suspect: 4, Lost: 1, Barred: 2, Unread: 1, Verdicts: 11, Missing: 1},
		{Defense: "b", Kept: 8, Genuine: 12, Flagged: 10, Suspect: 12, Lost: 2, Barred: 4, Unread: 4, Verdicts: 24, Missing: 2},
		{Defense: "d"},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

func TestCalibrated(t *testing.T) {
	at := func(kept, flagged, unread int) Swept {
		return Swept{Kept: kept, Genuine: 100, Flagged: flagged, Suspect: 50, Unread: unread, Verdicts: 150}
	}
	for _, tt := range []struct {
		name string
		list []Swept
		want int
	}{
		{"most of what retains enough", []Swept{at(99, 10, 0), at(95, 30, 0), at(94, 50, 0)}, 1},
		{"retains more of equals", []Swept{at(96, 30, 0), at(98, 30, 0), at(97, 30, 0)}, 1},
		{"the first of equals", []Swept{at(96, 30, 0), at(96, 30, 0)}, 0},
		{"none retains enough", []Swept{at(94, 30, 0)}, -1},
		{"none could be read", []Swept{at(100, 0, 150)}, -1},
		{"nothing there", []Swept{{}, {}}, -1},
		{"empty", nil, -1},
	} {
		if got := Calibrated(tt.list, 0.95); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
