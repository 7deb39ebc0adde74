package plan_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"memform/runner/defense"
	"memform/runner/experiment"
	"memform/runner/prompts"
)

// defended adds the five defenses to every run, asked of the first model.
func defended(e *experiment.Experiment) {
	for _, method := range defense.Methods() {
		d := &experiment.Defense{Name: method, Method: method, KeepFrom: 0.7, RejectBelow: 0.4}
		if method != defense.KeywordFilter {
			d.Model = e.Models[0]
		}
		e.Defenses = append(e.Defenses, d)
	}
	for _, r := range e.Runs {
		r.Defenses = e.Defenses
	}
}

// exchangeOf is a request's messages, by number.
func exchangeOf(request []byte) (contents []string) {
	var body struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(request, &body); err != nil {
		panic(err) // rendered by the plan
	}
	for _, m := range body.Messages {
		contents = append(contents, m.Content)
	}
	return contents
}

// guardNames is the name of a guard's question by its system message.
var guardNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, name := range prompts.Names() {
		question, ok := strings.CutSuffix(name, "_system")
		if ok && (strings.HasPrefix(name, "guard_") || strings.HasPrefix(name, "shield_")) {
			names[strings.TrimRight(string(shippedPrompts().Text(name)), "\n")] = question
		}
	}
	return names
})

// guardAnswer answers a guard's question by the hash of the request alone, in
// the form that it asks for, or now and then in none.
func guardAnswer(request []byte) (string, bool) {
	if !bytes.Contains(request, []byte("JSON object")) {
		return "", false // most requests
	}
	m := exchangeOf(request)
	name, ok := guardNames()[m[0]]
	if !ok {
		return "", false
	}
	sum := sha256.Sum256(request)
	if sum[31]%8 == 0 {
		return "What " + hex.EncodeToString(sum[:8]) + " is cannot be said.", true
	}
	return wellFormed(name, m[1], func(i int) byte { return sum[i%31] }), true
}

var (
	numberedLine = regexp.MustCompile(`(?m)^\d+\. `)
	shownPath    = regexp.MustCompile(`(?m)^PATH (\d+)$`)
)

// wellFormed answers a question in its form; coin i decides the i-th choice.
func wellFormed(name, user string, coin func(i int) byte) string {
	say := func(i int) string { return fmt.Sprintf("What %02x holds in place %d.", coin(i), i) }
	pick := func(i int, of ...string) string { return of[int(coin(i))%len(of)] }
	switch name {
	case "guard_judge":
		return object("verdict", pick(0, "keep", "reject"), "confidence", 0.5, "reason", say(1))
	case "guard_measure":
		_, record, _ := strings.Cut(user, "RECORD\n")
		record, _, _ = strings.Cut(record, "\n\nOTHER RECORDS")
		words := strings.Fields(record[strings.LastIndex(record, "\n")+1:])
		return object("instruction_likeness", share(coin(0)), "unsupported_generalisation", share(coin(1)),
			"conflict", share(coin(2)), "spans", []string{words[int(coin(3))%len(words)]})
	case "guard_probes":
		return object("situations", []string{say(0), say(1), say(2)})
	case "guard_path":
		return object("path", []string{say(0), say(1), say(2)})
	case "guard_consensus":
		var entries []json.RawMessage
		for i, m := range shownPath.FindAllStringSubmatch(user, -1) {
			n, _ := strconv.Atoi(m[1])
			verdict := pick(i, "consistent", "consistent", "directive", "over_claim", "contradicts", "divergent")
			entries = append(entries, json.RawMessage(object("path", n, "verdict", verdict, "agreeing", 2, "reason", say(i))))
		}
		return object("consensus", say(0), "paths", entries)
	case "guard_rewrite":
		return object("record", say(0))
	case "shield_tasks":
		return object("tasks", []string{say(0), say(1)})
	case "shield_directives":
		return object("directives", []string{say(0), say(1), say(2)}[:coin(3)%4])
	case "shield_score":
		given, wanted, _ := strings.Cut(user, "\n\nDIRECTIVES\n")
		rows := make([][]float64, len(numberedLine.FindAllString(wanted, -1)))
		for i := range rows {
			rows[i] = make([]float64, len(numberedLine.FindAllString(given, -1)))
			rows[i][0] = float64(coin(i) % 2)
		}
		return object("scores", rows)
	}
	panic("no question is called " + name)
}

func share(b byte) float64 { return float64(b) / 255 }

// object is a JSON object of pairs.
func object(pairs ...any) string {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return string(b)
}
