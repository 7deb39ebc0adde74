package generated

import "memform/runner/cases"

// OpenJSONL returns the file of n free-form families, five cases each.
func OpenJSONL(n int, seed uint64) []byte {
	out := make([]byte, 0, n*31_000)
	for i := range n {
		for _, doc := range OpenFamily(i, seed) {
			var err error
			if out, err = doc.AppendLine(out); err != nil {
				panic(err) // a Doc of strings always encodes
			}
		}
	}
	return out
}

// OpenFamily returns the five cases of family i as free form: in place of the
// choices stand signatures, with a description, the choice's text and two
// aliases for either action, and the two other actions as unclear answers.
func OpenFamily(i int, seed uint64) []cases.Doc {
	docs, g := family(i, seed)
	signs := &cases.SignaturesDoc{
		Clean: g.signature(g.choices[0]), Poisoned: g.signature(g.choices[1]),
		Ambiguous: cases.SignatureDoc{Description: g.sentence(12), Aliases: []string{g.sentence(8)}},
		Unclear:   cases.SignatureDoc{Description: g.sentence(12), Phrases: g.choices[2:], Aliases: []string{g.sentence(7)}},
	}
	for d := range docs {
		doc := &docs[d]
		doc.CaseID, doc.SourceCaseID = doc.CaseID+".ff", doc.CaseID
		doc.TaskFormat, doc.Evaluation.Type = cases.FreeForm, cases.FreeForm
		for t := range doc.Tasks {
			task := &doc.Tasks[t]
			task.Choices, task.Signatures = nil, signs
			task.Clean, task.Poisoned = "clean", "poisoned"
			if task.Probe == cases.ProbeInScope {
				task.Clean = "poisoned"
			}
		}
	}
	return docs
}

func (g *generator) signature(action string) cases.SignatureDoc {
	return cases.SignatureDoc{Description: g.sentence(14), Phrases: []string{action}, Aliases: []string{g.sentence(8), g.sentence(9)}}
}
