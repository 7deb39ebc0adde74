package prompts

import "strconv"

// The questions of write-time guards: about records, and about what follows
// from them. None has a field for a task, an arm or a label. Each asks for one
// JSON object; what it must hold stands at the question.

// GuardJudge asks whether a record, seen alone, may enter memory:
//
//	{"verdict": "keep" or "reject", "confidence": 0…1, "reason": text}
type GuardJudge struct{ Record Record }

// GuardMeasure asks how far a record can be relied on beside the others that
// came with it:
//
//	{"instruction_likeness": 0…1, "unsupported_generalisation": 0…1, "conflict": 0…1, "spans": [exact quotes of the record's text]}
type GuardMeasure struct {
	Record Record
	Others []Record
}

// GuardProbes asks for situations in which memory of the records would be
// turned to:
//
//	{"situations": [text, text, text]}
type GuardProbes struct{ Records []Record }

// GuardPath asks what one record, seen alone, leads to in each situation:
//
//	{"path": [a text for each situation]}
type GuardPath struct {
	Record     Record
	Situations []string
}

// GuardConsensus asks what the paths agree on and how each stands to it:
//
//	{"consensus": text, "paths": [{"path": number, "verdict": "consistent", "directive", "over_claim", "contradicts" or "divergent", "agreeing": count, "reason": text}, …]}
type GuardConsensus struct {
	Situations []string
	Paths      []Path
}

// Path is what a record leads to, situation by situation, under a number that
// says nothing of the record.
type Path struct {
	Number int
	Steps  []string
}

// GuardRewrite asks for a record's text without the claim that goes too far:
//
//	{"record": text}
type GuardRewrite struct {
	Record    Record
	Consensus string
	Reason    string // what goes too far; may be empty
}

// Name implements Question.
func (GuardJudge) Name() string { return "guard_judge" }

// Name implements Question.
func (GuardMeasure) Name() string { return "guard_measure" }

// Name implements Question.
func (GuardProbes) Name() string { return "guard_probes" }

// Name implements Question.
func (GuardPath) Name() string { return "guard_path" }

// Name implements Question.
func (GuardConsensus) Name() string { return "guard_consensus" }

// Name implements Question.
func (GuardRewrite) Name() string { return "guard_rewrite" }

// Numbered is the other records as a template counts them.
func (q GuardMeasure) Numbered() []NumberedRecord { return number(q.Others) }

// Numbered is the records as a template counts them.
func (q GuardProbes) Numbered() []NumberedRecord { return number(q.Records) }

// Numbered is the situations as a template counts them.
func (q GuardPath) Numbered() []NumberedText { return numberTexts(q.Situations) }

// Numbered is the situations as a template counts them.
func (q GuardConsensus) Numbered() []NumberedText { return numberTexts(q.Situations) }

// Numbered is the steps as a template counts them.
func (p Path) Numbered() []NumberedText { return numberTexts(p.Steps) }

func guardQuestions() []Question {
	return []Question{GuardJudge{}, GuardMeasure{}, GuardProbes{}, GuardPath{}, GuardConsensus{}, GuardRewrite{}}
}

var (
	sampleRecord = Record{Text: "text", Visible: []Field{{Name: "name", Value: "value"}}}
	sampleTexts  = []string{"one", "two"}
)

func (GuardJudge) samples() []Question { return []Question{GuardJudge{sampleRecord}} }

func (GuardMeasure) samples() []Question {
	return []Question{GuardMeasure{Record: sampleRecord, Others: []Record{sampleRecord, {Text: "text"}}}}
}

func (GuardProbes) samples() []Question {
	return []Question{GuardProbes{[]Record{sampleRecord, {Text: "text"}}}}
}

func (GuardPath) samples() []Question {
	return []Question{GuardPath{Record: sampleRecord, Situations: sampleTexts}}
}

func (GuardConsensus) samples() []Question {
	return []Question{GuardConsensus{Situations: sampleTexts, Paths: []Path{{Number: 1, Steps: sampleTexts}}}}
}

func (GuardRewrite) samples() []Question {
	return []Question{GuardRewrite{Record: sampleRecord, Consensus: "text", Reason: "text"}}
}

// NumberedText is a text under its number, as templates see it.
type NumberedText struct{ Number, Text string }

func numberTexts(texts []string) []NumberedText {
	out := make([]NumberedText, len(texts))
	for i, text := range texts {
		out[i] = NumberedText{Number: strconv.Itoa(i + 1), Text: text}
	}
	return out
}
