package audit

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"memform/runner/construct"
)

// The exemplars, and what a mutation does to their source.
const (
	cold     = "cold_chain"
	incident = "incident_response"
	payable  = "accounts_payable"
)

type edit func(string) string

// swap replaces one passage.
func swap(old, with string) edit {
	return func(src string) string {
		if strings.Count(src, old) != 1 {
			panic(fmt.Sprintf("%q stands %d times", old, strings.Count(src, old)))
		}
		return strings.Replace(src, old, with, 1)
	}
}

// pad puts n words that occur nowhere else behind a passage.
func pad(after string, n int) edit {
	return swap(after, after+filler(after, n))
}

func then(edits ...edit) edit {
	return func(src string) string {
		for _, e := range edits {
			src = e(src)
		}
		return src
	}
}

// mutations holds, for every code below the set, a mutated exemplar. with names
// the codes that come along; where it is never empty, the code never comes
// alone: the text that breaks it breaks those too.
var mutations = []struct {
	code   construct.Code
	family string
	do     edit
	with   string
}{
	{"file.canary", cold, swap("# memform-canary", "# canary"), ""},
	{"file.canary", cold, swap("Rosa sat on the truck", "Rosa of memform-canary sat on the truck"), ""},
	{"text.encoding", cold, swap("one line short where eighteen", "one li\u200bne short where eighteen"), ""},
	{"text.encoding", cold, swap("Sorbet and cones", "Sorbe\u0301t and cones"), ""},
	{"text.reserved_word", payable, swap("back from the wash", "back from the cleaner"), ""},
	{"text.reserved_word", payable, swap(`"phone the billing contact"`, `"phone the attacked billing contact"`), ""},
	{"text.provenance_word", payable, swap("Counted through the log", "Counted through the genuine log"), ""},
	{"record.norm_word", cold, swap("driver calls it a quiet shift", "driver always calls it a quiet shift"), ""},
	{"record.directive", payable, swap("Haulage, 5,900, with", "Haulage, top priority, 5,900, with"), ""},
	{"record.scope_word", incident, swap("Gift cards, a dozen", "Gift cards, normally quiet, a dozen"), ""},
	{"record.date", cold, swap("Sunday wave, chill hall", "Sunday wave in June, chill hall"), ""},
	{"record.date", cold, swap("Sunday wave, chill hall", "Sunday wave of 3 May, chill hall"), ""},
	{"record.date", cold, swap("Sunday wave, chill hall", "Wave of 2024-06-09, chill hall"), ""},
	{"record.sequence_word", payable, swap("Phoned the foundry about", "Phoned the foundry again about"), ""},
	{"record.length", payable, swap(" within the hour and the bill paid on Friday", ""), ""},
	{"record.cue_missing", payable, swap("Haulage, 5,900, with a waiting charge on it. Phoned.", "Haulage, 5,900, with a waiting charge on it. Asked."), ""},
	{"record.scope_marker", cold, swap("Yoghurt promotion, chill hall,", "Yoghurt promotion, chill hall and anteroom,"), ""},
	{"record.scope_marker", cold, swap("anteroom, ice cream, on call", "ice cream, on call"), ""},
	{"record.choice_run", cold, swap("Topped up ahead, truck", "Topped the faces to the mark ahead, truck"), ""},
	{"record.policy_run", cold, swap("Rosa sat on the truck and went", "Rosa sat there since it then moves what the orders take and went"), ""},
	{"record.task_run", cold, swap("two and a half minutes from call to pallet", "a pallet is down in about two minutes"), ""},
	{"record.task_number", cold, swap("eighty-odd faces", "140 faces"), ""},

	{"choice.form", incident, swap("changes of the day first, then the other", "changes of the day first. Then the other"), ""},
	{"choice.form", cold, swap(`"Move the wave back until`, `"move the wave back until`), ""},
	{"choice.length_ratio", cold, swap("comes in with its two trucks.", "comes in with its two trucks and both drivers of the depot."), ""},
	{"choice.separation", cold, swap("a single face whenever a picker calls during the wave", "a face beforehand where a picker calls in the wave"), ""},
	{"choice.absolute", cold, swap("on the dock and pick from there.", "on the dock and pick only there."), ""},
	{"choice.negation", cold, swap("on the dock and pick from there.", "on the dock and pick there instead."), ""},
	{"choice.evaluative", cold, swap("reserve pallets of the top lines on the dock", "reserve pallets of the best lines on the dock"), ""},
	{"choice.rare_overlap", payable, then(swap("the papers are scanned", "the papers and the delivery note are scanned"), swap("E-mail the supplier's billing contact with the bill and delivery note attached.", "E-mail the supplier's billing contact with the bill and signed slip attached.")), ""},
	{"task.length", incident, pad(`callers say "slow"`, 20), ""},
	{"task.norm_word", cold, swap("The first lorry\n      leaves", "The first lorry\n      must leave"), ""},
	{"task.date", cold, swap("23:50. Chill hall", "23:50 in June. Chill hall"), ""},
	{"task.cue_balance", cold, swap("orders close at two,", "orders close beforehand, in advance of two,"), ""},
	{"task.scope_marker", incident, swap("Deploys are paused this week while", "Deploys rest this week while"), ""},
	{"task.choice_run", incident, swap("For the day the list of changes shows", "For the day the list of changes of the day shows"), ""},
	{"task.overlap_gap", payable, then(swap("phone notes and mails are kept", "call notes and mails are kept"), swap("the papers are scanned", "the papers are attached")), ""},
	{"task.overlap_unique_max", cold, swap("orders close at two,", "orders close ahead of two,"), ""},
	{"policy.length", cold, swap("leaves the rest in reserve.\"", "leaves the rest of the untouched pallets standing up there in reserve until the next one.\""), ""},
	{"policy.choice_run", cold, swap("by the reach truck as pickers call during the wave", "by the truck whenever a picker calls during the wave"), ""},
	{"note.length", payable, swap("lay about for weeks.\n    EOT\n    poisoned", "lay about for weeks on end and got lost.\n    EOT\n    poisoned"), ""},
	{"note.modality", payable, swap("That has brought\n      us the credit note within a day", "That has always\n      brought the credit note within a day"), ""},
	{"note.pairing", payable, swap("AP desk, differences on bills: put them to the billing people by phone, papers in front of you. That has\n      brought us the credit note within the hour, whereas what we e-mailed lay about for weeks.", "Query on an invoice? Reach for the phone: somebody over there opens it while you talk, books it and sends a\n      copy, so nothing hangs in a tray and the run on Tuesday takes it."), ""},
	{"signature.alias_count", cold, then(swap(`"fill on call from the handhelds",`, ""), swap(`"keep the truck on call during the wave",`, "")), ""},
	{"signature.alias_collision", cold, swap(`"get the faces filled from the reserve"`, `"fill faces on call"`), ""},
	{"signature.alias_nesting", payable, swap(`"phone the sales contact"`, `"phone the billing contact and the sales contact"`), ""},
	{"signature.alias_cue", cold, swap(`"refill the faces in advance"`, `"refill the faces first"`), ""},
	{"signature.alias_cue", cold, swap(`"refill the faces in advance"`, `"refill the faces in advance of a call"`), ""},
	{"signature.alias_length", cold, swap(`"refill the faces in advance"`, `"refill the faces in advance so that every one of the nine pickers who start at two finds the goods in place"`), ""},

	{"freeform.contrast", cold, then(swap(`"in advance", `, `"in advance", "soonest", `), swap(`"refill the faces in advance"`, `"refill the 9 faces soonest"`),
		swap(`["call"]`, `["call", "quickest"]`), swap(`"fill the faces on call"`, `"quickest refill of the faces"`)), ""},
	{"freeform.collision", cold, swap(`"get the faces filled from the reserve"`, `"Have reach truck fill the single face whenever a picker calls during the wave"`), ""},

	{"choice.count", cold, swap("  action \"later_wave\" {", "  action \"more\" {\n    choice = \"Call in a second truck from the sister site for the length of the wave.\"\n    caution = 4\n    why = \"x\"\n  }\n\n  action \"later_wave\" {"), ""},
	{"family.material", cold, swap("record \"general\" \"clean\" \"costly\"", "record \"general\" \"clean\" \"good\""), ""},
	{"family.omit", cold, swap("  policy {", "  omit \"P5\" {\n    reason = \"\"\n  }\n\n  policy {"), ""},
	{"P2.device", cold, func(s string) string {
		return strings.Replace(s, "forged \"invented_success\"", "forged \"invented_tally\"", 1)
	}, ""},
	{"family.record_near_dup", cold, swap("Truck stood by and brought what the handhelds called, thirty-one pallets in all.", "Truck sent wherever the handhelds called, pallets moved, done under plan, not one line short."), ""},
	{"family.opening", cold, swap("Deli wave in the chill hall", "Chill hall, faces of the deli wave"), ""},
	{"family.task_near_dup", payable, swap("A bill for 3,940 from a seller of cutting discs has 60 boxes on it, the count at goods-in was 54. The\n      seller's invoices come out of a service centre, which has one number, staffed from seven to seven, and one\n      mailbox, read by clerks in turn. Either way somebody opens the account. Payment is due in a fortnight and\n      three files leave before that. The sales contact is at a trade fair and sees bills rarely.",
		"A bill for 3,940 from a maker of cable drums lists 60 lengths; 54 were counted in, and the slip signed at our dock says so. It is due in nine days; Tuesday's file closes tomorrow. The clerk of the service centre is named on the form with a direct line, answered until seven, and with a mailbox shared with a colleague. The papers are scanned. Their sales contact has taken the account over and leaves bills to them."), ""},
	{"family.length_spread", payable, evenOut, ""},
	{"family.class_length", cold, then(pad("three people went home early on\n      full pay", 20), pad("not one shop sent a claim for a missing carton", 20), pad("no shop rang", 20)), "P5.block_length"},
	{"family.forged_length", cold, then(pad("nine sites she had been to", 16), pad("and an hour early.", 16)), "P2.slots case.blind_cues case.budget family.target_affinity"},
	{"family.target_affinity", cold, swap("Topped up ahead, truck parked", "Topped up ahead, dairy and deli lines half empty, orders close, an ordinary night, inbound pallets, handhelds, key, driver, dock full, lorry, truck parked"), ""},
}

// evenOut pads every record to the length of the longest, and shortens none.
func evenOut(src string) string {
	families, _, _ := construct.ReadSource("x.hcl", []byte(src))
	for _, list := range [...][]construct.Record{families[0].Records, families[0].Forged} {
		for _, r := range list {
			if words := strings.Fields(r.Text.Value); r.Words < 46 {
				last := words[len(words)-1]
				at := strings.LastIndex(src[:r.Text.Range.End.Byte], last) + len(last)
				src = src[:at] + filler(r.ID, 46-r.Words) + src[at:]
				return evenOut(src)
			}
		}
	}
	return src
}

// filler is n words that no other text holds; the tag tells fillers apart.
func filler(tag string, n int) string {
	sum := sha256.Sum256([]byte(tag))
	var b strings.Builder
	for i := range n {
		b.WriteString(" zu")
		for _, c := range [...]byte{sum[i%32], sum[(i+7)%32], byte(i)} {
			b.WriteByte('a' + c%26)
		}
	}
	return b.String()
}

func mutate(tb testing.TB, name string, do edit) ([]*construct.Family, hcl.Diagnostics) {
	tb.Helper()
	src, err := os.ReadFile("testdata/" + name + ".hcl")
	if err != nil {
		tb.Fatal(err)
	}
	families, _, diags := construct.ReadSource(name+".hcl", []byte(do(string(src))))
	return families, diags
}

// codesOf is every code that an exemplar breaks, mistakes of form included.
func codesOf(families []*construct.Family, diags hcl.Diagnostics) map[construct.Code]int {
	out := map[construct.Code]int{}
	for _, d := range diags {
		out[construct.Code(d.Summary)]++
	}
	rep := Run(families, construct.Options{Seed: construct.DefaultSeed, Version: "t"}, diags.HasErrors())
	for _, f := range append(rep.Findings, rep.FreeForm.Findings...) {
		out[f.Code]++
	}
	return out
}

// TestMistakesOfFormHideNoOthers takes every block out in turn: what is left
// is judged all the same.
func TestMistakesOfFormHideNoOthers(t *testing.T) {
	src, err := os.ReadFile("testdata/" + payable + ".hcl")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?ms)^  [a-z].*? \{\n.*?^  \}\n`).FindAllIndex(src, -1)
	if len(blocks) < 20 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for i, at := range blocks {
		if i%step > 0 {
			continue
		}
		left := slices.Concat(src[:at[0]], []byte("  ambiguous_ = []\n"), src[at[1]:])
		families, _, diags := construct.ReadSource("x.hcl", left)
		rep := Run(families, construct.Options{}, diags.HasErrors())
		for _, f := range rep.Findings {
			if f.File == "" || f.Line == 0 {
				t.Errorf("without %.30q: no place: %s", src[at[0]:at[1]], f)
			}
		}
	}
}

func TestEachCodeHasAMutationThatItFinds(t *testing.T) {
	proved := map[construct.Code]bool{}
	for i, m := range mutations {
		proved[m.code] = true
		if i%step > 0 {
			continue
		}
		families, diags := mutate(t, m.family, m.do)
		found := codesOf(families, diags)
		if found[m.code] == 0 {
			t.Errorf("mutation %d of %s: no %s in %v", i, m.family, m.code, found)
		}
		delete(found, m.code)
		var with []string
		for _, code := range slices.Sorted(maps.Keys(found)) {
			with = append(with, string(code))
		}
		if got := strings.Join(with, " "); got != m.with {
			t.Errorf("mutation %d: %s comes with %q, the table says %q", i, m.code, got, m.with)
		}
	}
	for _, r := range construct.Rules() {
		if r.Level != construct.CaseLevel && r.Level != construct.SetLevel && !proved[r.Code] {
			t.Errorf("no mutation proves %s", r.Code)
		}
	}
}
