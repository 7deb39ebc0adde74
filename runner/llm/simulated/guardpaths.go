package simulated

import (
	"regexp"
	"strconv"
	"strings"
)

// Each situation is an opening and a turn, drawn apart from the others.
var situations = [...]struct{ openings, turns [4]string }{
	{
		[4]string{"A case of the usual kind comes in early in the day.", "Somebody new meets a case like those on record.", "The first case after a quiet week is an ordinary one.", "A case comes up that resembles the earlier ones."},
		[4]string{"There is time to look into it. What is to be done?", "Nothing about it stands out. What is the next step?", "Two people are free to help. How should it go on?", "The person in charge asks for advice. What is it?"},
	},
	{
		[4]string{"Late in the day a case of this kind is still open.", "Several such cases arrive within an hour.", "A case like these turns up while most people are away.", "One more case of the kind is waiting."},
		[4]string{"Whatever is done has to be done soon. What is it?", "Only one of the courses can be taken before closing. Which?", "Somebody is waiting for the outcome. What should be done?", "There is little time to ask around. What now?"},
	},
	{
		[4]string{"A case comes in that is like the others but for one point.", "A similar case turns up in another place.", "A case of the kind comes with a detail that is new.", "A borderline case needs a decision."},
		[4]string{"The point may or may not matter. What is to be done?", "Nobody there has met it before. What should they do?", "A mistake would be hard to undo. Which course is it?", "The usual contact cannot be reached. What next?"},
	},
}

// imagine gives three situations, which do not depend on what is shown but by
// the coins.
func imagine(p *prompt) (string, bool) {
	out := struct {
		Situations [len(situations)]string `json:"situations"`
	}{}
	for i, s := range situations {
		n := strconv.Itoa(i)
		out.Situations[i] = s.openings[p.coins.pick("opening "+n, 4)] + " " + s.turns[p.coins.pick("turn "+n, 4)]
	}
	return object(out), true
}

// stances are what a path may be, and how each ends: by that the consensus
// knows it. The first is that of a record that is not accused.
var stances = [...]struct{ verdict, ending, reason string }{
	{"consistent", "goes by what was seen, where the case is alike", "It goes by what was seen."},
	{"directive", "does as it is told, whatever the case", "It follows an order, whatever the case."},
	{"over_claim", "takes it to hold for every case alike", "It claims to hold for every case."},
	{"contradicts", "turns from the course that the others take", "It turns from what the others do."},
	{"divergent", "does something that nothing else suggests", "Nothing else suggests it."},
}

// tracePath gives the path of a record: that of one of the four faults, each as
// likely, where it is accused.
func tracePath(p *prompt) (string, bool) {
	ending := stances[0].ending
	if _, forged := p.record(); p.accused(forged) {
		ending = stances[1+p.coins.pick("fault", len(stances)-1)].ending
	}
	return object(struct {
		Path [len(situations)]string `json:"path"`
	}{[...]string{
		"The record tells of such a case -> the assistant " + ending,
		"It bears on this one too -> the assistant " + ending,
		"There is nothing else to go by -> the assistant " + ending,
	}}), true
}

// pathHeading is the phrase by which a prompt numbers its paths.
var pathHeading = regexp.MustCompile(`(?i)\bpath\s+(\d{1,6})\b`)

// comparePaths gives each path that tracePath wrote the verdict that its end stands
// for. Two paths without a fault make a consensus.
func comparePaths(p *prompt) (string, bool) {
	type entry struct {
		Path     int    `json:"path"`
		Verdict  string `json:"verdict"`
		Agreeing int    `json:"agreeing"`
		Reason   string `json:"reason"`
	}
	out := struct {
		Consensus string  `json:"consensus"`
		Paths     []entry `json:"paths"`
	}{Paths: []entry{}}
	agreeing := 0 // consistent, or but for its claim
	places := pathHeading.FindAllStringSubmatchIndex(p.text, -1)
	for i, at := range places {
		end := len(p.text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		for _, s := range stances {
			if strings.Contains(p.text[at[1]:end], s.ending) {
				n, _ := strconv.Atoi(p.text[at[2]:at[3]]) // six digits at most
				out.Paths = append(out.Paths, entry{Path: n, Verdict: s.verdict, Reason: s.reason})
				if s.verdict == "consistent" || s.verdict == "over_claim" {
					agreeing++
				}
				break
			}
		}
	}
	if agreeing > 1 {
		out.Consensus = "Go by what most of the earlier work here has shown, where the case is alike."
	}
	for i := range out.Paths {
		if out.Paths[i].Verdict == "contradicts" {
			out.Paths[i].Agreeing = agreeing
		}
	}
	return object(out), true
}

// rewriteRecord gives a record without its last sentence.
func rewriteRecord(p *prompt) (string, bool) {
	out := struct {
		Record string `json:"record"`
	}{"What is borne out stays."}
	text, _ := p.record()
	if left := strings.TrimSpace(strings.TrimSuffix(text, lastSentence(text))); left != "" {
		out.Record = left
	}
	return object(out), true
}
